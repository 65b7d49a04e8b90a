import { createHash } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { bech32 } from '@scure/base';
import { maxTxBytes } from '../../config/bounds.ts';
import { PubKeySchema } from '../../proto/cosmos/crypto/secp256k1/keys_pb.js';
import { type AuthInfo, AuthInfoSchema, type TxBody, TxBodySchema, TxRawSchema } from '../../proto/cosmos/tx/v1beta1/tx_pb.js';
import { ChainError } from '../base/errors.ts';
import { fromSecondsAndNanos, type Nanoseconds } from '../base/time.ts';
import { hashTx } from '../blocks/committedBlock.ts';

/** A decoded transaction. */
export interface DecodedTx {
  readonly body: TxBody;
  readonly authInfo: AuthInfo;
  readonly signatures: readonly Uint8Array[];
}

/** Decodes a transaction. Returns null unless the bytes are a Cosmos transaction with a body and auth info. */
export function decodeTx(bytes: Uint8Array): DecodedTx | null {
  try {
    const raw = fromBinary(TxRawSchema, bytes);
    if (raw.bodyBytes.length === 0 || raw.authInfoBytes.length === 0 || raw.$unknown) return null;
    return {
      body: fromBinary(TxBodySchema, raw.bodyBytes),
      authInfo: fromBinary(AuthInfoSchema, raw.authInfoBytes),
      signatures: raw.signatures,
    };
  } catch {
    return null;
  }
}

/**
 * The time after which no block executes a transaction; 0 if there is no limit. The chain reads a time in the first second of 1970 as none (inferred from
 * its source).
 */
export function timeoutOf({ timeoutTimestamp }: TxBody): Nanoseconds {
  return timeoutTimestamp?.seconds === 0n ? 0n : fromSecondsAndNanos(timeoutTimestamp);
}

/** The only type of key whose addresses are derived here. */
const secp256k1Type = '/cosmos.crypto.secp256k1.PubKey';

/** Address bytes of the signers; null if a key is missing in the transaction or is not of secp256k1. */
export function signerBytes({ authInfo }: DecodedTx): readonly Uint8Array[] | null {
  const signers: Uint8Array[] = [];
  for (const { publicKey } of authInfo.signerInfos) {
    if (publicKey?.typeUrl !== secp256k1Type) return null;
    const digest = createHash('sha256').update(fromBinary(PubKeySchema, publicKey.value).key).digest();
    signers.push(ripemd160(digest));
  }
  return signers;
}

/** A transaction to send. */
export interface OutgoingTx {
  /** SHA-256 of the bytes in upper case hex. Equal bytes are the same transaction. */
  readonly hash: string;
  /** The bytes in base64. */
  readonly tx: string;
  /**
   * Identifies what the transaction uses up: the sequence of the fee payer's account or, if it is unordered, its nonce, which is the payer with the
   * timeout. The hash if the payer is unknown.
   */
  readonly account: string;
  /** The last block that may contain it; 0n means any. */
  readonly timeoutHeight: bigint;
  /** No block with a later time executes it. 0n means no limit. */
  readonly timeout: Nanoseconds;
}

/**
 * Reads a transaction. The bytes need not be valid, because CheckTx decides that. Throws MEMPOOL_REJECTED if they exceed the
 * size that nodes accept.
 */
export function readTx(bytes: Uint8Array): OutgoingTx {
  const tx = Buffer.from(bytes).toString('base64');
  const hash = hashTx(tx);
  if (bytes.length > maxTxBytes) {
    const text = `Tx too large. Max size is ${maxTxBytes}, but got ${bytes.length}`;
    throw new ChainError('MEMPOOL_REJECTED', text, { hash, reason: 'TOO_LARGE' });
  }
  const decoded = decodeTx(bytes);
  /** The fee payer: the one that the transaction names, else its first signer. */
  let payer: Uint8Array | undefined;
  try {
    const address = decoded?.authInfo.fee?.payer;
    payer = address ? bech32.decodeToBytes(address).bytes : decoded ? signerBytes(decoded)?.[0] : undefined;
  } catch {
    // The name of the payer is no address.
  }
  const timeout = decoded === null ? 0n : timeoutOf(decoded.body);
  const account = payer ? Buffer.from(payer).toString('hex') : hash;
  return {
    hash,
    tx,
    account: decoded?.body.unordered ? `${account} ${timeout}` : account,
    timeoutHeight: decoded?.body.timeoutHeight ?? 0n,
    timeout,
  };
}
