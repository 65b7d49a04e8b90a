import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { LRUCache } from 'lru-cache';
import type { BaseAccount } from '../../../../../src/proto/cosmos/auth/v1beta1/auth_pb.js';
import { PubKeySchema } from '../../../../../src/proto/cosmos/crypto/secp256k1/keys_pb.js';
import { SignMode } from '../../../../../src/proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import { sendCoins } from '../keepers/bank/state.ts';
import { readAccount, useNonce, writeAccount } from '../keepers/base/auth.ts';
import { feeCollector } from '../keepers/distribution/index.ts';
import { spendAllowance } from '../keepers/feegrant/state.ts';
import { abciError, PlainError } from '../runtime/abciErrors.ts';
import { decodeAddress } from '../runtime/address.ts';
import { feeDenom } from '../runtime/coins.ts';
import type { Context } from '../runtime/context.ts';
import { plainEvent } from '../runtime/events.ts';
import { gasPrice } from '../runtime/gas.ts';
import { packAny, unpackAny } from '../runtime/keeper.ts';
import { goTime, momentOf, seconds } from '../runtime/time.ts';
import { keyOf } from '../state/bytes.ts';
import { type FeeRule, type Fees, feesOf, shortOf, type TxMode } from './fees.ts';
import { signedBytes } from './signedBytes.ts';
import { checkForm, checkGrant, checkSigners } from './simulated.ts';
import type { DecodedTx } from './txBytes.ts';

/** Returns whether `signature` over `document` is valid. `key` is compressed. Callers may cache the result. */
export type VerifySignature = (signature: Uint8Array, document: Uint8Array, key: Uint8Array) => boolean;

// Flat gas prices for the parameters that the real handlers read, chosen so that the total gas is close to the recorded values.
const setupGas = 3198;
const paramsGas = 24_000;
const feeGas = 21_000;
/** Instead of writing the sequence of each signer. */
const unorderedGas = 2_240;
/** The longest time from the block to the timeout of an unordered transaction. */
const unorderedLife = { text: '5m0s', nanoseconds: seconds(300) };
const maxMemo = 256;

/** Charges a part of the fee, from a grant if there is one. */
function payFee(context: Context, tx: DecodedTx, { payer, grantee }: Fees, amount: bigint): void {
  if (amount === 0n) return;
  const fee = [{ denom: feeDenom, amount }];
  if (grantee !== undefined) {
    const messages = tx.messages.map(({ typeUrl }) => typeUrl);
    spendAllowance(context, payer, grantee, { fee, messages, time: context.block.time });
  }
  sendCoins(context, decodeAddress(payer), feeCollector, fee);
}

function accountOf(context: Context, address: string, role: string): BaseAccount {
  const account = readAccount(context, decodeAddress(address));
  if (account === undefined) throw abciError('unknownAddress', `${role} ${address} does not exist`);
  return account;
}

function addressOfKey(key: Uint8Array): string {
  return keyOf(ripemd160(sha256(key)));
}

/** Returns the compressed public key of a signer: that of the account, or the given one, which must match the address. */
function publicKeyOf(tx: DecodedTx, account: BaseAccount, index: number): Uint8Array {
  const accountKey = unpackAny(PubKeySchema, account.pubKey);
  if (accountKey !== undefined) return accountKey.key;
  const sentKey = tx.authInfo.signerInfos[index]?.publicKey;
  const key = unpackAny(PubKeySchema, sentKey);
  if (account.pubKey !== undefined || key === undefined) throw abciError('invalidPubKey', 'pubkey on account is not set');
  if (addressOfKey(key.key) !== keyOf(decodeAddress(account.address))) {
    const text = `pubKey does not match signer address ${account.address} with signer index: ${index}`;
    throw abciError('invalidPubKey', text);
  }
  account.pubKey = packAny(PubKeySchema, fromBinary(PubKeySchema, toBinary(PubKeySchema, key)));
  return key.key;
}

