import { ChainError, isChainError } from '../base/errors.ts';
import type { Nanoseconds } from '../base/time.ts';
import { createInFlight } from '../memory/inFlight.ts';
import type { KeptPast } from '../past/keptPast.ts';
import { absentRoot, type Root, type Run, StoreRuns, showsSmallTree } from '../past/storeRuns.ts';
import { decodeAbciReply } from '../rpc/rpcErrors.ts';
import type { Transport } from '../transports/transport.ts';
import { decodeHeader, type HeadBlock } from '../wire/block.ts';
import { asObject, bytesAt, type JsonValue, malformed, objectAt } from '../wire/json.ts';
import { decodeApplication } from './methodTables.ts';
import { absentKey, decodeSimpleProof, simpleType } from './storeRoots.ts';

/** What a search of changes may read. */
export interface RootReads {
  readonly signal?: AbortSignal | undefined;
  /** Called before each proof is requested. Throws if no more may be requested. */
  readonly onRead?: (() => void) | undefined;
}

/** What stands for the proof of a store that the chain does not have. */
const absentStore = { root: absentRoot, isSmall: false, appHash: '' };

/** Heights that are read at once where each has to be read. */
const together = 10n;

/** Runs that are kept, about 200 bytes each. Beyond that, those of the store that was used first are dropped. */
const maxRuns = 50_000;

/** No state has a proof at height 1 (docs/chain.md, "Proofs"). */
const firstProvenHeight = 2n;

/** Application hashes that are kept. */
const maxHashes = 2_000;

/** Times of blocks that are kept. */
const maxTimes = 5_000;

function putAtMost<V>(map: Map<bigint, V>, most: number, height: bigint, value: V): void {
  map.set(height, value);
  for (const old of map.keys()) {
    if (map.size <= most) break;
    map.delete(old);
  }
}

/** The roots of stores at any height, and the heights at which they changed. */
export type PastRoots = ReturnType<typeof createPastRoots>;

/**
 * Creates the reader of the roots at past heights: from memory, from what is kept, or from a node, proven against the header of the next block. Roots never
 * change, so they stay in memory until {@link clear}.
 */
