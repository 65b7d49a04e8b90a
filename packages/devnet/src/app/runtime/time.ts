import { create } from '@bufbuild/protobuf';
import { type Duration, DurationSchema, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';

const second = 1_000_000_000n;

/** Converts seconds to nanoseconds. */
export function seconds(count: number): bigint {
  return BigInt(Math.round(count * 1e3)) * 1_000_000n;
}

/** Converts nanoseconds since 1970 to a protobuf timestamp. */
export function timestampOf(nanoseconds: bigint): Timestamp {
  const rest = ((nanoseconds % second) + second) % second;
  return create(TimestampSchema, { seconds: (nanoseconds - rest) / second, nanos: Number(rest) });
}

/** Converts a protobuf timestamp to nanoseconds since 1970. 0 if absent. */
export function momentOf(timestamp: Timestamp | undefined): bigint {
  return timestamp === undefined ? 0n : timestamp.seconds * second + BigInt(timestamp.nanos);
}

/** Converts nanoseconds to a protobuf duration. */
export function durationOf(nanoseconds: bigint): Duration {
  return create(DurationSchema, { seconds: nanoseconds / second, nanos: Number(nanoseconds % second) });
}

/** Converts a protobuf duration to nanoseconds. 0 if absent. */
export function lengthOf(duration: Duration | undefined): bigint {
  return duration === undefined ? 0n : duration.seconds * second + BigInt(duration.nanos);
}

function parts(nanoseconds: bigint): { readonly date: string; readonly clock: string; readonly fraction: string } {
  const rest = ((nanoseconds % second) + second) % second;
  const iso = new Date(Number((nanoseconds - rest) / 1_000_000n)).toISOString();
  return { date: iso.slice(0, 10), clock: iso.slice(11, 19), fraction: rest.toString().padStart(9, '0') };
}

/**
 * Formats a time for keys of the store: `2026-11-21T02:48:11.397155812`, always with nine decimals, so that text order is time
 * order.
 */
export function timeKey(nanoseconds: bigint): string {
  const { date, clock, fraction } = parts(nanoseconds);
  return `${date}T${clock}.${fraction}`;
}

/** Formats a time as Go does: `2026-11-21 02:48:11.397155812 +0000 UTC`, without trailing zeros. */
export function goTime(nanoseconds: bigint): string {
  const { date, clock, fraction } = parts(nanoseconds);
  const digits = fraction.replace(/0+$/, '');
  return `${date} ${clock}${digits === '' ? '' : `.${digits}`} +0000 UTC`;
}

/** Formats a time as the SDK does for blocks: RFC 3339 without decimals. */
export function rfcTime(nanoseconds: bigint): string {
  const { date, clock } = parts(nanoseconds);
  return `${date}T${clock}Z`;
}