function checkSigner(context: Context, tx: DecodedTx, index: number, verify: VerifySignature | undefined): void {
  const address = tx.signers[index] ?? '';
  const account = accountOf(context, address, 'account');
  const isFirst = account.pubKey === undefined;
  const key = verify === undefined ? undefined : publicKeyOf(tx, account, index);
  context.gas.consume(gasPrice.signature, 'ante verify: secp256k1');
  const info = tx.authInfo.signerInfos[index];
  const { unordered } = tx.body;
  if (unordered && info !== undefined && info.sequence > 0n) {
    throw abciError('invalidRequest', 'sequence is not allowed for unordered transactions');
  }
  if (!unordered && info !== undefined && info.sequence !== account.sequence) {
    throw abciError('wrongSequence', `account sequence mismatch, expected ${account.sequence}, got ${info.sequence}`);
  }
  if (verify !== undefined && key !== undefined) requireSignature(context, tx, index, account, key, verify);
  if (!unordered) account.sequence += 1n;
  if (!unordered || isFirst) writeAccount(context, account);
}

/** The time after which no block executes a transaction, in nanoseconds since 1970. 0 if it has none. A time in the second of 1970 is none. */
function timeoutOf({ body }: DecodedTx): bigint {
  return body.timeoutTimestamp?.seconds === 0n ? 0n : momentOf(body.timeoutTimestamp);
}

/** Checks the timeout of an unordered transaction and, unless it is simulated, uses it up for each signer: it is the nonce. */
function useNonces(context: Context, tx: DecodedTx, isSimulated: boolean): void {
  const timeout = timeoutOf(tx);
  if (timeout === 0n) throw abciError('invalidRequest', 'unordered transaction must have timeout_timestamp set');
  if (timeout > context.block.time + unorderedLife.nanoseconds) {
    throw abciError('invalidRequest', `unordered tx ttl exceeds ${unorderedLife.text}`);
  }
  for (const signer of tx.signers) {
    context.gas.consume(unorderedGas, 'unordered tx');
    if (!isSimulated && !useNonce(context, decodeAddress(signer), timeout)) {
      throw abciError('invalidRequest', `failed to add unordered nonce: sender ${signer} has already used timeout ${timeout}`);
    }
  }
}

function requireSignature(
  context: Context,
  tx: DecodedTx,
  index: number,
  account: BaseAccount,
  key: Uint8Array,
  verify: VerifySignature,
): void {
  const info = tx.authInfo.signerInfos[index];
  const { chainId } = context.block;
  const mode = info?.modeInfo?.sum.case === 'single' ? info.modeInfo.sum.value.mode : SignMode.UNSPECIFIED;
  const signature = tx.raw.signatures[index] ?? new Uint8Array();
  const document = signedBytes(tx, mode, { chainId, accountNumber: account.accountNumber, sequence: info?.sequence ?? 0n });
  if (document === undefined || !verify(signature, document, key)) {
    const which = `please verify account number (${account.accountNumber}) and chain-id (${chainId})`;
    throw abciError('unauthorized', `signature verification failed; ${which}: (unable to verify single signer signature)`);
  }
}

/**
 * Checks a transaction before its messages are executed, in the node's order: fee, timeouts, memo, size, payment of the
 * base fee, public keys, nonces or sequences, signatures. Increments the sequences of the signers, or uses up their nonces, and charges the base fee. If it throws,
 * `context` must be discarded. In a simulation, signatures are not checked, and an absent flat fee is the minimum.
 */
export function admitTx(
  context: Context,
  tx: DecodedTx,
  { mode, rule, verify: verifier }: { readonly mode: TxMode; readonly rule: FeeRule; readonly verify: VerifySignature },
): Fees {
  const verify = mode === 'SIMULATE' ? undefined : verifier;
  context.gas.consume(setupGas, 'ReadFlat');
  if (mode === 'SIMULATE') checkForm(tx, rule === 'flat');
  const fees = feesOf(tx, mode, rule);
  const { timeoutHeight, memo } = tx.body;
  const { height, time } = context.block;
  if (timeoutHeight > 0n && height > timeoutHeight) {
    throw abciError('timeoutHeight', `block height: ${height}, timeout height: ${timeoutHeight}`);
  }
  const timeout = timeoutOf(tx);
  if (timeout !== 0n && time > timeout) {
    throw abciError('txTimeout', `block time: ${goTime(time)}, timeout timestamp: ${goTime(timeout)}`);
  }
  const length = Buffer.byteLength(memo);
  if (length > maxMemo) {
    throw abciError('memoTooLarge', `maximum number of characters is ${maxMemo} but received ${length} characters`);
  }
  context.gas.consume(gasPrice.txSizePerByte * tx.size, 'txSize');
  if (mode === 'SIMULATE') {
    checkGrant(context, tx, fees);
    checkSigners(context, tx);
  } else {
    accountOf(context, fees.payer, 'fee payer address:');
    payFee(context, tx, fees, fees.base);
  }
  context.gas.consume(paramsGas, 'ReadFlat');

  const signatures = tx.raw.signatures.length;
  if (signatures === 0) throw abciError('noSignatures');
  if (signatures !== tx.signers.length || tx.authInfo.signerInfos.length !== signatures) {
    throw abciError('unauthorized', `invalid number of signer;  expected: ${tx.signers.length}, got ${signatures}`);
  }
  if (!tx.signers.includes(fees.grantee ?? fees.payer)) throw new PlainError('fee payer is not a signer');
  if (tx.body.unordered) useNonces(context, tx, verify === undefined);
  tx.signers.forEach((_, index) => {
    checkSigner(context, tx, index, verify);
  });
  return fees;
}

