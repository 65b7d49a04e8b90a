import type { Nanoseconds } from '../chain/base/time.ts';
import type { HeightPlace } from '../reads/pin.ts';

/** The internal types of the scalars: `Input` is what resolvers receive, `Output` what they return. */
export type Scalars = {
  /** Ids are text inside GraphQL; `idInput` parses them. */
  ID: { Input: string; Output: string };
  Int64: { Input: bigint; Output: bigint | HeightPlace };
  UInt64: { Input: bigint; Output: bigint };
  Decimal: { Input: string; Output: string };
  /** Nanoseconds since 1970, or the text of a node, unchanged. */
  DateTime: { Input: string; Output: Nanoseconds | string };
  Duration: { Input: string; Output: Nanoseconds };
  /** Upper case, without `0x`. */
  Hex: { Input: string; Output: string };
  /** Bytes, or the base64 text of a node. */
  Base64: { Input: Uint8Array; Output: Uint8Array | string };
  JSON: { Input: unknown; Output: unknown };
  /** A representation of an entity. */
  _Any: { Input: unknown; Output: unknown };
};
