import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { sha256 } from '../../../packages/verify/src/merkle.ts';
import {
  type CommitmentProof,
  CommitmentProofSchema,
  HashOp,
  type InnerOp,
  LengthOp,
} from '../../proto/cosmos/ics23/v1/proofs_pb.js';
import { isChainError } from '../base/errors.ts';
import { absentRoot, type Root, showsSmallTree } from '../past/storeRuns.ts';
import { decodeAbciReply } from '../rpc/rpcErrors.ts';
import type { Transport } from '../transports/transport.ts';
import { type JsonValue, malformed } from '../wire/json.ts';

/** A step of the path in the tree of the stores. */
interface SimpleStep {
  readonly neighbour: string;
  readonly isLeft: boolean;
}

/** Proves the root of one store under an application hash. All hashes are SHA-256 in lower case hex. */
interface SimpleProof {
  /** The name of the store. */
  readonly store: string;
  /** The root of the store. */
  readonly root: string;
  /** The hashes from the leaf of the store up to `appHash`, both included. */
  readonly path: readonly string[];
  /** The steps of the path: the hash of the neighbour, which covers the names and the roots of one or several other stores, and whether the path comes from the left of it. */
  readonly steps: readonly SimpleStep[];
  /** The application hash that the proof leads to. The caller compares it with the one that it trusts. */
  readonly appHash: string;
}

/** A proof of the root of a store, with the size of its tree. */
type StoreProof = SimpleProof & Root;

/** The length of a SHA-256 hash, in bytes. */
const hashBytes = 32;

/** The most steps of a path. Six are enough for 64 stores. */
const longestPath = 64;

const leafPrefix = Uint8Array.of(0);
const innerPrefix = Uint8Array.of(1);

/** The hash of the neighbour in a step of the path. Throws for any step that the simple Merkle tree does not have. */
function neighbourOf({ hash, prefix, suffix }: InnerOp): Uint8Array {
  const isInner = hash === HashOp.SHA256 && prefix[0] === innerPrefix[0];
  if (isInner && prefix.length === 1 && suffix.length === hashBytes) return suffix;
  if (isInner && prefix.length === 1 + hashBytes && suffix.length === 0) return prefix.subarray(1);
  throw malformed('a store proof with another step than those of the simple Merkle tree');
}

/**
 * Decodes the `ics23:simple` operation of a proof and computes the hashes that it leads to. `data` is a
 * `cosmos.ics23.v1.CommitmentProof` of existence by the specification that ICS 23 calls Tendermint: the tree of RFC 6962 over
 * leaves of a name and a hashed root. Throws NODE_INVALID_RESPONSE for any other proof, and for a proof of another store. Only
 * the caller can verify `appHash`.
 */
export function decodeSimpleProof(data: Uint8Array, store: string): SimpleProof {
  let proof: CommitmentProof['proof'];
  try {
    ({ proof } = fromBinary(CommitmentProofSchema, data));
  } catch {
    throw malformed('a store proof that is not a CommitmentProof');
  }
  if (proof.case !== 'exist') throw malformed('a store proof that is not a proof of existence');
  const { key, value, leaf, path: steps } = proof.value;
  if (Buffer.from(key).toString('latin1') !== store) throw malformed(`a store proof for another store than ${store}`);
  if (value.length !== hashBytes) throw malformed('a store proof whose value is not a hash');
  if (steps.length > longestPath) throw malformed(`a store proof of more than ${longestPath} steps`);
  const isSimple =
    leaf?.hash === HashOp.SHA256 &&
    leaf.prehashKey === HashOp.NO_HASH &&
    leaf.prehashValue === HashOp.SHA256 &&
    leaf.length === LengthOp.VAR_PROTO &&
    leafPrefix.length === leaf.prefix.length &&
    leaf.prefix[0] === leafPrefix[0];
  if (!isSimple) throw malformed('a store proof with another leaf than that of the simple Merkle tree');
  // A length in front is one byte: names and hashes are shorter than 128 bytes.
  if (key.length > 127) throw malformed('a store proof with a name of more than 127 bytes');
  let hash = sha256(leafPrefix, Uint8Array.of(key.length), key, Uint8Array.of(hashBytes), sha256(value));
  let appHash = Buffer.from(hash).toString('hex');
  const path = [appHash];
  const neighbours: SimpleStep[] = [];
  for (const step of steps) {
    neighbours.push({ neighbour: Buffer.from(neighbourOf(step)).toString('hex'), isLeft: step.suffix.length > 0 });
    hash = sha256(step.prefix, hash, step.suffix);
    appHash = Buffer.from(hash).toString('hex');
    path.push(appHash);
  }
  return { store, root: Buffer.from(value).toString('hex'), path, steps: neighbours, appHash };
}

