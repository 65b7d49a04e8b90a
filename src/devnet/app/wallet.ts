import { pbkdf2Sync } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { HDKey } from '@scure/bip32';
import { PubKeySchema } from '../../proto/cosmos/crypto/secp256k1/keys_pb.js';
import { SignMode } from '../../proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import { AuthInfoSchema, SignDocSchema, TxBodySchema, TxRawSchema } from '../../proto/cosmos/tx/v1beta1/tx_pb.js';
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

/**
 * The first `count` accounts of the development mnemonic, path `m/44'/1'/0'/0/i` (coin type 1 is a test network's), prefix `tp`.
 * Always the same ones.
 */
export function createAccounts(count = 10): WalletAccount[] {
  // All but the last step of the path is the same, and each step is dear.
  const parent = HDKey.fromMasterSeed(seedOf(developmentMnemonic)).derive("m/44'/1'/0'/0");
  return Array.from({ length: count }, (_, index) => {
    const { privateKey, publicKey } = parent.deriveChild(index);
    if (privateKey === null || publicKey === null) throw new Error(`no key at index ${index}`);
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
