import { isChainError } from '../../chain/base/errors.ts';
import { pause } from '../../chain/base/waiting.ts';
import type { ArchiveStore } from '../store/archiveStore.ts';
import { readEarlierLife, readUnsearched } from '../store/earlier.ts';
import type { Wait } from './deriveFacts.ts';
import type { RecordingSource } from './source.ts';

/** Options of {@link searchEarlier}. */
export interface EarlierSearchOptions {
  readonly store: Pick<ArchiveStore, 'read' | 'scan' | 'addEarlier'>;
  readonly source: Pick<RecordingSource, 'earlier'>;
  readonly wait: Wait;
  /** A line for the log. */
  readonly report: (line: string) => void;
}

/** Proposals that are looked for in one run. With the shortest pause, they take 17 minutes; the rest is for the next start. */
const mostProposals = 100_000;

/** Tries of a proposal whose search fails, in one run. */
const mostTries = 10;

/** The shortest pause after a search, in ms. A longer search has a pause of its own length, so nodes are used half of the time at most. */
const shortestPause = 10;

/**
 * Finds what blocks and events still show of the closes and executions before the ranges, where the state shows no time of them: one proposal after the
 * other, newest first. What was looked for is kept, so a run continues where an earlier one ended. It ends early if no node has an index of
 * transactions. Rejects with a failure of the database, or with the signal's reason.
 */
export async function searchEarlier({ store, source, wait, report }: EarlierSearchOptions, signal: AbortSignal): Promise<void> {
  const queue = (await readUnsearched(store.scan, mostProposals)).map((key) => ({ key, tries: 0 }));
  let [failures, found] = [0, 0];
  const searched = queue.length;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    signal.throwIfAborted();
    const { key, tries } = next;
    const begun = performance.now();
    const life = await readEarlierLife(store.read, key);
    try {
      const facts = life === null ? { close: null, executions: [] } : await source.earlier(life, signal);
      failures = 0;
      if (await store.addEarlier({ ...key, ...facts })) found += 1;
    } catch (error) {
      signal.throwIfAborted();
      if (isChainError(error, 'INDEX_UNAVAILABLE')) {
        report('no node has an index of transactions, so the closes of proposals before the recording stay unknown');
        return;
      }
      if (!isChainError(error)) throw error;
      if (tries + 1 < mostTries) queue.push({ key, tries: tries + 1 });
      await wait(++failures, signal);
    }
    await pause(Math.max(performance.now() - begun, shortestPause), signal);
  }
  if (found > 0) report(`found what came before the recording of ${found} of ${searched} proposals`);
}
