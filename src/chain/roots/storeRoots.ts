import { isChainError } from '../base/errors.ts';
import type { Transport } from '../transports/transport.ts';
import { malformed } from '../wire/json.ts';
import { createProvenStores } from './provenStores.ts';
import type { SimpleProof } from './simpleProof.ts';
import { decodeStoreProof, storeProofParams } from './storeProof.ts';

/** Options of {@link createStoreRoots}. */
export interface StoreRootsOptions {
  readonly transport: Transport;
  /**
   * Stores whose proofs are requested at every block: `acc` and `metadata`. On Provenance, these two decide a block without
   * changes for every store in use but `registry`, `sanction`, `quarantine`, `trigger` and `transfer`, whose neighbours change
   * at every block (docs/stores.md).
   */
  readonly probes?: readonly string[];
  /** The number of heights whose roots are kept: 256. */
  readonly heights?: number;
  /** The number of blocks after its last use for which the roots of a store are still learnt: 100. */
  readonly blocksAfterUse?: number;
}

/** The app hash after a block, in hex of either case. */
export interface BlockAppHash {
  readonly height: bigint;
  readonly appHash: string;
}

/** Counters since the start, and the roots that are kept now. */
export interface StoreRootsStats {
  /** Heights whose roots were learnt. */
  readonly learnt: number;
  /** Heights without roots, because no node returned a proof, or a proof was invalid. */
  readonly failed: number;
  /** Heights whose roots were dropped, because the next header has another app hash. */
  readonly refuted: number;
  /** Proofs that were requested. */
  readonly requests: number;
  /** Changes of a root from one learnt height to the next, by store. */
  readonly changes: ReadonlyMap<string, number>;
  /** Heights whose roots are kept now. */
  readonly heights: number;
}

/**
 * The roots of the chain's stores by height. Equal roots have equal content, so a response that was computed from some stores
 * is valid at every height where these stores have the same roots.
 */
export interface StoreRoots {
  /**
   * Learns the roots after a block: of the stores in use, each verified against `appHash`, which is the app hash in the block's
   * own result. A block without changes needs one batch of two calls. Never rejects. Resolves with whether roots are known.
   */
  learn(block: BlockAppHash): Promise<boolean>;
  /**
   * Compares with the header of a block, whose app hash is the state after the previous block. If it differs from the hash that
   * the roots at the previous height were verified against, all roots are dropped. Earlier heights that no header has confirmed
   * are dropped too. The listeners of {@link onDropped} are called. If proofs at the previous height did not lead to the
   * app hash in the block's result, and the header repeats that hash, or if roots were refuted, the proofs are requested again,
   * and a node that returns a proof under another hash again has failed. Returns false if roots were refuted.
   */
  confirm(header: BlockAppHash): boolean;
  /**
   * The roots of these stores at a height, in the same order. Undefined if any of them is unknown: the height was not learnt, a
   * node returned no proofs, or a store was not in use. The stores are in use from then on. Never waits.
   */
  rootsAt(height: bigint, stores: readonly string[]): readonly string[] | undefined;
  /**
   * Calls `listener` with a height whose roots were dropped because the next header has another app hash, or because that
   * header was missed. What was stored by these roots may be wrong. Returns a function that removes the listener.
   */
  onDropped(listener: (height: bigint) => void): () => void;
  /** Drops everything, because the chain was reset or its newest block was withdrawn. */
  clear(): void;
  stats(): StoreRootsStats;
}

/** The roots at a height. */
interface RootsAtHeight {
  readonly appHash: string;
  readonly roots: ReadonlyMap<string, string>;
  confirmed: boolean;
}

/** No state has a proof at height 1 (docs/chain.md, "Proofs"). */
const firstProvenHeight = 2n;

/** The number of headers that are kept for proofs that arrive after them. */
const keptHeaders = 16n;

