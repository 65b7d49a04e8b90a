import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { MsgSubmitProposalSchema } from '../../../../../src/proto/cosmos/group/v1/tx_pb.js';
import {
  type AuthInfo,
  AuthInfoSchema,
  type TxBody,
  TxBodySchema,
  type TxRaw,
  TxRawSchema,
} from '../../../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { abciError, PlainError } from '../runtime/abciErrors.ts';
import { decodeAddress } from '../runtime/address.ts';
import type { DecodedMessage, Router } from '../runtime/keeper.ts';

const proposalType = `/${MsgSubmitProposalSchema.typeName}`;

/** The most messages of a proposal that a node decodes (recorded: A27). */
const mostNested = 99;

/** A decoded transaction. */
export interface DecodedTx {
  readonly raw: TxRaw;
  readonly body: TxBody;
  readonly authInfo: AuthInfo;
  readonly messages: readonly DecodedMessage[];
  /** The distinct addresses that must sign, in order. The first pays the fee if the transaction contains no payer. */
  readonly signers: readonly string[];
  readonly size: number;
}

/** The prefix appears twice, as on a node: from decoding and from executing. */
function parseError(why: string): Error {
  return abciError('txDecode', `${why}: tx parse error`);
}

/** Decodes a varint at `at`: its value and its length. undefined if it is incomplete. */
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
 * Checks the encoding of a TxRaw (ADR 027), with the node's errors: only known, length-delimited fields, in ascending order,
 * with minimal lengths. The texts of a wrong wire type and of field number 0 are recorded.
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
 * Decodes a transaction. Throws code 2 for invalid bytes, a message of an unknown type and an invalid address of a signer, and
 * code 18 for a transaction without messages.
 */
export function decodeTx(router: Router, bytes: Uint8Array): DecodedTx {
  checkRaw(bytes);
  const raw = decodePart(TxRawSchema, bytes);
  const body = decodePart(TxBodySchema, raw.bodyBytes);
  const authInfo = decodePart(AuthInfoSchema, raw.authInfoBytes);
  if (body.messages.length === 0) throw abciError('invalidRequest', 'must contain at least one message');
  try {
    for (const { typeUrl, value } of body.messages)
      if (typeUrl === proposalType && decodePart(MsgSubmitProposalSchema, value).messages.length > mostNested)
        throw parseError('call limit exceeded');
    const messages = body.messages.map((message) => router.decode(message));
    const payer = authInfo.fee?.payer ?? '';
    const signers = [...new Set([...messages.flatMap((message) => message.signers), ...(payer === '' ? [] : [payer])])];
    for (const signer of signers) decodeAddress(signer);
    return { raw, body, authInfo, messages, signers, size: bytes.length };
  } catch (error) {
    if (error instanceof PlainError) throw parseError(error.message);
    throw error;
  }
}