export function createPastRoots({
  transport,
  newest,
  learnt = () => undefined,
  kept = () => undefined,
}: {
  readonly transport: Transport;
  /** The newest block. */
  readonly newest: () => HeadBlock | undefined;
  /** The root of a store at a height, if it was learnt with its block. */
  readonly learnt?: ((height: bigint, store: string) => Root | undefined) | undefined;
  readonly kept?: (() => KeptPast | undefined) | undefined;
}) {
  const stores = new Map<string, StoreRuns>();
  /** The heights of each store whose kept runs are in memory. */
  const loaded = new Map<string, StoreRuns>();
  const hashes = new Map<bigint, string>();
  const times = new Map<bigint, Nanoseconds>();
  const inFlight = createInFlight<Root | undefined>();
  const hashesInFlight = createInFlight<string>();
  let generation = 0;
  let requests = 0;

  function runsOf(store: string): StoreRuns {
    const runs = stores.get(store) ?? new StoreRuns();
    stores.set(store, runs);
    return runs;
  }

  function keep(store: string, run: Run): void {
    runsOf(store).add(run);
    let size = 0;
    for (const runs of stores.values()) size += runs.size;
    for (const name of stores.keys()) {
      if (size <= maxRuns || name === store) break;
      size -= stores.get(name)?.size ?? 0;
      stores.delete(name);
      loaded.delete(name);
    }
  }

  /** Brings the kept runs of a store into memory, from a height on. */
  async function load(store: string, from: bigint, to: bigint): Promise<void> {
    const past = kept();
    const heights = loaded.get(store) ?? new StoreRuns();
    if (past === undefined || heights.at(from) !== undefined) return;
    const started = generation;
    const { runs, through } = await past.runs(store, from, to);
    if (started !== generation) return;
    for (const run of runs) keep(store, run);
    if (through < from) return;
    // Neighbours become one, as those of a small tree do.
    heights.add({ first: from, last: through, root: '', isSmall: true });
    loaded.set(store, heights);
  }

  /** The app hash after a block, in lower case hex: from the next header, or from what the application says of the newest block. */
  function appHashAfter(height: bigint, signal: AbortSignal | undefined): Promise<string> {
    const knownHash = hashes.get(height);
    if (knownHash !== undefined) return Promise.resolve(knownHash);
    return hashesInFlight.join(height.toString(), signal, async (joinedSignal) => {
      const head = newest();
      if (head === undefined || height < head.height) {
        const next = height + 1n;
        const decode = (json: JsonValue): string => {
          const header = decodeHeader(objectAt(asObject(json, 'header'), 'header'));
          if (header.height !== next) throw malformed(`header ${header.height} instead of ${next}`);
          return header.appHash.toLowerCase();
        };
        const hash = await transport.call(
          'header',
          { height: next.toString() },
          { height: next, signal: joinedSignal, decode },
        );
        putAtMost(hashes, maxHashes, height, hash);
        return hash;
      }
      const hash =
        head.height === height && head.block !== undefined
          ? bytesAt(objectAt(head.block, 'result_finalize_block'), 'app_hash')
          : undefined;
      if (hash !== undefined && hash !== null) return Buffer.from(hash).toString('hex');
      const running = await transport.call('abci_info', {}, { signal: joinedSignal, decode: decodeApplication });
      if (running.height === height) return running.appHash.toLowerCase();
      throw new ChainError('HEIGHT_NOT_YET_AVAILABLE', `No node has a header after block ${height} yet.`, {
        height: height + 1n,
        latestHeight: height,
      });
    });
  }

  /** Reads a root; undefined if no node can prove it. Rejects with HEIGHT_PRUNED and NODE_…. */
  function read(store: string, height: bigint, { signal, onRead }: RootReads): Promise<Root | undefined> {
    return inFlight.join(`${store} ${height}`, signal, async (joinedSignal) => {
      onRead?.();
      requests += 1;
      const started = generation;
      const hash = appHashAfter(height, joinedSignal);
      const params = { path: `/store/${store}/key`, data: absentKey, height: height.toString(), prove: true };
      const decode = (result: JsonValue) => {
        const { proofOps } = decodeAbciReply(result, height);
        const simple = proofOps.find(({ type }) => type === simpleType)?.data;
        return simple && { ...decodeSimpleProof(simple, store), isSmall: showsSmallTree(proofOps) };
      };
      const [proof, appHash] = await Promise.all([
        transport.call('abci_query', params, { height, signal: joinedSignal, decode }).catch((error: unknown) => {
          if (!isChainError(error, 'ABCI_QUERY_FAILED')) throw error;
          return error.facts.log.includes('no such store') ? absentStore : undefined;
        }),
        hash,
      ]);
      if (proof === undefined) return undefined;
      const { root, isSmall } = proof;
      if (proof !== absentStore && proof.appHash !== appHash)
        throw malformed(`the proof of store ${store} does not lead to the app hash after block ${height}`);
      if (started === generation) {
        keep(store, { first: height, last: height, root, isSmall });
        const run = stores.get(store)?.at(height);
        // The next header has confirmed the hash of every block but the newest. That a store is absent is not proven.
        const isConfirmed = run !== undefined && run.last < (newest()?.height ?? 0n) && root !== absentRoot;
        if (isConfirmed) kept()?.keep(store, run);
      }
      return { root, isSmall };
    });
  }

  /** The run that contains a height; undefined if its root cannot be proven. `to` is the height up to which further ones are needed. */
  async function runAt(store: string, height: bigint, reads: RootReads, to = height): Promise<Run | undefined> {
    const knownRun = stores.get(store)?.at(height);
    if (knownRun !== undefined || height < firstProvenHeight) return knownRun;
    const newRoot = learnt(height, store);
    if (newRoot === undefined) await load(store, height, to);
    else keep(store, { ...newRoot, first: height, last: height });
    const loadedRun = stores.get(store)?.at(height);
    if (loadedRun !== undefined) return loadedRun;
    const root = await read(store, height, reads);
    return stores.get(store)?.at(height) ?? (root && { ...root, first: height, last: height });
  }

  /** The first height after `after`, up to `to`, at which a store has another root than at the height before, or may have one. */
  async function nextOf(store: string, after: bigint, to: bigint, reads: RootReads): Promise<bigint | undefined> {
    for (;;) {
      reads.signal?.throwIfAborted();
      const run = await runAt(store, after, reads, to);
      if (run === undefined) return after + 1n;
      if (run.last >= to) return undefined;
      const low = run.last;
      await load(store, low + 1n, to);
      if (run.isSmall) {
        const heights: bigint[] = [];
        for (let height = low + 1n; height <= to && height <= low + together; height += 1n) heights.push(height);
        const runs = await Promise.all(heights.map((height) => runAt(store, height, reads, to)));
        const changed = runs.findIndex((each) => each === undefined || each.root !== run.root);
        if (changed >= 0) return heights[changed];
        const end = heights.at(-1);
        if (end === undefined || end >= to) return undefined;
        after = end;
        continue;
      }
      const later = runsOf(store).after(low);
      const high = later === undefined || later.first > to ? to : later.first;
      const isRead = later !== undefined && later.first <= to;
      if (isRead && high === low + 1n) return high;
      // The end is read first: if it has the same root, nothing has changed in between.
      const probe = isRead ? (low + high) / 2n : to;
      const probed = await runAt(store, probe, reads);
      if (probed === undefined) return low + 1n;
      after = low;
    }
  }

  return {
    /**
     * The first height after `after`, up to `to`, at which one of the stores has changed. Undefined if none has. A store whose root cannot be proven
     * may have changed at every height. Reads about log2(n) proofs of each store that has changed among n heights, and one of each other store.
     * Rejects with HEIGHT_PRUNED and NODE_…, and with what `onRead` throws.
     */
    async nextChange(names: readonly string[], after: bigint, to: bigint, reads: RootReads = {}): Promise<bigint | undefined> {
      let nearest: bigint | undefined;
      for (const name of names) {
        const next = await nextOf(name, after, nearest === undefined ? to : nearest - 1n, reads);
        if (next !== undefined) nearest = next;
        if (nearest === after + 1n) break;
      }
      return nearest;
    },
    /** Whether these stores have the same content at all of these heights. Rejects as {@link nextChange} does. */
    async areEqual(names: readonly string[], heights: readonly bigint[], reads: RootReads = {}): Promise<boolean> {
      for (const name of names) {
        const runs = await Promise.all(heights.map((height) => runAt(name, height, reads)));
        if (runs.some((run) => run === undefined || run.root !== runs[0]?.root)) return false;
      }
      return true;
    },
    /** The last height, up to `to`, at which these stores are known to be as they are at a height. Reads nothing. */
    sameUntil(names: readonly string[], height: bigint, to: bigint): bigint {
      let last = to;
      for (const name of names) {
        const end = stores.get(name)?.at(height)?.last ?? height;
        if (end < last) last = end;
      }
      return last;
    },
    /** Reads the roots of these stores at a height, so that {@link rootAt} knows them. Rejects as {@link nextChange} does. */
    async learn(names: readonly string[], height: bigint, reads: RootReads = {}): Promise<void> {
      await Promise.all(names.map((name) => runAt(name, height, reads)));
    },
    /** The root of a store at a height, if it is known. */
    rootAt: (store: string, height: bigint): string | undefined => stores.get(store)?.at(height)?.root,
    /** Notes the time of a block, for answers that are valid until a time. */
    noteTime: (height: bigint, time: Nanoseconds): void => putAtMost(times, maxTimes, height, time),
    timeAt: (height: bigint): Nanoseconds | undefined => times.get(height),
    /** Proofs that were requested. */
    requests: (): number => requests,
    /** Drops everything, because the chain was reset, its newest block was withdrawn, or roots were refuted. */
    clear(): void {
      generation += 1;
      stores.clear();
      loaded.clear();
      hashes.clear();
      times.clear();
    },
  };
}