/** The `ics23:simple` operation of a proof, as a node encodes it. */
export function encodeSimpleProof({ store, root, steps }: Pick<SimpleProof, 'store' | 'root' | 'steps'>): Uint8Array {
  const leaf = { hash: HashOp.SHA256, prehashValue: HashOp.SHA256, length: LengthOp.VAR_PROTO, prefix: leafPrefix };
  const path = steps.map(({ neighbour, isLeft }) => {
    const other = Buffer.from(neighbour, 'hex');
    return isLeft
      ? { hash: HashOp.SHA256, prefix: innerPrefix, suffix: other }
      : { hash: HashOp.SHA256, prefix: Buffer.concat([innerPrefix, other]) };
  });
  const value = { key: Buffer.from(store, 'latin1'), value: Buffer.from(root, 'hex'), leaf, path };
  return toBinary(CommitmentProofSchema, create(CommitmentProofSchema, { proof: { case: 'exist', value } }));
}

/** What proofs at a height decide: the roots of stores, and their proofs. */
interface DecidedStores {
  readonly roots: ReadonlyMap<string, Root>;
  readonly proofOf: (store: string) => Uint8Array | undefined;
}

/** The last proof of a store, and the place in its path from which on the proofs of a height continue. */
interface Decision {
  readonly proof: StoreProof;
  readonly at: number;
}

/**
 * Creates an empty set of the last proof of each store, from any height.
 *
 * One proof decides more stores than its own. It contains the hashes of neighbouring subtrees, and each of these covers the
 * names and the roots of the stores below it. Equal hashes have equal content. So if the path of the last proof of a store has
 * a hash in common with a proof at this height, the store has the same root at this height. This needs no list of the stores
 * of the chain, and no order of heights.
 */
export function createProvenStores() {
  const last = new Map<string, StoreProof>();

  /** Starts a height without proofs. All proofs at a height lead to the same application hash. */
  function atHeight() {
    const proven = new Map<string, StoreProof>();
    /** The steps from a hash up to the application hash. */
    const stepsAbove = new Map<string, () => readonly SimpleStep[]>();

    function decisionOf(store: string): Decision | undefined {
      const provenProof = proven.get(store);
      if (provenProof !== undefined) return { proof: provenProof, at: 0 };
      const proof = last.get(store);
      const at = proof?.path.findIndex((hash) => stepsAbove.has(hash)) ?? -1;
      return proof === undefined || at < 0 ? undefined : { proof, at };
    }

    return {
      /** Adds a verified proof. */
      add(proof: StoreProof): void {
        const { store, path, steps } = proof;
        proven.set(store, proof);
        for (const [index, hash] of path.entries()) {
          stepsAbove.set(hash, () => steps.slice(index));
          const step = steps[index];
          if (step === undefined) continue;
          const { neighbour, isLeft } = step;
          stepsAbove.set(neighbour, () => [{ neighbour: hash, isLeft: !isLeft }, ...steps.slice(index + 1)]);
        }
        last.set(store, proof);
      },
      /** The root of a store at this height. Undefined if the proofs do not decide it, so that it needs a proof of its own. */
      rootOf: (store: string): string | undefined => decisionOf(store)?.proof.root,
      /** The same root, with the size of its tree. */
      treeOf(store: string): Root | undefined {
        const proof = decisionOf(store)?.proof;
        return proof && { root: proof.root, isSmall: proof.isSmall };
      },
      /** The roots of all stores that the proofs decide, and their proofs, as a node makes them at this height. */
      all(): DecidedStores {
        const decisions = new Map<string, Decision>();
        for (const store of last.keys()) {
          const decision = decisionOf(store);
          if (decision !== undefined) decisions.set(store, decision);
        }
        return {
          roots: new Map([...decisions].map(([store, { proof }]) => [store, { root: proof.root, isSmall: proof.isSmall }])),
          proofOf(store) {
            const { proof, at = 0 } = decisions.get(store) ?? {};
            const above = stepsAbove.get(proof?.path[at] ?? '')?.();
            return proof && above && encodeSimpleProof({ ...proof, steps: [...proof.steps.slice(0, at), ...above] });
          },
        };
      },
    };
  }

  return { atHeight, clear: (): void => last.clear() };
}

/** The proofs at one height. */
type HeightProofs = ReturnType<ReturnType<typeof createProvenStores>['atHeight']>;

