/** A duration in nanoseconds, or a time in nanoseconds since 1970. Signed, of any size. */
export type Nanoseconds = bigint;

const billion = 1_000_000_000n;

/** Converts milliseconds, which may have a fraction, to nanoseconds. */
export function fromMilliseconds(milliseconds: number): Nanoseconds {
  // A number cannot hold a Unix time in nanoseconds exactly.
  const whole = Math.floor(milliseconds);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * 1e6));
}

/** Converts a protobuf `Timestamp` or `Duration` to nanoseconds. An absent one is 0, as the chain reads it. */
export function fromSecondsAndNanos(value: { readonly seconds: bigint; readonly nanos: number } | undefined): Nanoseconds {
  return value === undefined ? 0n : value.seconds * billion + BigInt(value.nanos);
}

const secondsPerDay = 86_400;

/** The number of days whose text is kept. */
const keptDays = 400;

const days = new Map<number, string>();

/** The date of a day, counted from 1970. Most times of an answer are of a few days. */
function dayText(day: number): string {
  const cached = days.get(day);
  if (cached !== undefined) return cached;
  const iso = new Date(day * secondsPerDay * 1000).toISOString();
  const text = iso.slice(0, iso.indexOf('T'));
  if (days.size >= keptDays) days.clear();
  days.set(day, text);
  return text;
}

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : String(value));

/** A time in seconds since 1970 without its zone. */
function secondsText(seconds: number): string {
  const day = Math.floor(seconds / secondsPerDay);
  const rest = seconds - day * secondsPerDay;
  const [hours, minutes] = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60];
  return `${dayText(day)}T${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(rest % 60)}`;
}

/** Prints a time as protobuf JSON does: UTC, with 0, 3, 6 or 9 decimals. */
export function timeText(time: Nanoseconds): string {
  const nanos = ((time % billion) + billion) % billion;
  const seconds = (time - nanos) / billion;
  const whole = secondsText(Number(seconds));
  if (nanos === 0n) return `${whole}Z`;
  const decimals = nanos.toString().padStart(9, '0');
  const decimalPlaces = decimals.endsWith('000000') ? 3 : decimals.endsWith('000') ? 6 : 9;
  return `${whole}.${decimals.slice(0, decimalPlaces)}Z`;
}

/** Prints a duration in seconds with its unit: "20s", "0.5s", "-1.25s". Keeps nanoseconds, without trailing zeros. */
export function durationText(duration: Nanoseconds): string {
  const sign = duration < 0n ? '-' : '';
  const size = duration < 0n ? -duration : duration;
  const decimals = (size % billion).toString().padStart(9, '0').replace(/0+$/, '');
  return `${sign}${size / billion}${decimals === '' ? '' : `.${decimals}`}s`;
}

/** Parses RFC 3339 text in UTC with up to nine decimals, as a node prints times. Throws a RangeError for any other text. */
export function parseTime(text: string): Nanoseconds {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text);
  const milliseconds = match === null ? Number.NaN : Date.parse(`${match[1]}Z`);
  if (Number.isNaN(milliseconds)) throw new RangeError(`not a time in UTC: ${text.slice(0, 40)}`);
  return BigInt(milliseconds) * 1_000_000n + BigInt((match?.[2] ?? '').padEnd(9, '0'));
}
