import { isDeepStrictEqual } from 'node:util';
import { ChainError, chainReset, isChainError } from '../../chain/base/errors.ts';
import { backoff, onAbort, pause } from '../../chain/base/time.ts';
import type { KeptPast } from '../../chain/past/keptPast.ts';
import { DatabaseError } from '../database/database.ts';
import type { ArchiveStore } from '../store/archiveStore.ts';
import { checkHash, RecordingRefused, storedHashes } from '../store/ranges.ts';
import { ArchiveMismatch } from '../store/schema.ts';
import { type BackfillView, createBackfill } from './backfill.ts';
import { searchEarlier } from './earlier.ts';
import { createProofKeeper } from './proofs.ts';
import { createRootKeeper } from './roots.ts';
import { type BlockName, createOpenSet, deriveFacts, disagreements, type RecordingSource, type Wait } from './source.ts';

/** Why nothing is recorded. STOPPED ones end with a restart of the server only. */
export type RecordingTrouble =
  /** The disk of the archive is full. */
  | 'ARCHIVE_FULL'
  /** The database cannot be reached or refuses to write. */
  | 'ARCHIVE_DATABASE'
  /** The facts of a block cannot be derived or stored because of an error of this server. */
  | 'ARCHIVE_FAILURE'
  /** The nodes serve another chain than the one that is recorded. */
  | 'ARCHIVE_OTHER_CHAIN'
  /** The archive was written by a newer server, or belongs to another chain. */
  | 'ARCHIVE_MISMATCH';

/**
 * What the recording does. STARTING: no node has responded, or the lock is not decided yet. STANDBY: another server writes. PAUSED: it tries again
 * after a while. STOPPED: it does not try again.
 */
export interface RecordingStatus {
  readonly state: 'STARTING' | 'STANDBY' | 'RECORDING' | 'PAUSED' | 'STOPPED';
  readonly trouble: RecordingTrouble | undefined;
  /** One line for the log; undefined without trouble. */
  readonly message: string | undefined;
  /** As {@link Recorder.absent}. Empty until a node has responded. */
  readonly absent: readonly string[];
}

/** What an error or a step changes of the status. */
type StatusChange = Omit<RecordingStatus, 'absent'>;

/** The status after an error. Undefined for an error of a node, which is no trouble of the archive. */
function statusAfter(error: unknown): StatusChange | undefined {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ArchiveMismatch) return { state: 'STOPPED', trouble: 'ARCHIVE_MISMATCH', message };
  if (isChainError(error, 'CHAIN_RESET')) return { state: 'STOPPED', trouble: 'ARCHIVE_OTHER_CHAIN', message };
  if (error instanceof RecordingRefused)
    return error.reason === 'CONTRADICTION' ? { state: 'STOPPED', trouble: 'ARCHIVE_OTHER_CHAIN', message } : undefined;
  if (error instanceof DatabaseError) {
    if (error.failure === 'FULL') return { state: 'PAUSED', trouble: 'ARCHIVE_FULL', message };
    return { state: 'PAUSED', trouble: error.failure === 'LOST' ? 'ARCHIVE_DATABASE' : 'ARCHIVE_FAILURE', message };
  }
  return isChainError(error) ? undefined : { state: 'PAUSED', trouble: 'ARCHIVE_FAILURE', message };
}

/** Options of {@link startRecording}. Times in milliseconds. */
export interface RecordingOptions {
  readonly store: ArchiveStore;
  readonly source: RecordingSource;
  /** Keeps the roots of a store; undefined to keep none. */
  readonly keepRoots?: KeptPast['keep'] | undefined;
  /** Fills in older blocks down to this height; undefined fills in only what was missed. */
  readonly from: bigint | undefined;
  readonly log: RecordingLog;
  /** First wait after a failure, doubled each time up to `longestBackoff`: 500 and 15,000. Half of each wait is random. */
  readonly backoff?: number;
  readonly longestBackoff?: number;
  /** If a range ends more blocks than this below the newest, a new range begins and the gap is backfilled: 500. */
  readonly catchUp?: bigint;
  /** The most blocks of one piece of the backfill: 2,000. */
  readonly chunk?: bigint;
}

