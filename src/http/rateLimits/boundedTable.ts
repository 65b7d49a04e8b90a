/** Values by name, of which a bounded number is kept. */
export interface BoundedTable<T> {
  /** The value of this name. It is made when there is none, and is the shared one while the table is full of values that must stay. */
  of(name: string): T;
}

/** How many values are looked at for one that may be forgotten, when a new name finds the table full. */
const maxLooks = 32;

/**
 * Makes a table of at most `max` values. A value is forgotten only where `isIdle` says that it is as `make` would make it again, so that nobody gains by
 * being forgotten. While none that was looked at is idle, new names share one value.
 */
export function createBoundedTable<T>(options: {
  readonly max: number;
  readonly make: () => T;
  readonly isIdle: (value: T) => boolean;
}): BoundedTable<T> {
  const { max, make, isIdle } = options;
  const places = new Map<string, number>();
  const entries: { readonly name: string; readonly value: T }[] = [];
  const shared = make();
  let next = 0;

  /** A place whose value may be forgotten. Each search goes on where the last one stopped, so that no busy value is in the way for long. */
  function idlePlace(): number | undefined {
    for (let looks = 0; looks < Math.min(maxLooks, max); looks += 1) {
      const place = next;
      next = (next + 1) % max;
      const entry = entries[place];
      if (entry === undefined || !isIdle(entry.value)) continue;
      places.delete(entry.name);
      return place;
    }
    return undefined;
  }

  return {
    of(name) {
      const known = entries[places.get(name) ?? -1];
      if (known !== undefined) return known.value;
      const place = entries.length < max ? entries.length : idlePlace();
      if (place === undefined) return shared;
      const value = make();
      entries[place] = { name, value };
      places.set(name, place);
      return value;
    },
  };
}
