import type { KnownPlace, UncertainPlace } from '../../archive/facts.ts';
import type { Nanoseconds } from '../../chain/base/time.ts';
import { type Pin, type Pinned, pinned } from '../../reads/pin.ts';

/** A place in the chain's history as the graph shows it. */
export interface PlaceOf {
  /** Null if it lies before the coverage. */
  readonly height: bigint | null;
  /** Null if it is not known either. */
  readonly time: Nanoseconds | null;
  /** Hash of the transaction in upper case hex; null if there is none, or it is not known. */
  readonly hash: string | null;
}

/** The place under a pin; null if there is none. */
export function placeOf(pin: Pin, at: UncertainPlace): Pinned<PlaceOf>;
export function placeOf(pin: Pin, at: UncertainPlace | null | undefined): Pinned<PlaceOf> | null;
export function placeOf(pin: Pin, at: UncertainPlace | null | undefined): Pinned<PlaceOf> | null {
  if (at === null || at === undefined) return null;
  return pinned(pin, { height: at.height, time: at.time, hash: at.height === null ? null : at.hash });
}

/** Compares two places by the order in which they happened. A place without a height lies before all others of its time. */
export function comparePlaces(one: KnownPlace, other: KnownPlace): number {
  if (one.time !== other.time) return one.time < other.time ? -1 : 1;
  return orderOf(one) - orderOf(other);
}

const orderOf = (at: KnownPlace): number => (at.height === null ? -1 : at.order);
