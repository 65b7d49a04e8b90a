/** How far the events of a subscription have come. */
export interface Place {
  /** The height to resume after; undefined if no event has arrived and no start was given. */
  after(): bigint | undefined;
  /** Notes an event by its `extensions`. Returns whether it is new. */
  accept(extensions: Readonly<Record<string, unknown>> | undefined): boolean;
  /** Notes that the server has sent every event up to a height. */
  reached(height: bigint): void;
  /** Whether the last event was the last one of its block. */
  isWhole(): boolean;
  /** Whether an event above this height has arrived. */
  isAbove(height: bigint): boolean;
}

/** Creates the place of a subscription that begins after a height. */
export function createPlace(start: bigint | undefined): Place {
  /** Every event up to this height has arrived. */
  let done = start;
  /** The next block, if some of its events have arrived, and how many. */
  let part: { readonly height: bigint; readonly count: number } | undefined;

  return {
    after: () => (part === undefined ? done : part.height - 1n),
    accept(extensions) {
      const { height: text, index, count } = extensions ?? {};
      // Events of no block are not resumed.
      if (typeof text !== 'string' || typeof index !== 'number' || typeof count !== 'number') return true;
      const height = BigInt(text);
      if (done !== undefined && height <= done) return false;
      if (part?.height === height && index < part.count) return false;
      if (index + 1 < count) part = { height, count: index + 1 };
      else [done, part] = [height, undefined];
      return true;
    },
    reached(height) {
      if (done !== undefined && height <= done) return;
      done = height;
      if (part !== undefined && part.height <= height) part = undefined;
    },
    isWhole: () => part === undefined,
    isAbove: (height) => (part?.height ?? done ?? 0n) > height,
  };
}
