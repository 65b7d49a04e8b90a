/** Measures how fast blocks are filled in. */
export interface Progress {
  /** Counts one block. */
  count(): void;
  /** Blocks per second over the last ten seconds, or over the first second while it lasts. */
  rate(): number;
}

/** The time over which the rate is measured, in ms. */
const window = 10_000;

/** Makes a measurement of progress that begins now. */
export function createProgress(now: () => number = () => performance.now()): Progress {
  /** The number of blocks in each second. */
  let counts: { readonly second: number; blocks: number }[] = [];
  let begun = now();

  function recent(): typeof counts {
    const oldest = Math.floor((now() - window) / 1000);
    return counts.filter(({ second }) => second > oldest);
  }

  return {
    count() {
      counts = recent();
      if (counts.length === 0) begun = now();
      const second = Math.floor(now() / 1000);
      const last = counts.at(-1);
      if (last?.second === second) last.blocks += 1;
      else counts.push({ second, blocks: 1 });
    },
    rate() {
      const seconds = Math.min(Math.max(now() - begun, 1_000), window) / 1000;
      return recent().reduce((sum, count) => sum + count.blocks, 0) / seconds;
    },
  };
}