export interface RecordingLog {
  /** The state, its trouble or what is absent has changed. */
  status(status: RecordingStatus): void;
  /** Progress of the backfill, in one line. */
  backfill(line: string): void;
  /** The tally that was computed from the recorded votes on a proposal differs from the chain's. */
  audit(proposalId: bigint): void;
}

export interface Recording {
  status(): RecordingStatus;
  /**
   * Resolves when it is known whether the records are of the chain of the nodes, or after `milliseconds`. Undefined once it is known, so that nothing has to
   * be awaited.
   */
  checking(milliseconds: number): Promise<void> | undefined;
  /** What is being filled in; null if nothing is. */
  backfill(): BackfillView | null;
  /** Blocks between the newest recorded one and the newest of the chain; 0 before a node has responded. */
  lag(): bigint;
  /** Ends the recording after the block that is being stored. Does not close the store. */
  stop(): Promise<void>;
}

/** The number of stored hashes that are compared with the nodes' when recording begins. */
const comparedHashes = 3n;

const quiet = { trouble: undefined, message: undefined };

/** Records every new block, and fills in older ones. It survives failures of nodes and of the database until it is stopped. */
export function startRecording(options: RecordingOptions): Recording {
  const {
    store,
    source,
    keepRoots,
    from,
    log,
    backoff: first = 500,
    longestBackoff: max = 15_000,
    catchUp = 500n,
    chunk = 2_000n,
  } = options;
  const controller = new AbortController();
  let status: RecordingStatus = { state: 'STARTING', ...quiet, absent: [] };
  let failures = 0;
  /** Whether the nodes no longer have the block after the newest range, so that a new one must be begun. */
  let isBroken = false;
  /** Resolved when the stored hashes were compared with the nodes', or another server has done that. */
  let checked = (): void => undefined;
  let checking: Promise<void> | undefined = new Promise((resolve) => {
    checked = () => {
      checking = undefined;
      resolve();
    };
  });

  function setStatus(next: StatusChange): void {
    const isNew = next.state !== status.state || next.trouble !== status.trouble;
    status = { ...next, absent: status.absent };
    if (next.state === 'STANDBY' || next.state === 'STOPPED') checked();
    if (isNew) log.status(status);
  }

  /** Learns which modules the chain does not have. Rejects with a node's error. */
  async function learnAbsent(signal: AbortSignal): Promise<void> {
    const absent = await source.absent(signal);
    if (isDeepStrictEqual(absent, status.absent)) return;
    status = { ...status, absent };
    if (status.state !== 'STARTING') log.status(status);
  }

  const waitAfter = backoff({ first, max, jitter: 0.5 });
  const wait: Wait = (count, signal) => pause(waitAfter(count), signal);

  const keeper = source.prove && createProofKeeper({ store, prove: source.prove, wait, report: log.backfill });
  const rootKeeper = keepRoots && createRootKeeper({ rootsAfter: source.rootsAfter, keep: keepRoots });
  const backfill = createBackfill({ store, source, from, chunk, wait, report: log.backfill, audit: log.audit });

  /** Compares stored hashes with those of the nodes. Throws a `RecordingRefused` if the nodes serve another chain. */
  async function checkChain(newest: BlockName, signal: AbortSignal): Promise<void> {
    for (const { height, hash } of await storedHashes({ run: store.read }, newest.height, comparedHashes)) {
      const nodeHash = await source.hashAt(height, signal).catch((error: unknown) => {
        // Nodes that have dropped the block cannot contradict it.
        if (isChainError(error, 'HEIGHT_PRUNED')) return hash;
        throw error;
      });
      checkHash({ height, hash }, nodeHash);
    }
  }

  /**
   * The height after which blocks are recorded: the end of the newest range, or the newest block, at which a range is begun. Throws
   * HEIGHT_NOT_YET_AVAILABLE while the nodes are below what is recorded: they are behind, or of another chain, which later heights show.
   */
  async function beginning(newest: BlockName, signal: AbortSignal): Promise<bigint> {
    const last = store.coverage().ranges.at(-1);
    if (last !== undefined && newest.height < last.to) {
      const message = `The nodes are at block ${newest.height}, below the recorded block ${last.to}.`;
      throw new ChainError('HEIGHT_NOT_YET_AVAILABLE', message, { height: last.to, latestHeight: newest.height });
    }
    if (last !== undefined && !isBroken && newest.height - last.to <= catchUp) return last.to;
    await store.begin(await source.start(newest.height, signal));
    isBroken = false;
    return newest.height;
  }

  async function follow(after: bigint, signal: AbortSignal): Promise<void> {
    const open = await createOpenSet(store.read, after, async () => undefined);
    setStatus({ state: 'RECORDING', ...quiet });
    for await (const block of source.blocks(after, signal)) {
      const { height, hash, previousHash, time, appHash, contents } = block;
      const facts = await deriveFacts(block, open.before(height), signal, wait);
      await store.record({ height, hash, previousHash, time, facts, contents });
      if (appHash !== undefined) rootKeeper?.note({ height: height - 1n, appHash });
      open.apply(facts);
      keeper?.note(facts);
      // An upgrade has added a module.
      if (facts.length > 0 && status.absent.length > 0) await learnAbsent(signal);
      for (const id of disagreements(facts)) log.audit(id);
      failures = 0;
    }
  }

  async function fillIn(signal: AbortSignal): Promise<void> {
    await backfill.run(signal);
    await searchEarlier({ store, source, wait, report: log.backfill }, signal);
    await keeper?.lookAgain();
  }

  async function attempt(signal: AbortSignal): Promise<void> {
    await learnAbsent(signal);
    await store.becomeWriter(signal, () => setStatus({ state: 'STANDBY', ...quiet }));
    const newest = await source.ready(signal);
    await checkChain(newest, signal);
    checked();
    const after = await beginning(newest, signal);
    // The recording may have been stopped meanwhile.
    signal.throwIfAborted();
    const both = new AbortController();
    const removeListener = onAbort(signal, () => both.abort(signal.reason));
    const following = follow(after, both.signal);
    const filling = fillIn(both.signal);
    const keeping = keeper?.run(both.signal) ?? following;
    const rooting = rootKeeper?.run(both.signal) ?? following;
    try {
      await Promise.race([following, filling.then(() => following), keeping, rooting]);
    } finally {
      removeListener();
      both.abort(new Error('the other part of the recording failed'));
      await Promise.allSettled([following, filling, keeping, rooting]);
    }
  }

  async function run(): Promise<void> {
    const { signal } = controller;
    while (!signal.aborted) {
      try {
        await attempt(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isChainError(error, 'HEIGHT_PRUNED')) isBroken = true;
        const next = statusAfter(error);
        if (next !== undefined) setStatus(next);
        if (next?.state === 'STOPPED') return;
      }
      failures += 1;
      await wait(failures, signal).catch(() => undefined);
    }
  }

  const stopResets = source.onReset(() => {
    const next = statusAfter(chainReset(source.newest()?.height ?? 0n));
    if (next !== undefined && status.state !== 'STOPPED') setStatus(next);
    controller.abort(new Error('the chain was reset'));
  });
  const stopUpgrades = source.onUpgrade(() => void learnAbsent(controller.signal).catch(() => undefined));
  const running = run();

  return {
    status: () => status,
    checking(milliseconds) {
      if (checking === undefined) return undefined;
      const over = new AbortController();
      const passed = pause(milliseconds, over.signal).catch(() => undefined);
      return Promise.race([checking, passed]).finally(() => over.abort());
    },
    backfill: backfill.view,
    lag() {
      const newest = source.newest();
      const last = store.coverage().ranges.at(-1);
      if (newest === undefined || last === undefined) return 0n;
      return newest.height > last.to ? newest.height - last.to : 0n;
    },
    async stop() {
      stopResets();
      stopUpgrades();
      controller.abort(new Error('the recording was stopped'));
      await running;
    },
  };
}