/** Makes roots without any height. */
export function createStoreRoots(options: StoreRootsOptions): StoreRoots {
  const { transport, probes = ['acc', 'metadata'], heights: maxHeights = 256, blocksAfterUse = 100 } = options;
  const proven = createProvenStores();
  const heights = new Map<bigint, RootsAtHeight>();
  const listeners = new Set<(height: bigint) => void>();
  /** The number of blocks so far when each store was used last. */
  const used = new Map<string, number>();
  let blocks = 0;
  /** Stores in use that the probes did not decide at the last height. Their proofs are requested with those of the probes. */
  let undecided: readonly string[] = [];
  /** The app hashes after the last blocks, by the headers after them. */
  const headers = new Map<bigint, string>();
  /** Stores that the application does not have. */
  const missing = new Set<string>();
  /** The last height whose proofs did not lead to the app hash of the block's result. */
  let mismatch: BlockAppHash | undefined;
  /** Incremented when everything is dropped. What began before does not count. */
  let generation = 0;
  const counts = { learnt: 0, failed: 0, refuted: 0, requests: 0 };
  const changes = new Map<string, number>();

  /** Reads a proof. Resolves with undefined if there is none. Throws within the attempt if a confirmed hash does not match. */
  function read(store: string, { height, appHash }: BlockAppHash, confirmed: boolean): Promise<SimpleProof | undefined> {
    counts.requests += 1;
    return transport.call('abci_query', storeProofParams(store, height), {
      height,
      decode(result) {
        const proof = decodeStoreProof(result, store, height);
        if (confirmed && proof !== undefined && proof.appHash !== appHash) {
          throw malformed(`the proof of store ${store} does not lead to the app hash after block ${height}`);
        }
        return proof;
      },
    });
  }

  /** Requests the proofs of these stores at once. Resolves with the proofs that were returned. Never rejects. */
  async function readAll(stores: readonly string[], block: BlockAppHash, confirmed: boolean): Promise<readonly SimpleProof[]> {
    const available = [...new Set(stores)].filter((store) => !missing.has(store));
    const answers = available.map(async (store): Promise<SimpleProof | undefined> => {
      try {
        return await read(store, block, confirmed);
      } catch (error) {
        if (isChainError(error, 'ABCI_QUERY_FAILED') && error.facts.log.includes('no such store')) missing.add(store);
        return undefined;
      }
    });
    return (await Promise.all(answers)).filter((proof) => proof !== undefined);
  }

  function keep(block: BlockAppHash, roots: ReadonlyMap<string, string>, confirmed: boolean): void {
    const before = heights.get(block.height - 1n);
    for (const [store, root] of roots) {
      const old = before?.roots.get(store);
      if (old !== undefined && old !== root) changes.set(store, (changes.get(store) ?? 0) + 1);
    }
    const isSame = before?.roots.size === roots.size && [...roots].every(([store, root]) => before.roots.get(store) === root);
    heights.set(block.height, { appHash: block.appHash, roots: isSame ? before.roots : roots, confirmed });
    for (const height of heights.keys()) {
      if (heights.size <= maxHeights) break;
      heights.delete(height);
    }
  }

  /** Reads the proofs that decide the stores in use. Undefined if a proof does not lead to the app hash. */
  async function readRoots(block: BlockAppHash, confirmed: boolean): Promise<ReadonlyMap<string, string> | undefined> {
    const started = generation;
    const proofs = proven.atHeight();
    const stores = [...used].filter(([, usedAt]) => blocks - usedAt <= blocksAfterUse).map(([store]) => store);
    const early = undecided.filter((store) => stores.includes(store));
    const first = await readAll([...probes, ...early], block, confirmed);
    if (started !== generation || first.some(({ appHash }) => appHash !== block.appHash)) return undefined;
    for (const proof of first) if (probes.includes(proof.store)) proofs.add(proof);
    undecided = stores.filter((store) => proofs.rootOf(store) === undefined);
    for (const proof of first) proofs.add(proof);
    const rest = await readAll(
      undecided.filter((store) => proofs.rootOf(store) === undefined),
      block,
      confirmed,
    );
    if (started !== generation || rest.some(({ appHash }) => appHash !== block.appHash)) return undefined;
    for (const proof of rest) proofs.add(proof);
    return proofs.roots();
  }

  async function learnAt(block: BlockAppHash, confirmed: boolean): Promise<boolean> {
    if (block.height < firstProvenHeight) return false;
    const started = generation;
    const roots = await readRoots(block, confirmed);
    if (started !== generation) return false;
    // The next header may have arrived in the meantime.
    const header = headers.get(block.height);
    if (roots === undefined && !confirmed && header === block.appHash) return learnAt(block, true);
    if (roots === undefined && !confirmed) mismatch = block;
    if (roots === undefined || roots.size === 0 || (header !== undefined && header !== block.appHash)) {
      counts.failed += 1;
      return false;
    }
    counts.learnt += 1;
    keep(block, roots, confirmed || header !== undefined);
    return true;
  }

  function dropped(height: bigint): void {
    for (const listener of [...listeners]) listener(height);
  }

  function drop(): void {
    generation += 1;
    heights.clear();
    proven.clear();
    headers.clear();
    missing.clear();
    undecided = [];
    mismatch = undefined;
  }

  return {
    learn({ height, appHash }) {
      blocks += 1;
      return learnAt({ height, appHash: appHash.toLowerCase() }, false);
    },
    confirm(header) {
      const appHash = header.appHash.toLowerCase();
      const height = header.height - 1n;
      headers.set(height, appHash);
      for (const old of headers.keys()) if (old <= height - keptHeaders) headers.delete(old);
      for (const [earlier, { confirmed }] of heights) {
        if (earlier >= height || confirmed) continue;
        heights.delete(earlier);
        dropped(earlier);
      }
      const known = heights.get(height);
      if (known !== undefined && known.appHash !== appHash) {
        counts.refuted += 1;
        drop();
        dropped(height);
        // A node that returns a proof under another hash again has failed.
        void learnAt({ height, appHash }, true);
        return false;
      }
      if (known !== undefined) known.confirmed = true;
      if (mismatch?.height === height && mismatch.appHash === appHash) void learnAt({ height, appHash }, true);
      mismatch = undefined;
      return true;
    },
    rootsAt(height, stores) {
      for (const store of stores) used.set(store, blocks);
      const roots = heights.get(height)?.roots;
      if (roots === undefined) return undefined;
      const found = stores.map((store) => roots.get(store));
      return found.every((root) => root !== undefined) ? found : undefined;
    },
    onDropped(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clear: drop,
    stats: () => ({ ...counts, changes, heights: heights.size }),
  };
}
