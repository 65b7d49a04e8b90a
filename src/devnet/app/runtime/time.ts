import { create } from '@bufbuild/protobuf';
import type { Duration, Timestamp } from '@bufbuild/protobuf/wkt';
import { DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt';

const second = 1_000_000_000n;

/** Nanoseconds in `count` seconds. */
export function seconds(count: number): bigint {
  return BigInt(Math.round(count * 1e3)) * 1_000_000n;
}

/** A moment (nanoseconds since 1970) as a protobuf timestamp. */
export function timestampOf(nanoseconds: bigint): Timestamp {
  const rest = ((nanoseconds % second) + second) % second;
  return create(TimestampSchema, { seconds: (nanoseconds - rest) / second, nanos: Number(rest) });
}

/** The moment of a protobuf timestamp in nanoseconds since 1970; 0 when absent. */
export function momentOf(timestamp: Timestamp | undefined): bigint {
  return timestamp === undefined ? 0n : timestamp.seconds * second + BigInt(timestamp.nanos);
}

/** Nanoseconds as a protobuf duration. */
export function durationOf(nanoseconds: bigint): Duration {
  return create(DurationSchema, { seconds: nanoseconds / second, nanos: Number(nanoseconds % second) });
}

/** The nanoseconds of a protobuf duration; 0 when absent. */
export function lengthOf(duration: Duration | undefined): bigint {
  return duration === undefined ? 0n : duration.seconds * second + BigInt(duration.nanos);
}

function parts(nanoseconds: bigint): { readonly date: string; readonly clock: string; readonly fraction: string } {
  const rest = ((nanoseconds % second) + second) % second;
  const iso = new Date(Number((nanoseconds - rest) / 1_000_000n)).toISOString();
  return { date: iso.slice(0, 10), clock: iso.slice(11, 19), fraction: rest.toString().padStart(9, '0') };
}

/** A moment as the chain writes it in keys: `2026-11-21T02:48:11.397155812`, always nine digits, so that its order is the time's. */
export function timeKey(nanoseconds: bigint): string {
  const { date, clock, fraction } = parts(nanoseconds);
  return `${date}T${clock}.${fraction}`;
}

/** A moment as Go prints it: `2026-11-21 02:48:11.397155812 +0000 UTC`, without trailing zeros. */
export function goTime(nanoseconds: bigint): string {
  const { date, clock, fraction } = parts(nanoseconds);
  const digits = fraction.replace(/0+$/, '');
  return `${date} ${clock}${digits === '' ? '' : `.${digits}`} +0000 UTC`;
}

/** A moment as the SDK prints that of a block: RFC 3339 without a fraction of a second. */
export function rfcTime(nanoseconds: bigint): string {
  const { date, clock } = parts(nanoseconds);
  return `${date}T${clock}Z`;
}
