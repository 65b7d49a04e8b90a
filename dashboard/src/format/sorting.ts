/** What a row is sorted by: a text, or a number of any size. null and undefined come last. */
export type SortKey = string | number | bigint | null | undefined;

/** The column that rows are sorted by, and whether it descends. */
export interface Order {
  readonly name: string;
  readonly isDescending: boolean;
}

const isDecimal = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

/** Compares two numbers as decimal text: the whole parts exactly, then the fractions. */
function compareDecimals(one: string, other: string): number {
  const [whole, otherWhole] = [BigInt(one.split('.')[0] ?? '0'), BigInt(other.split('.')[0] ?? '0')];
  return whole === otherWhole ? Number(one) - Number(other) : whole < otherWhole ? -1 : 1;
}

/** Compares two keys. Those without a value come last in both directions. */
function compareKeys(one: SortKey, other: SortKey, isDescending: boolean): number {
  if (one == null || other == null) return Number(one == null) - Number(other == null);
  const [text, otherText] = [String(one), String(other)];
  const order =
    isDecimal(text) && isDecimal(otherText)
      ? compareDecimals(text, otherText)
      : text.localeCompare(otherText, undefined, { numeric: true });
  return isDescending ? -order : order;
}

/** Sorts rows by a key. Rows with equal keys keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => SortKey,
  { isDescending }: Pick<Order, 'isDescending'>,
): readonly Row[] {
  return rows.toSorted((one, other) => compareKeys(keyOf(one), keyOf(other), isDescending));
}
