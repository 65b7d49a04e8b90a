/**
 * A JSON value from a node. Nodes print 64-bit integers as strings (docs/chain.md, "JSON of the node RPC"), so numbers are
 * small.
 */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object from a node. An absent member is undefined. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** Whether arrays and objects are nested deeper than `levels`. Recursion is safe on a value that is not. */
export function isDeeperThan(levels: number, value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
