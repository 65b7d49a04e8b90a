import { createECDH, createHmac, pbkdf2Sync } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { PubKeySchema } from '../../../../../src/proto/cosmos/crypto/secp256k1/keys_pb.js';
import { SignMode } from '../../../../../src/proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import { AuthInfoSchema, SignDocSchema, TxBodySchema, TxRawSchema } from '../../../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { encodeAddress } from './address.ts';
import { type Amount, feeDenom } from './coins.ts';
import { packAny } from './keeper.ts';
import { timestampOf } from './time.ts';

/** The public mnemonic that development chains share. Never use it for real funds. */
export const developmentMnemonic = 'test test test test test test test test test test test junk';

/** An account with its private key. */
export interface WalletAccount {
  readonly address: string;
  /** 20 bytes. */
  readonly addressBytes: Uint8Array;
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
}

/** The fee of a transaction: coins and a gas limit. */
export interface TxFee {
  readonly amount: readonly Amount[];
  readonly gas: bigint;
}

/** A transaction to sign. `sequence` and `accountNumber` are the current ones of the account. */
export interface TxToSign {
  readonly account: WalletAccount;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
  readonly chainId: string;
  readonly messages: readonly Any[];
  /** Default: 1 hash and 1,000,000 gas. */
  readonly fee?: TxFee;
  readonly memo?: string;
  /** The last block that may include the transaction. 0: no limit. */
  readonly timeoutHeight?: bigint;
  /** The time in nanoseconds since 1970 after which no block executes it. 0: no limit. */
  readonly timeout?: bigint;
  /** Whether it uses its timeout as a nonce instead of the sequence, which must then be 0. Default false. */
  readonly unordered?: boolean;
}

const defaultFee: TxFee = { amount: [{ denom: feeDenom, amount: 1_000_000_000n }], gas: 1_000_000n };

/**
 * Derives the BIP-39 seed of an ASCII mnemonic without a passphrase. Uses native code, because the 2,048 rounds take a third of
 * a second in JavaScript.
 */
function seedOf(mnemonic: string): Uint8Array {
  return pbkdf2Sync(mnemonic, 'mnemonic', 2048, 64, 'sha512');
}

/** A step of a derivation path (BIP-32): the private key and the chain code. */
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
 * Derives the `index`-th child of a step. Uses native code, because the JavaScript library computes a public key at each step,
 * which takes half of the start-up time of a devnet. The case of an invalid child (probability 2^-127) is ignored.
 */
function childOf(step: Step, index: number): Step {
  const data = Buffer.alloc(37);
  (index >= hardened ? Buffer.concat([Buffer.alloc(1), step.key]) : publicKeyOf(step)).copy(data);
  data.writeUInt32BE(index, 33);
  const digest = hmac(step.chainCode, data);
  const sum = (BigInt(`0x${digest.toString('hex', 0, 32)}`) + BigInt(`0x${step.key.toString('hex')}`)) % order;
  return { key: Buffer.from(sum.toString(16).padStart(64, '0'), 'hex'), chainCode: digest.subarray(32) };
}

/** Derives the step that the accounts share: all but the last one of their path. */
function parentOfAccounts(): Step {
  const master = hmac('Bitcoin seed', seedOf(developmentMnemonic));
  const root: Step = { key: master.subarray(0, 32), chainCode: master.subarray(32) };
  return [hardened + 44, hardened + 1, hardened, 0].reduce(childOf, root);
}

function deriveAccount(parent: Step, index: number): WalletAccount {
  const step = childOf(parent, index);
  const [privateKey, publicKey] = [new Uint8Array(step.key), new Uint8Array(publicKeyOf(step))];
  const addressBytes = ripemd160(sha256(publicKey));
  return { address: encodeAddress(addressBytes), addressBytes, publicKey, privateKey };
}

/** Derives accounts in order, each one once, because each step is expensive. */
function createDerivation(): (count: number) => WalletAccount[] {
  const accounts: WalletAccount[] = [];
  let parent: Step | undefined;
  return (count) => {
    parent ??= parentOfAccounts();
    while (accounts.length < count) accounts.push(deriveAccount(parent, accounts.length));
    return accounts.slice(0, count);
  };
}

const derive = createDerivation();

/**
 * Returns the first `count` accounts of the development mnemonic, with the path `m/44'/1'/0'/0/i` (coin type 1 is for test
 * networks) and the prefix `tp`. They are always the same.
 */
export function createAccounts(count = 10): WalletAccount[] {
  return derive(count);
}

/** Signs a transaction (SIGN_MODE_DIRECT) and encodes it as a TxRaw. */
export function signTx(tx: TxToSign): Uint8Array {
  const { account, accountNumber, sequence, chainId, fee = defaultFee } = tx;
  const body = create(TxBodySchema, {
    messages: [...tx.messages],
    memo: tx.memo ?? '',
    timeoutHeight: tx.timeoutHeight ?? 0n,
    unordered: tx.unordered ?? false,
    ...(tx.timeout && { timeoutTimestamp: timestampOf(tx.timeout) }),
  });
  const bodyBytes = toBinary(TxBodySchema, body);
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
