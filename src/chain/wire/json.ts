/** A JSON value as a node sends it. 64-bit integers are strings on that wire (chain.md 1.5), so numbers here are small. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object as a node sends it. A member that is absent reads as undefined. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** Whether JSON has more levels of arrays and objects within one another than `levels`. What has fewer can be walked by recursion. */
export function isDeeperThan(levels: number, value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
