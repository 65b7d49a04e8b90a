export interface TableEntry<T> {
  readonly value: T;
  /** Whether the table still returns this value for its name. If not, look it up again. */
  readonly isCurrent: boolean;
}

export interface BoundedTable<T> {
  /**
   * Returns the value of a name. Creates it if absent. Returns the shared value while the table is full of values that are in
   * use.
   */
  of(name: string): T;
  /** Returns the same with a mark that shows when the value is evicted. The shared value is never current. */
  entry(name: string): TableEntry<T>;
}

/** Number of values checked for an idle one, when a new name finds the table full. */
const maxChecks = 32;

/**
 * Creates a table of at most `max` values. A value is evicted only if `isIdle` returns that it equals a new one from `make`, so
 * that no caller gains from an eviction. If no checked value is idle, new names share one value.
 */
export function createBoundedTable<T>(options: {
  readonly max: number;
  readonly make: (name: string) => T;
  readonly isIdle: (value: T) => boolean;
}): BoundedTable<T> {
  const { max, make, isIdle } = options;
  const places = new Map<string, number>();
  const entries: { readonly name: string; readonly value: T; isCurrent: boolean }[] = [];
  const shared = { value: make(''), isCurrent: false };
  let next = 0;

  /**
   * Frees the place of an idle value. Each search continues where the last one stopped, so that values in use do not block it.
   */
  function idlePlace(): number | undefined {
    for (let checks = 0; checks < Math.min(maxChecks, max); checks += 1) {
      const place = next;
      next = (next + 1) % max;
      const entry = entries[place];
      if (entry === undefined || !isIdle(entry.value)) continue;
      places.delete(entry.name);
      entry.isCurrent = false;
      return place;
    }
    return undefined;
  }

  function entry(name: string): TableEntry<T> {
    const existing = entries[places.get(name) ?? -1];
    if (existing !== undefined) return existing;
    const place = entries.length < max ? entries.length : idlePlace();
    if (place === undefined) return shared;
    const created = { name, value: make(name), isCurrent: true };
    entries[place] = created;
    places.set(name, place);
    return created;
  }

  return { of: (name) => entry(name).value, entry };
}
