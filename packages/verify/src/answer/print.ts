import { toBase64 } from '../bytes.ts';
import { bech32Parts } from '../plans/bech32.ts';
import { decimalOf, printed } from '../plans/rules/decimal.ts';
import { percent } from '../plans/rules/outcome.ts';
import type { Message } from '../plans/wire.ts';
import { accountOf, type Rule, type Rules, source } from './rules.ts';

// How stored values are printed in answers.

const billion = 1_000_000_000n;

/** Prints decimal text without an exponent or trailing zeros. Other text is printed as it is. */
export function decimalText(text: string): string {
  if (!/^\+?(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)$/i.test(text)) return text;
  const whole = printed(decimalOf(text));
  const short = whole.includes('.') ? whole.replace(/\.?0+$/, '') : whole;
  return short.replace(/^(-?)0+(?=\d)/, '$1').replace(/^-0$/, '0');
}

/** The nanoseconds of a `Timestamp` or a `Duration`. */
export const nanoseconds = (message: Message): bigint =>
  BigInt.asIntN(64, message.uint(1)) * billion + BigInt.asIntN(32, message.uint(2));

/** Prints a time as protobuf JSON does: UTC, with 0, 3, 6 or 9 decimals. */
export function timeText(time: bigint): string {
  const nanos = ((time % billion) + billion) % billion;
  const whole = new Date(Number((time - nanos) / 1_000_000n)).toISOString().slice(0, -5);
  const decimals = String(nanos)
    .padStart(9, '0')
    .replace(/(000){1,3}$/, '');
  return `${whole}${decimals === '' ? '' : `.${decimals}`}Z`;
}

/** Prints a duration in seconds with its unit. */
export function durationText(duration: bigint): string {
  const size = duration < 0n ? -duration : duration;
  const decimals = String(size % billion)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${duration < 0n ? '-' : ''}${size / billion}${decimals === '' ? '' : `.${decimals}`}s`;
}

/** The field of a message at numbers, of which all but the last are messages. */
function within(message: Message, numbers: readonly number[]): readonly [message: Message, field: number] {
  let inner = message;
  for (const number of numbers.slice(0, -1)) inner = inner.message(number);
  return [inner, numbers.at(-1) ?? 0];
}

/** A rule that prints one field of the message of its object. */
const printedBy =
  <T extends string | number | boolean | null>(print: (message: Message, field: number) => T) =>
  (...numbers: readonly number[]): Rule => ({ value: ({ on }) => print(...within(on.message, numbers)) });

export const text = printedBy((message, field) => message.text(field));
export const uint = printedBy((message, field) => String(message.uint(field)));
export const int = printedBy((message, field) => Number(BigInt.asIntN(32, message.uint(field))));
export const flag = printedBy((message, field) => message.flag(field));
export const decimal = printedBy((message, field) => decimalText(message.text(field) || '0'));
export const time = printedBy((message, field) => timeText(nanoseconds(message.message(field))));
export const optionalTime = printedBy((message, field) =>
  message.has(field) ? timeText(nanoseconds(message.message(field))) : null,
);
export const duration = printedBy((message, field) => durationText(nanoseconds(message.message(field))));
export const base64 = printedBy((message, field) => toBase64(message.bytes(field)));

/** Prints the name of a number, which is one of `names`, with a common start. */
export const nameOf = (start: string, names: string, number: bigint): string => {
  const name = number < 1000n ? names.split(' ')[Number(number)] : undefined;
  return name === undefined || name === '-' ? 'UNRECOGNIZED' : start + name;
};
export const name = (field: number, start: string, names: string): Rule => ({
  value: ({ on }) => nameOf(start, names, on.message.uint(field)),
});

/** A list of texts. */
export const texts = (field: number): Rule => ({ value: ({ on }) => allTexts(on.message, field) });

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** All texts of a repeated field. */
export const allTexts = (message: Message, field: number): readonly string[] =>
  message.all(field).map((bytes) => decoder.decode(bytes));

/** The account of an address. */
export const account = (...numbers: readonly number[]): Rule => ({
  types: ['Account'],
  value({ on }) {
    const [message, field] = within(on.message, numbers);
    return accountOf(message.text(field));
  },
});
export const optionalAccount = (field: number): Rule => ({
  types: ['Account'],
  value: ({ on }) => (on.message.text(field) === '' ? null : accountOf(on.message.text(field))),
});
export const accounts = (field: number): Rule => ({
  types: ['Account'],
  value: ({ on }) => allTexts(on.message, field).map(accountOf),
});

/** The object of a nested message. */
export const nested = (type: string, ...numbers: readonly number[]): Rule => ({
  types: [type],
  value({ on }) {
    const [message, field] = within(on.message, numbers);
    return source(type, message.message(field));
  },
});

/** The bytes of an address of a stored row, by which lists are sorted. */
export const addressKey = (address: string): Uint8Array => bech32Parts(address)?.bytes ?? new Uint8Array();

/** A number as a percentage of another, cut after 18 decimals; null if that is 0. */
export const percentText = (part: string, whole: string): string | null => percent(decimalOf(part), decimalOf(whole));

/** The fields of a message of any type. */
export const anyRules: Rules = { type: text(1), value: base64(2) };