/** The type of the operation that proves the root of a store under the application hash. */
export const simpleType = 'ics23:simple';

/**
 * A key that no store has. The proof that it is absent has one neighbour, so the answer is small, and the second operation of
 * the proof is the same for every key.
 */
export const absentKey = 'ff';

/**
 * Decodes the result of the `abci_query` that reads the proof of a store's root. Returns undefined if the answer has no proof of this kind, as on a chain with other
 * proofs. Throws NODE_INVALID_RESPONSE for an invalid proof, HEIGHT_PRUNED for pruned state, and ABCI_QUERY_FAILED if the
 * application refuses the query, as at height 1 or for a store that does not exist.
 *
 * The `ics23:iavl` operation, which proves the key, is not verified: only the root of the store matters here. A strict verifier
 * also rejects some valid ones, because a neighbour of the key may have an empty value.
 */
export function decodeStoreProof(result: JsonValue, store: string, height: bigint): StoreProof | undefined {
  const { proofOps } = decodeAbciReply(result, height);
  const simple = proofOps.find(({ type }) => type === simpleType)?.data;
  return simple && { ...decodeSimpleProof(simple, store), isSmall: showsSmallTree(proofOps) };
}

/** Stores that a chain may lack. The version of the application then has to suffice where they would be compared. */
const optionalStores: ReadonlySet<string> = new Set(['upgrade']);

