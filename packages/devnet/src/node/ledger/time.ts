/** Formats a time in nanoseconds since 1970 as a node does: RFC 3339 in UTC, with up to 9 decimals and no trailing zeros. */
export function formatTime(nanoseconds: bigint): string {
  const nanos = ((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = new Date(Number((nanoseconds - nanos) / 1_000_000n)).toISOString().slice(0, 19);
  const fraction = nanos.toString().padStart(9, '0').replace(/0+$/, '');
  return `${seconds}${fraction && `.${fraction}`}Z`;
}

/** Parses a time in RFC 3339 in UTC to nanoseconds since 1970. Throws a RangeError if it is invalid. */
export function parseTime(text: string): bigint {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text);
  if (match === null) throw new RangeError(`invalid time in UTC: ${text}`);
  return BigInt(Date.parse(`${match[1]}Z`)) * 1_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
}

/** Creates a clock in nanoseconds since 1970 that strictly increases. */
export function createClock(): () => bigint {
  const offset = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();
  let last = 0n;
  return () => {
    const now = offset + process.hrtime.bigint();
    last = now > last ? now : last + 1n;
    return last;
  };
}
