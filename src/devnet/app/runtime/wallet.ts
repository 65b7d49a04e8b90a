import { createECDH, createHmac, pbkdf2Sync } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { PubKeySchema } from '../../../proto/cosmos/crypto/secp256k1/keys_pb.js';
import { SignMode } from '../../../proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import { AuthInfoSchema, SignDocSchema, TxBodySchema, TxRawSchema } from '../../../proto/cosmos/tx/v1beta1/tx_pb.js';
import { encodeAddress } from './address.ts';
import { type Amount, feeDenom } from './coins.ts';
import { packAny } from './keeper.ts';

/** The mnemonic that development chains share. Everybody knows it: never for anything of worth. */
export const developmentMnemonic = 'test test test test test test test test test test test junk';

/** An account whose key is known. */
export interface WalletAccount {
  readonly address: string;
  /** 20 bytes. */
  readonly addressBytes: Uint8Array;
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
}

/** Fee of a transaction: coins, and the gas that it may use. */
export interface TxFee {
  readonly amount: readonly Amount[];
  readonly gas: bigint;
}

/** What is signed. `sequence` and `accountNumber` are those of the account at the time. */
export interface TxToSign {
  readonly account: WalletAccount;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
  readonly chainId: string;
  readonly messages: readonly Any[];
  /** 1 hash and 1,000,000 gas when absent. */
  readonly fee?: TxFee;
  readonly memo?: string;
  /** The last block that may hold it; 0 is any. */
  readonly timeoutHeight?: bigint;
}

const defaultFee: TxFee = { amount: [{ denom: feeDenom, amount: 1_000_000_000n }], gas: 1_000_000n };

/** The BIP-39 seed of a mnemonic in ASCII, without a passphrase. In JavaScript the 2,048 rounds would take a third of a second. */
function seedOf(mnemonic: string): Uint8Array {
  return pbkdf2Sync(mnemonic, 'mnemonic', 2048, 64, 'sha512');
}

/** A step of a derivation path (BIP-32): the private key, and what its children are made with besides it. */
interface Step {
  readonly key: Buffer;
  readonly chainCode: Buffer;
}

const order = secp256k1.Point.Fn.ORDER;
const hardened = 0x80000000;

function hmac(key: string | Uint8Array, data: Uint8Array): Buffer {
  return createHmac('sha512', key).update(data).digest();
}

function publicKeyOf({ key }: Step): Buffer {
  const pair = createECDH('secp256k1');
  pair.setPrivateKey(key);
  return Buffer.from(pair.getPublicKey(null, 'compressed'));
}

/**
 * The `index`-th child of a step. Native, since the library that does the same in JavaScript works a public key out at each step, which is
 * half of what starting a devnet takes. That a child does not exist (once in 2^127) is not looked at.
 */
function childOf(step: Step, index: number): Step {
  const data = Buffer.alloc(37);
  (index >= hardened ? Buffer.concat([Buffer.alloc(1), step.key]) : publicKeyOf(step)).copy(data);
  data.writeUInt32BE(index, 33);
  const made = hmac(step.chainCode, data);
  const sum = (BigInt(`0x${made.toString('hex', 0, 32)}`) + BigInt(`0x${step.key.toString('hex')}`)) % order;
  return { key: Buffer.from(sum.toString(16).padStart(64, '0'), 'hex'), chainCode: made.subarray(32) };
}

/**
 * The first `count` accounts of the development mnemonic, path `m/44'/1'/0'/0/i` (coin type 1 is a test network's), prefix `tp`.
 * Always the same ones.
 */
export function createAccounts(count = 10): WalletAccount[] {
  // All but the last step of the path is the same, and each step is dear.
  const master = hmac('Bitcoin seed', seedOf(developmentMnemonic));
  const root: Step = { key: master.subarray(0, 32), chainCode: master.subarray(32) };
  const parent = [hardened + 44, hardened + 1, hardened, 0].reduce(childOf, root);
  return Array.from({ length: count }, (_, index) => {
    const step = childOf(parent, index);
    const [privateKey, publicKey] = [new Uint8Array(step.key), new Uint8Array(publicKeyOf(step))];
    const addressBytes = ripemd160(sha256(publicKey));
    return { address: encodeAddress(addressBytes), addressBytes, publicKey, privateKey };
  });
}

/** Signs (SIGN_MODE_DIRECT) and encodes a transaction: the bytes of a TxRaw. */
export function signTx(tx: TxToSign): Uint8Array {
  const { account, accountNumber, sequence, chainId, fee = defaultFee } = tx;
  const bodyBytes = toBinary(
    TxBodySchema,
    create(TxBodySchema, { messages: [...tx.messages], memo: tx.memo ?? '', timeoutHeight: tx.timeoutHeight ?? 0n }),
  );
  const signer = {
    publicKey: packAny(PubKeySchema, create(PubKeySchema, { key: account.publicKey })),
    modeInfo: { sum: { case: 'single' as const, value: { mode: SignMode.DIRECT } } },
    sequence,
  };
  const amount = fee.amount.map((coin) => ({ denom: coin.denom, amount: String(coin.amount) }));
  const authInfo = create(AuthInfoSchema, { signerInfos: [signer], fee: { amount, gasLimit: fee.gas } });
  const authInfoBytes = toBinary(AuthInfoSchema, authInfo);
  const document = create(SignDocSchema, { bodyBytes, authInfoBytes, chainId, accountNumber });
  const signature = secp256k1.sign(toBinary(SignDocSchema, document), account.privateKey, { prehash: true, lowS: true });
  return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [signature] }));
}