/**
 * Returns the events with the payer and the signers. `charged` is the fee that was charged: the full fee, or the base fee of a
 * failed transaction.
 */
export function emitAdmission(context: Context, tx: DecodedTx, fees: Fees, charged: bigint): void {
  const { payer, base, isFlat, isEstimate } = fees;
  // A simulation charges nothing, and repeats the fee of the transaction.
  const sentFee = (tx.authInfo.fee?.amount ?? []).map(({ amount, denom }) => `${amount}${denom}`).join();
  context.emit(
    plainEvent('tx', [
      ['fee', isEstimate ? sentFee : charged === 0n ? '' : `${charged}${feeDenom}`],
      ['fee_payer', payer],
    ]),
  );
  if (isFlat) {
    context.emit(
      plainEvent('tx', [
        ['min_fee_charged', `${base}${feeDenom}`],
        ['fee_payer', payer],
      ]),
    );
  }
  tx.signers.forEach((signer, index) => {
    const sequence = tx.authInfo.signerInfos[index]?.sequence ?? 0n;
    const signature = tx.raw.signatures[index] ?? new Uint8Array();
    if (!tx.body.unordered) context.emit(plainEvent('tx', [['acc_seq', `${signer}/${sequence}`]]));
    context.emit(plainEvent('tx', [['signature', Buffer.from(signature).toString('base64')]]));
  });
}

/**
 * Charges the rest of a flat fee after the messages were executed, and emits its events. Each nested message costs another 1nhash.
 * Inferred: a fee that is too small for them is rejected as before the messages.
 */
export function settleFees(context: Context, tx: DecodedTx, fees: Fees): void {
  if (!fees.isFlat) return;
  const additional = BigInt(context.innerMessages);
  const required = fees.base + additional;
  const total = fees.isEstimate ? required : fees.total;
  const overage = total - required;
  if (overage < 0n) throw shortOf(required, total);
  context.gas.consume(feeGas, 'ReadFlat');
  if (total > fees.base && !fees.isEstimate) payFee(context, tx, fees, total - fees.base);
  const parts: [string, string][] = [
    ['fee_payer', fees.payer],
    ['basefee', `${fees.base}${feeDenom}`],
  ];
  if (additional > 0n) parts.push(['additionalfee', `${additional}${feeDenom}`]);
  if (overage > 0n) parts.push(['fee_overage', `${overage}${feeDenom}`]);
  context.emit(plainEvent('tx', [...parts, ['total', `${total}${feeDenom}`]]));
}

/** The start of a compressed secp256k1 key in DER (SubjectPublicKeyInfo). The 33 bytes of the key follow. */
const keyPrefix = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex');

/** Half of the order of secp256k1, rounded down: the largest S of a signature that the chain accepts. */
const largestS = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');

/** The last keys that signed, in native form, because decoding a key takes almost half as long as verifying a signature. */
const keys = new LRUCache<string, KeyObject>({ max: 1_000 });

function nativeKey(key: Uint8Array): KeyObject {
  const name = keyOf(key);
  const knownKey = keys.get(name);
  if (knownKey !== undefined) return knownKey;
  const newKey = createPublicKey({ key: Buffer.concat([keyPrefix, key]), format: 'der', type: 'spki' });
  keys.set(name, newKey);
  return newKey;
}

/** Verifies a signature: secp256k1 over SHA-256, 64 bytes, low S. */
export const verifySecp256k1: VerifySignature = (signature, document, key) => {
  if (signature.length !== 64 || key.length !== 33 || largestS.compare(signature, 32) < 0) return false;
  try {
    return verify('sha256', document, { key: nativeKey(key), dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
};
