/** A key and its value. */
export type Row = readonly [key: Uint8Array, value: Uint8Array];

/** The part of a range that is needed. A reader may return more of the range than that. */
export interface RangeBounds {
  /** The rows whose key is at or after this one. */
  readonly from?: Uint8Array;
  /** So many rows from there, or all if there are fewer. */
  readonly most?: number;
}
