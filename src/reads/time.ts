/** Time or length of time in nanoseconds; as a time, since 1970. Signed, of any size. */
export type Nanoseconds = bigint;

const billion = 1_000_000_000n;

/** A time or length of time of our own clocks, in milliseconds and parts of them. */
export function fromMilliseconds(milliseconds: number): Nanoseconds {
  // Unix times in nanoseconds are more than a number holds exactly.
  const whole = Math.floor(milliseconds);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * 1e6));
}

/** The protobuf pair of seconds and nanoseconds (`Timestamp`, `Duration`). An absent one is 0, which is what the chain reads it as. */
export function fromSecondsAndNanos(value: { readonly seconds: bigint; readonly nanos: number } | undefined): Nanoseconds {
  return value === undefined ? 0n : value.seconds * billion + BigInt(value.nanos);
}

/** A time as protobuf JSON prints it: UTC, with 0, 3, 6 or 9 decimals. */
export function timeText(time: Nanoseconds): string {
  const nanos = ((time % billion) + billion) % billion;
  const seconds = (time - nanos) / billion;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  if (nanos === 0n) return `${whole}Z`;
  const decimals = nanos.toString().padStart(9, '0');
  const kept = decimals.endsWith('000000') ? 3 : decimals.endsWith('000') ? 6 : 9;
  return `${whole}.${decimals.slice(0, kept)}Z`;
}

/** A length of time in seconds with its unit: "20s", "0.5s", "-1.25s". Nanoseconds are kept, trailing zeros are not. */
export function durationText(duration: Nanoseconds): string {
  const sign = duration < 0n ? '-' : '';
  const size = duration < 0n ? -duration : duration;
  const decimals = (size % billion).toString().padStart(9, '0').replace(/0+$/, '');
  return `${sign}${size / billion}${decimals === '' ? '' : `.${decimals}`}s`;
}

/** Reads RFC 3339 text in UTC with up to nine decimals, as the node prints times. Throws a RangeError for other text. */
export function parseTime(text: string): Nanoseconds {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text);
  const milliseconds = match === null ? Number.NaN : Date.parse(`${match[1]}Z`);
  if (Number.isNaN(milliseconds)) throw new RangeError(`not a time in UTC: ${text.slice(0, 40)}`);
  return BigInt(milliseconds) * 1_000_000n + BigInt((match?.[2] ?? '').padEnd(9, '0'));
}
