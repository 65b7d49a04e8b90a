import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import {
  type AuthInfo,
  AuthInfoSchema,
  type TxBody,
  TxBodySchema,
  type TxRaw,
  TxRawSchema,
} from '../../../proto/cosmos/tx/v1beta1/tx_pb.js';
import { abciError, PlainError } from '../runtime/abciErrors.ts';
import { decodeAddress } from '../runtime/address.ts';
import type { DecodedMessage, Router } from '../runtime/keeper.ts';

/** A transaction that was understood. */
export interface DecodedTx {
  readonly raw: TxRaw;
  readonly body: TxBody;
  readonly authInfo: AuthInfo;
  readonly messages: readonly DecodedMessage[];
  /** Addresses that must sign, in order, each once; the first pays the fee when no payer is named. */
  readonly signers: readonly string[];
  readonly size: number;
}

/** Twice, as the node has it: once from decoding, once from running. */
function parseError(why: string): Error {
  return abciError('txDecode', `${why}: tx parse error`);
}

/** A varint at `at`: its value and how many bytes it took; undefined when it does not end. */
function varintAt(bytes: Uint8Array, at: number): { readonly value: bigint; readonly size: number } | undefined {
  let value = 0n;
  for (let size = 0; size < 10; size += 1) {
    const byte = bytes[at + size];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * size);
    if (byte < 0x80) return { value, size: size + 1 };
  }
  return undefined;
}

/**
 * The rules for a TxRaw's own bytes (ADR 027), with the node's texts: only length-delimited fields, in ascending order, lengths no
 * longer than needed, and none unknown. The texts of a wrong wire type and of a field number 0 are recorded.
 */
function checkRaw(bytes: Uint8Array): void {
  let previous = 0n;
  for (let at = 0; at < bytes.length; ) {
    const tag = varintAt(bytes, at);
    if (tag === undefined) throw parseError('invalid length; unexpected EOF');
    const field = tag.value >> 3n;
    const wireType = tag.value & 7n;
    if (field === 0n) throw parseError('invalid length; proto: invalid field number');
    if (wireType !== 2n) throw parseError(`expected 2 wire type, got ${wireType}`);
    if (field < previous) throw parseError(`txRaw must follow ascending order, got tagNum ${field} after tagNum ${previous}`);
    previous = field;
    const length = varintAt(bytes, at + tag.size);
    if (length === undefined) throw parseError('invalid length; unexpected EOF');
    const needed = Math.max(1, Math.ceil(length.value.toString(2).length / 7));
    if (length.size !== needed) {
      const text = `length prefix varint for tagNum ${field} is not as short as possible, read ${length.size}, only need ${needed}`;
      throw parseError(text);
    }
    const end = BigInt(at + tag.size + length.size) + length.value;
    if (end > BigInt(bytes.length)) throw parseError('invalid length; unexpected EOF');
    if (field > 3n) throw parseError(`errUnknownField "TxRaw": {TagNum: ${field}, WireType:"bytes"}`);
    at = Number(end);
  }
}

function decodePart<D extends DescMessage>(schema: D, bytes: Uint8Array): MessageShape<D> {
  try {
    return fromBinary(schema, bytes);
  } catch {
    throw parseError('unexpected EOF');
  }
}

/**
 * Understands a transaction. Refuses (code 2) what is none, a message of an unknown type, and a signer that is no address; (code
 * 18) one without messages.
 */
export function decodeTx(router: Router, bytes: Uint8Array): DecodedTx {
  checkRaw(bytes);
  const raw = decodePart(TxRawSchema, bytes);
  const body = decodePart(TxBodySchema, raw.bodyBytes);
  const authInfo = decodePart(AuthInfoSchema, raw.authInfoBytes);
  if (body.messages.length === 0) throw abciError('invalidRequest', 'must contain at least one message');
  try {
    const messages = body.messages.map((message) => router.decode(message));
    const signers = [...new Set(messages.flatMap((message) => message.signers))];
    for (const signer of signers) decodeAddress(signer);
    return { raw, body, authInfo, messages, signers, size: bytes.length };
  } catch (error) {
    if (error instanceof PlainError) throw parseError(error.message);
    throw error;
  }
}
