import { type DescField, fromBinary, isMessage, type Registry } from '@bufbuild/protobuf';
import { isReflectList, isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { AnySchema, type Duration, DurationSchema, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { base64 } from '../submit.ts';
import type { Coin, Message } from './messages.ts';

// The rules are those of the Cosmos SDK (x/tx/signing/aminojson), which no recording of a node shows.

/**
 * How Amino JSON writes a field, if not by default: `kept` also if it is empty, `coins` as a list also if it is empty, `json` as the JSON that its bytes
 * are, `decimal` as a number of 18 decimals, `keptDecimal` both.
 */
export type AminoFieldRule = 'kept' | 'coins' | 'json' | 'decimal' | 'keptDecimal';

/** How Amino JSON writes a message: its name, `''` if that is its type URL, and the rules of its fields by their names. */
export type AminoRule = readonly [name: string, fields?: Readonly<Record<string, AminoFieldRule>>];

/** The types of messages that can be signed as Amino JSON. */
export interface AminoTypes {
  /** The descriptors of the messages, and of those within them. */
  readonly registry: Registry;
  /** By the full names of messages. One without an entry has its type URL as its name, and omits empty fields. */
  readonly rules: Readonly<Record<string, AminoRule>>;
}

/** A value of Amino JSON. */
export type AminoValue = string | number | boolean | null | readonly AminoValue[] | { readonly [name: string]: AminoValue };

/** A message in Amino JSON. */
export interface AminoMessage {
  readonly type: string;
  readonly value: AminoValue;
}

/** What is signed as Amino JSON (SIGN_MODE_LEGACY_AMINO_JSON), in the form in which wallets take it. */
export interface AminoDocument {
  readonly chain_id: string;
  readonly account_number: string;
  readonly sequence: string;
  readonly timeout_height?: string;
  readonly fee: {
    readonly amount: readonly Coin[];
    readonly gas: string;
    readonly payer?: string;
    readonly granter?: string;
  };
  readonly memo: string;
  readonly msgs: readonly AminoMessage[];
}

/** A decimal as people write it. On the wire it is that text, or an integer with 18 digits behind the point. */
function decimalText(text: string): string {
  const [, sign = '', digits] = /^(-?)(\d+)$/.exec(text) ?? [];
  if (digits === undefined) return text || '0';
  const padded = digits.padStart(19, '0');
  return `${sign}${padded.slice(0, -18)}.${padded.slice(-18)}`;
}

/** A time as Go writes it: its fraction has no zeros at the end. */
function timeText({ seconds, nanos }: Timestamp): string {
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${new Date(Number(seconds) * 1_000).toISOString().slice(0, 19)}${fraction}Z`;
}

/** A duration in nanoseconds. */
const durationText = ({ seconds, nanos }: Duration): string => String(seconds * 1_000_000_000n + BigInt(nanos));

function plainValue(value: unknown, rule: AminoFieldRule | undefined, types: AminoTypes): AminoValue {
  if (isReflectMessage(value)) return messageValue(value, types);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array)
    return rule === 'json' ? JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value)) : base64(value);
  if (typeof value === 'string') return rule === 'decimal' || rule === 'keptDecimal' ? decimalText(value) : value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  throw new Error('Amino JSON has no form for a map.');
}

function fieldValue(
  message: ReflectMessage,
  field: DescField,
  rule: AminoFieldRule | undefined,
  types: AminoTypes,
): AminoValue {
  const value: unknown = message.get(field);
  if (!isReflectList(value)) return plainValue(value, rule, types);
  // The chain distinguishes an empty list of coins from other empty lists.
  if (value.size === 0 && rule !== 'coins') return null;
  return [...value].map((each) => plainValue(each, rule, types));
}

function messageValue(reflected: ReflectMessage, types: AminoTypes): AminoValue {
  const { message, desc, fields } = reflected;
  if (isMessage(message, AnySchema)) return { ...aminoMessage(message, types) };
  if (isMessage(message, TimestampSchema)) return timeText(message);
  if (isMessage(message, DurationSchema)) return durationText(message);
  const rules = types.rules[desc.typeName]?.[1] ?? {};
  return Object.fromEntries(
    fields.flatMap((field): [string, AminoValue][] => {
      const rule = rules[field.name];
      const isKept = rule === 'kept' || rule === 'coins' || rule === 'keptDecimal';
      if (!isKept && !reflected.isSet(field)) return [];
      if (field.oneof !== undefined) throw new Error(`Amino JSON has no form for the field ${field.name} of ${desc.typeName}.`);
      return [[field.name, fieldValue(reflected, field, rule, types)]];
    }),
  );
}

/** The Amino JSON of an encoded message. Throws if it, or a message within it, has no descriptor or no form in Amino JSON. */
export function aminoMessage({ typeUrl, value }: Message, types: AminoTypes): AminoMessage {
  const name = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
  const schema = types.registry.getMessage(name);
  if (schema === undefined) throw new Error(`There is no descriptor of ${typeUrl}, so that a Ledger cannot sign it.`);
  return {
    type: types.rules[name]?.[0] || `/${name}`,
    value: messageValue(reflect(schema, fromBinary(schema, value)), types),
  };
}

/** What a document says of a transaction: its messages, and who pays what. */
interface AminoTransaction {
  readonly messages: readonly Message[];
  readonly memo: string;
  readonly timeoutHeight: bigint;
  readonly fee?:
    | { readonly amount: readonly Coin[]; readonly gasLimit: bigint; readonly payer: string; readonly granter: string }
    | undefined;
}

/** The document that a signer signs as Amino JSON for a transaction. Throws if a message has no form in Amino JSON. */
export function aminoDocument(
  { messages, memo, timeoutHeight, fee }: AminoTransaction,
  { chainId, accountNumber, sequence }: { readonly chainId: string; readonly accountNumber: bigint; readonly sequence: bigint },
  types: AminoTypes,
): AminoDocument {
  const { amount = [], gasLimit = 0n, payer = '', granter = '' } = fee ?? {};
  return {
    chain_id: chainId,
    account_number: String(accountNumber),
    sequence: String(sequence),
    ...(timeoutHeight > 0n && { timeout_height: String(timeoutHeight) }),
    fee: {
      amount: amount.map(({ denom, amount: digits }) => ({ denom, amount: digits })),
      gas: String(gasLimit),
      ...(payer !== '' && { payer }),
      ...(granter !== '' && { granter }),
    },
    memo,
    msgs: messages.map((message) => aminoMessage(message, types)),
  };
}

/** The bytes that a key signs for a document: JSON without spaces, with sorted names, and with the characters escaped that Go escapes. */
export function aminoBytes(document: AminoDocument): Uint8Array {
  const sorted = JSON.stringify(document, (_name, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
  const escaped = sorted.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return new TextEncoder().encode(escaped);
}