/** The app hash after a block, in hex of either case. */
interface BlockAppHash {
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

/** The roots at a height. */
interface RootsAtHeight {
  readonly appHash: string;
  readonly roots: ReadonlyMap<string, Root>;
  /** Undefined at heights that are so old that it is not kept. */
  proofOf: DecidedStores['proofOf'] | undefined;
  confirmed: boolean;
}

/** No state has a proof at height 1 (docs/chain.md, "Proofs"). */
const firstProvenHeight = 2n;

/** The number of headers that are kept for proofs that arrive after them. */
const keptHeaders = 16n;

/** The number of heights for which the proofs of roots are kept. */
const keptProofs = 16n;

/** The number of heights whose proofs are kept to decide further stores. */
const keptSets = 4;

/** One in so many stores that are not decided is proven at a time: its proof may decide the others. */
const undecidedStep = 4;

const noRoots: ReadonlyMap<string, Root> = new Map();

export type StoreRoots = ReturnType<typeof createStoreRoots>;

/**
 * Creates the roots of the chain's stores, without any height. Equal roots have equal content, so a response that was computed from some stores
 * is valid at every height where these stores have the same roots.
 */
export function createStoreRoots(options: {
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
}) {
  const { transport, probes = ['acc', 'metadata'], heights: maxHeights = 256, blocksAfterUse = 100 } = options;
  const proven = createProvenStores();
  const heights = new Map<bigint, RootsAtHeight>();
  const listeners = new Set<(height: bigint) => void>();
  /** The number of blocks so far when each store was used last. */
  const usedStores = new Map<string, number>();
  let blocks = 0;
  /** Stores in use that the probes did not decide at the last height. Their proofs are requested with those of the probes. */
  let undecided: string[] = [];
  /** The app hashes after the last blocks, by the headers after them. */
  const headers = new Map<bigint, string>();
  /** Stores that the application does not have. */
  const missing = new Set<string>();
  /** The proofs at the last heights, with the app hash that they lead to. */
  const proofsAt = new Map<bigint, { readonly appHash: string; readonly proofs: HeightProofs }>();
  /** The last height whose proofs did not lead to the app hash of the block's result. */
  let mismatch: BlockAppHash | undefined;
  /** Incremented when everything is dropped. What began before does not count. */
  let generation = 0;
  const counts = { learnt: 0, failed: 0, refuted: 0, requests: 0 };
  const changes = new Map<string, number>();

  /** Requests the proof of a store; undefined without one. If `confirmed`, a node that returns a proof under another hash has failed, so that the next one is tried. */
  async function readProof(store: string, block: BlockAppHash, confirmed: boolean): Promise<StoreProof | undefined> {
    counts.requests += 1;
    const { height } = block;
    const params = { path: `/store/${store}/key`, data: absentKey, height: height.toString(), prove: true };
    const decode = (result: JsonValue): StoreProof | undefined => {
      const proof = decodeStoreProof(result, store, height);
      if (!confirmed || proof === undefined || proof.appHash === block.appHash) return proof;
      throw malformed(`the proof of store ${store} does not lead to the app hash after block ${height}`);
    };
    try {
      return await transport.call('abci_query', params, { height, decode });
    } catch (error) {
      if (isChainError(error, 'ABCI_QUERY_FAILED') && error.facts.log.includes('no such store')) missing.add(store);
      return undefined;
    }
  }

  /**
   * Requests the proofs of these stores at once. Resolves with those that were returned, or with undefined if one does not lead to the app hash, or if
   * everything was dropped in the meantime. Never rejects.
   */
  async function readAll(
    stores: Iterable<string>,
    block: BlockAppHash,
    confirmed: boolean,
  ): Promise<readonly StoreProof[] | undefined> {
    const started = generation;
    const requests: Promise<StoreProof | undefined>[] = [];
    for (const store of new Set(stores)) if (!missing.has(store)) requests.push(readProof(store, block, confirmed));
    const proofs: StoreProof[] = [];
    for (const proof of await Promise.all(requests)) {
      if (proof === undefined) continue;
      if (proof.appHash !== block.appHash) return undefined;
      proofs.push(proof);
    }
    return started === generation ? proofs : undefined;
  }

  /** Reads the proofs that decide the stores in use. Undefined if a proof does not lead to the app hash. */
  async function readRoots(block: BlockAppHash, confirmed: boolean): Promise<DecidedStores | undefined> {
    const proofs = proven.atHeight();
    const stores = new Set<string>();
    for (const [store, usedAt] of usedStores) if (blocks - usedAt <= blocksAfterUse) stores.add(store);
    const early = [...probes];
    for (const store of undecided) if (stores.has(store)) early.push(store);
    const first = await readAll(early, block, confirmed);
    if (first === undefined) return undefined;
    for (const proof of first) if (probes.includes(proof.store)) proofs.add(proof);
    undecided = [];
    for (const store of stores) if (proofs.rootOf(store) === undefined) undecided.push(store);
    for (const proof of first) proofs.add(proof);
    const open: string[] = [];
    for (const store of undecided) if (proofs.rootOf(store) === undefined) open.push(store);
    const rest = await readAll(open, block, confirmed);
    if (rest === undefined) return undefined;
    for (const proof of rest) proofs.add(proof);
    proofsAt.set(block.height, { appHash: block.appHash, proofs });
    for (const old of proofsAt.keys()) {
      if (proofsAt.size <= keptSets) break;
      proofsAt.delete(old);
    }
    return proofs.all();
  }

  /** Decides these stores after a block whose app hash is confirmed, with as few proofs as it can. */
  async function decideAll(block: BlockAppHash, names: readonly string[]): Promise<ReadonlyMap<string, Root>> {
    const before = proofsAt.get(block.height);
    const proofs = before?.appHash === block.appHash ? before.proofs : proven.atHeight();
    const requestedStores = new Set<string>();
    const ask = async (stores: readonly string[]): Promise<void> => {
      for (const store of stores) requestedStores.add(store);
      for (const proof of (await readAll(stores, block, true)) ?? []) proofs.add(proof);
    };
    if (before?.proofs !== proofs) await ask(probes);
    // A node that has no proof of these has none of the others.
    if (probes.every((store) => proofs.treeOf(store) === undefined)) return noRoots;
    const open = () =>
      names.filter((store) => !requestedStores.has(store) && !missing.has(store) && proofs.treeOf(store) === undefined);
    for (let left = open(); left.length > 0; left = open()) await ask(left.filter((_, index) => index % undecidedStep === 0));
    const roots = new Map<string, Root>();
    for (const store of names) {
      const root = proofs.treeOf(store);
      if (root !== undefined) roots.set(store, root);
    }
    return roots;
  }

  async function learnAt(block: BlockAppHash, confirmed: boolean): Promise<boolean> {
    if (block.height < firstProvenHeight) return false;
    const started = generation;
    const { roots, proofOf } = (await readRoots(block, confirmed)) ?? {};
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
    const previous = heights.get(block.height - 1n);
    let isSame = previous?.roots.size === roots.size;
    for (const [store, root] of roots) {
      const old = previous?.roots.get(store);
      if (old?.root === root.root) continue;
      isSame = false;
      if (old !== undefined) changes.set(store, (changes.get(store) ?? 0) + 1);
    }
    const { appHash } = block;
    // Heights with the same roots share one map.
    const ownRoots = isSame ? (previous?.roots ?? roots) : roots;
    heights.set(block.height, { appHash, roots: ownRoots, proofOf, confirmed: confirmed || header !== undefined });
    const old = heights.get(block.height - keptProofs);
    if (old !== undefined) old.proofOf = undefined;
    for (const height of heights.keys()) {
      if (heights.size <= maxHeights) break;
      heights.delete(height);
    }
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
    proofsAt.clear();
    undecided = [];
    mismatch = undefined;
  }

  return {
    /**
     * Learns the roots after a block: of the stores in use, each verified against `appHash`, which is the app hash in the block's
     * own result. A block without changes needs one batch of two calls. Never rejects. Resolves with whether roots are known.
     */
    learn({ height, appHash }: BlockAppHash): Promise<boolean> {
      blocks += 1;
      return learnAt({ height, appHash: appHash.toLowerCase() }, false);
    },
    /**
     * Compares with the header of a block, whose app hash is the state after the previous block. If it differs from the hash that
     * the roots at the previous height were verified against, all roots are dropped. Earlier heights that no header has confirmed
     * are dropped too. The listeners of `onDropped` are called. If proofs at the previous height did not lead to the
     * app hash in the block's result, and the header repeats that hash, or if roots were refuted, the proofs are requested again,
     * and a node that returns a proof under another hash again has failed. Returns false if roots were refuted.
     */
    confirm(header: BlockAppHash): boolean {
      const appHash = header.appHash.toLowerCase();
      const height = header.height - 1n;
      headers.set(height, appHash);
      for (const old of headers.keys()) if (old <= height - keptHeaders) headers.delete(old);
      for (const [earlier, { confirmed }] of heights) {
        if (earlier >= height || confirmed) continue;
        heights.delete(earlier);
        dropped(earlier);
      }
      const learnt = heights.get(height);
      if (learnt !== undefined && learnt.appHash !== appHash) {
        counts.refuted += 1;
        drop();
        dropped(height);
        // A node that returns a proof under another hash again has failed.
        void learnAt({ height, appHash }, true);
        return false;
      }
      if (learnt !== undefined) learnt.confirmed = true;
      if (mismatch?.height === height && mismatch.appHash === appHash) void learnAt({ height, appHash }, true);
      mismatch = undefined;
      return true;
    },
    /**
     * The roots of these stores at a height, in the same order. Undefined if any of them is unknown: the height was not learnt, a
     * node returned no proofs, or a store was not in use. The stores are in use from then on. Never waits.
     */
    rootsAt(height: bigint, stores: readonly string[]): readonly string[] | undefined {
      for (const store of stores) usedStores.set(store, blocks);
      const roots = heights.get(height)?.roots;
      if (roots === undefined) return undefined;
      const list: string[] = [];
      for (const store of stores) {
        const root = roots.get(store)?.root ?? (optionalStores.has(store) && missing.has(store) ? absentRoot : undefined);
        if (root === undefined) return undefined;
        list.push(root);
      }
      return list;
    },
    /** The root of a store after a block, if it was learnt under this app hash, which is hex in lower case. The store is in use from then on. */
    rootOf(store: string, { height, appHash }: BlockAppHash): string | undefined {
      usedStores.set(store, blocks);
      const learnt = heights.get(height);
      return learnt?.appHash === appHash ? learnt.roots.get(store)?.root : undefined;
    },
    /** The root of a store at a height, if it was learnt. */
    treeAt: (height: bigint, store: string): Root | undefined => heights.get(height)?.roots.get(store),
    /**
     * The roots of these stores after a block, whose app hash is that of the next header. Reads the proofs of those that no other proof decides. Stores that
     * are not proven are left out. Never rejects.
     */
    async treesAfter({ height, appHash }: BlockAppHash, stores: readonly string[]): Promise<ReadonlyMap<string, Root>> {
      const started = generation;
      const roots = height < firstProvenHeight ? noRoots : await decideAll({ height, appHash: appHash.toLowerCase() }, stores);
      return started === generation ? roots : noRoots;
    },
    /** The proof of the root of a store after a block (`ics23:simple`), if what was learnt under this app hash has it. The caller verifies it. */
    proofOf(store: string, { height, appHash }: BlockAppHash): Uint8Array | undefined {
      const learnt = heights.get(height);
      return learnt?.appHash === appHash ? learnt.proofOf?.(store) : undefined;
    },
    /**
     * Calls `listener` with a height whose roots were dropped because the next header has another app hash, or because that
     * header was missed. What was stored by these roots may be wrong. Returns a function that removes the listener.
     */
    onDropped(listener: (height: bigint) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Drops everything, because the chain was reset or its newest block was withdrawn. */
    clear: drop,
    /** Requests the stores again that the nodes did not have. A new version of the application may have them. */
    forgetMissing: (): void => missing.clear(),
    stats: (): StoreRootsStats => ({ ...counts, changes, heights: heights.size }),
  };
}
