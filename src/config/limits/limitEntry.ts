import type { ErrorCode } from '../errorCodes.ts';

/** The unit of a limit. The names are those of the enum `LimitUnit` in the schema. */
export type LimitUnit = 'COUNT' | 'BYTES' | 'MILLISECONDS' | 'PER_MINUTE';

/** One limit. */
export interface LimitEntry {
  /** The default. */
  readonly value: number;
  /** How the default is calculated, as docs/limits.md shows it. Only for a default that depends on the machine. */
  readonly shown?: string;
  readonly unit: LimitUnit;
  /** The code of the error over the limit; null if the response is a status or a closed connection. */
  readonly code: keyof typeof ErrorCode | null;
  /** What is limited, and what happens over the limit. */
  readonly description: string;
  /** The smallest valid value: 1 if absent. */
  readonly least?: number;
  /** The largest valid value: the longest timer of Node if absent. */
  readonly most?: number;
  /** The meaning of 0 if it is valid: "no limit" if absent. */
  readonly zero?: string;
  /** Why the limit cannot be set. Present only if it cannot: "part of the schema". */
  readonly fixed?: string;
  /** The name of a limit that this one must not exceed. */
  readonly atMost?: string;
}
