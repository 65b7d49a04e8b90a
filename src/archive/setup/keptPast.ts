import type { KeptPast } from '../../chain/past/keptPast.ts';
import { type Run, StoreRuns } from '../../chain/past/storeRuns.ts';
import type { Row, Sql } from '../database/database.ts';
import type { Recording } from '../recording/recording.ts';
import type { ArchiveReads } from '../store/archiveStore.ts';
import { aroundQuery, runIn, runsQuery, type StoreRun, timeIn, timeQuery } from '../store/past.ts';

/** Runs that one statement reads. */
const mostRuns = 500;

/** Runs that wait to be written, and how long, in ms. A run that grows with each block is so written once in a while, not with each block. */
const mostWaiting = 2_000;
const longestWait = 30_000;

/** How long a read waits until the hashes of the chain are compared, in ms. Then a node is asked. */
const longestCheck = 500;

/** What reads and writes take turns as. */
const caller = 'past of the stores';

interface KeptPastOptions {
  readonly store: Pick<ArchiveReads, 'read'>;
  readonly recording: Pick<Recording, 'status' | 'checking'>;
  /** Stores runs. They are dropped if it rejects: nodes still have what they say. */
  readonly write: (runs: readonly StoreRun[]) => Promise<void>;
}

/** The roots and times of past blocks in the archive. */
export type ArchivedPast = ReturnType<typeof createArchivedPast>;

/** Keeps the roots and times of past blocks in the archive. A failure of the database is none of the past: what cannot be read is as if it were not kept. */
export function createArchivedPast({ store, recording, write }: KeptPastOptions) {
  /** What is not written yet, by store. */
  let waiting = new Map<string, StoreRuns>();
  let timer: NodeJS.Timeout | undefined;

  /** Whether it is known that the archive is of the chain of the nodes. Waits for that for a moment when the server starts. */
  async function isUsable(): Promise<boolean> {
    await recording.checking(longestCheck);
    return recording.checking(0) === undefined && recording.status().state !== 'STOPPED';
  }

  async function read({ text, values }: Sql): Promise<readonly Row[]> {
    return (await isUsable()) ? store.read(text, values, undefined, caller).catch(() => []) : [];
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const runs = [...waiting].flatMap(([name, ofStore]) => ofStore.all().map((run) => ({ store: name, ...run })));
    waiting = new Map();
    if (runs.length > 0 && (await isUsable())) await write(runs).catch(() => undefined);
  }

  function size(): number {
    let total = 0;
    for (const runs of waiting.values()) total += runs.size;
    return total;
  }

  const past: KeptPast = {
    async runs(name, from, to) {
      const rows = await read(runsQuery(name, from, to, mostRuns));
      const runs = new StoreRuns();
      for (const run of rows.map(runIn)) if (run.last >= from) runs.add(run);
      const isWhole = rows.length < mostRuns && (await isUsable());
      for (const run of waiting.get(name)?.all() ?? []) if (isWhole && run.last >= from && run.first <= to) runs.add(run);
      const last = runs.all().at(-1)?.last;
      const through = last === undefined ? from - 1n : last < to ? last : to;
      return { runs: runs.all(), through };
    },
    keep(name: string, run: Run) {
      const runs = waiting.get(name) ?? new StoreRuns();
      runs.add(run);
      waiting.set(name, runs);
      if (size() >= mostWaiting) void flush();
      else timer ??= setTimeout(flush, longestWait).unref();
    },
    forget() {
      waiting.clear();
    },
    async timeOf(height) {
      const [row] = await read(timeQuery(height));
      return row && timeIn(row).time;
    },
    around: async (time) => (await read(aroundQuery(time))).map(timeIn),
  };

  return {
    ...past,
    /** Writes what waits. */
    flush,
  };
}
