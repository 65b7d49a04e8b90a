import { fromBinary } from '@bufbuild/protobuf';
import { CommitmentProofSchema } from '../../proto/cosmos/ics23/v1/proofs_pb.js';
import { ChainError, isChainError } from '../base/errors.ts';
import type { Nanoseconds } from '../base/time.ts';
import { createInFlight } from '../memory/inFlight.ts';
import { decodeAbciReply } from '../rpc/rpcErrors.ts';
import type { Transport } from '../transports/transport.ts';
import { decodeHeader, type HeadBlock } from '../wire/block.ts';
import { asObject, bytesAt, type JsonValue, malformed, objectAt } from '../wire/json.ts';
import { decodeApplication } from './methodTables.ts';
import { absentKey, decodeSimpleProof, simpleType } from './storeRoots.ts';

// The root of a store tells when it changed. A leaf of its tree is hashed with the height at which it was written, and an inner node with the height at
// which anything below it changed. So each write and each deletion makes a root that no earlier tree had, even if the content is the same again. There is
// one exception: a tree of at most one key. It becomes the leaf or the empty tree of before again when another key is added and removed. For such
// trees, an equal root proves an equal content, and nothing about the blocks in between: every one of them is read.

/** The root of a store at a height. */
interface Root {
  readonly root: string;
  /** Whether the tree has at most one key. */
  readonly isSmall: boolean;
}

/** Heights at which a store has one root. Between two of them nothing has changed. */
interface Run extends Root {
  readonly first: bigint;
  readonly last: bigint;
}

/** What a search of changes may read. */
export interface RootReads {
  readonly signal?: AbortSignal | undefined;
  /** Called before each proof is requested. Throws if no more may be requested. */
  readonly onRead?: (() => void) | undefined;
}

/** The type of the operation that proves the key of a store under its root. */
const treeType = 'ics23:iavl';

/** Whether the proof that a key is absent shows a tree of at most one key: it has no neighbour, or one that is the whole tree. */
function showsSmallTree(data: Uint8Array): boolean {
  const { proof } = fromBinary(CommitmentProofSchema, data);
  if (proof.case !== 'nonexist') return true;
  const { left, right } = proof.value;
  const neighbours = [left, right].filter((neighbour) => neighbour !== undefined);
  return neighbours.every(({ path }) => path.length === 0);
}

/** What stands for the root of a store that the chain does not have. */
const absentStore = { root: 'absent', isSmall: false, appHash: '' };

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

/** The index of the last run that does not begin after a height; -1 if all do. */
function indexAt(runs: readonly Run[], height: bigint): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle]?.first ?? height) <= height) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The runs of one store, by ascending height. */
class StoreRuns {
  #runs: Run[] = [];

  get size(): number {
    return this.#runs.length;
  }

  /** The run that contains a height; undefined if none does. */
  at(height: bigint): Run | undefined {
    const run = this.#runs[indexAt(this.#runs, height)];
    return run !== undefined && height <= run.last ? run : undefined;
  }

  /** The first run after a height. */
  after(height: bigint): Run | undefined {
    return this.#runs[indexAt(this.#runs, height) + 1];
  }

  /** Adds what is known of some heights. It becomes one run with its neighbours of the same root, if nothing can have changed between them. */
  add(run: Run): void {
    const { root, isSmall } = run;
    let { first, last } = run;
    const joins = (one: Run | undefined, gap: bigint): one is Run => one?.root === root && (!isSmall || gap <= 1n);
    let start = indexAt(this.#runs, first);
    const before = this.#runs[start];
    if (joins(before, first - (before?.last ?? 0n))) {
      first = before.first;
      if (before.last > last) last = before.last;
    } else start += 1;
    let end = start;
    for (let next = this.#runs[end]; next !== undefined; next = this.#runs[end]) {
      if (next.first > last && !joins(next, next.first - last)) break;
      if (next.last > last) last = next.last;
      end += 1;
    }
    this.#runs.splice(start, end - start, { first, last, root, isSmall });
  }
}

/** The roots of stores at any height, and the heights at which they changed. */
export type PastRoots = ReturnType<typeof createPastRoots>;

/**
 * Creates the reader of the roots at past heights, each proven against the header of the next block. Roots never change, so they are kept until
 * {@link clear}.
 */
export function createPastRoots({
  transport,
  newest,
}: {
  readonly transport: Transport;
  /** The newest block. */
  readonly newest: () => HeadBlock | undefined;
}) {
  const stores = new Map<string, StoreRuns>();
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
    }
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
        const ops = new Map(decodeAbciReply(result, height).proofOps.map(({ type, data }) => [type, data]));
        const [simple, tree] = [ops.get(simpleType), ops.get(treeType)];
        return simple && { ...decodeSimpleProof(simple, store), isSmall: tree === undefined || showsSmallTree(tree) };
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
      if (started === generation) keep(store, { first: height, last: height, root, isSmall });
      return { root, isSmall };
    });
  }

  /** The run that contains a height; undefined if its root cannot be proven. */
  async function runAt(store: string, height: bigint, reads: RootReads): Promise<Run | undefined> {
    const knownRun = stores.get(store)?.at(height);
    if (knownRun !== undefined || height < firstProvenHeight) return knownRun;
    const root = await read(store, height, reads);
    return stores.get(store)?.at(height) ?? (root && { ...root, first: height, last: height });
  }

  /** The first height after `after`, up to `to`, at which a store has another root than at the height before, or may have one. */
  async function nextOf(store: string, after: bigint, to: bigint, reads: RootReads): Promise<bigint | undefined> {
    for (;;) {
      reads.signal?.throwIfAborted();
      const run = await runAt(store, after, reads);
      if (run === undefined) return after + 1n;
      if (run.last >= to) return undefined;
      const low = run.last;
      if (run.isSmall) {
        const heights: bigint[] = [];
        for (let height = low + 1n; height <= to && height <= low + together; height += 1n) heights.push(height);
        const runs = await Promise.all(heights.map((height) => runAt(store, height, reads)));
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
      hashes.clear();
      times.clear();
    },
  };
}
