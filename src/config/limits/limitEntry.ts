import type { ErrorCode } from '../errorCodes.ts';

/** What the value of a limit counts; the names are those of the contract. */
export type LimitUnit = 'COUNT' | 'BYTES' | 'MILLISECONDS' | 'PER_MINUTE';

/** One limit: its usual value, and what it is for. */
export interface LimitEntry {
  readonly value: number;
  /** How the usual value is found, in words, where it is computed at the start. */
  readonly shown?: string;
  readonly unit: LimitUnit;
  /** Code of the error that passing it gives; null where the answer is a status or a closed socket. */
  readonly code: keyof typeof ErrorCode | null;
  /** What is counted and what happens over it. */
  readonly description: string;
  /** The least that it can be set to: 1 if absent. */
  readonly least?: number;
  /** The most that it can be set to: the longest time that a timer takes if absent. */
  readonly most?: number;
  /** What 0 is, where it can be set to that: "no limit" if absent. */
  readonly zero?: string;
  /** Why it cannot be set, where it cannot: "is part of the schema". */
  readonly fixed?: string;
  /** Name of the limit that it must not be above. */
  readonly atMost?: string;
}
