import { fromBinary } from '@bufbuild/protobuf';
import DataLoader from 'dataloader';
import {
  afterPrefix,
  compareBytes,
  concat,
  createPartialTree,
  equalBytes,
  fromHex,
  hasPrefix,
  type NamedProof,
  type PartialTree,
  ProofError,
  readStoreRoot,
  type TreeRows,
  toHex,
  verifyNoStore,
} from '../../../packages/verify/src/index.ts';
import type { KeyRead, RangeBounds, Row, StoreReads } from '../../../packages/verify/src/plans/index.ts';
import { createLaterTree } from '../../../packages/verify/src/treeChanges.ts';
import { PairsSchema } from '../../proto/cosmos/store/internal/kv/v1beta1/kv_pb.js';
import { isChainError } from '../base/errors.ts';
import { createInFlight } from '../memory/inFlight.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { decodeAbciReply } from '../rpc/rpcErrors.ts';
import { type ReadKey, type SharedReads, TotalWait } from '../state/stateEntries.ts';
import type { Transport } from '../transports/transport.ts';
import { type JsonValue, malformed, parseJson } from '../wire/json.ts';

/** The state after a block, and the app hash in the verified header after it, in upper case hex. */
export interface ProvenHeight {
  readonly height: bigint;
  readonly appHash: string;
}

/** The root of a store under an app hash. */
interface StoreRoot {
  readonly store: string;
  readonly root: Uint8Array;
  /** The name of its tree in the cache: that of the store, and the root. */
  readonly name: string;
  /** The proof of the root (`ics23:simple`). Undefined if the root follows from proofs of other stores. */
  readonly simple: Uint8Array | undefined;
}

/** A root with its proof. */
interface VerifiedRoot extends StoreRoot {
  readonly simple: Uint8Array;
}

/** A verified answer of a node about one key. */
interface KeyAnswer {
  readonly root: VerifiedRoot;
  readonly iavl: Uint8Array;
}

/** A read of a key that a node answered with a wrong proof. */
export interface RefutedRead {
  readonly path: string;
  /** The key in hex. */
  readonly request: string;
  readonly height: bigint;
}

/** The store of a read does not exist. */
export class MissingStore extends Error {
  readonly store: string;

  constructor(store: string) {
    super(`The chain has no store ${store}.`);
    this.store = store;
  }
}

/**
 * Names of stores of Provenance and of other chains of the Cosmos SDK, in their order. That a chain has no store of a name is proven by the stores before and after it, which have to be
 * among these.
 */
const storeNames: readonly string[] = [
  ...[
    '08-wasm',
    'Consensus',
    'acc',
    'attribute',
    'authz',
    'bank',
    'capability',
    'circuit',
    'consensus',
    'crisis',
    'distribution',
  ],
  ...[
    'epochs',
    'erc20',
    'evidence',
    'evm',
    'exchange',
    'feegrant',
    'feeibc',
    'feemarket',
    'flatfees',
    'globalfee',
    'gov',
    'group',
  ],
  ...[
    'hold',
    'hooks-for-ibc',
    'ibc',
    'icacontroller',
    'icahost',
    'icqhost',
    'interchainquery',
    'ledger',
    'marker',
    'metadata',
    'mint',
  ],
  ...['msgfees', 'name', 'nft', 'oracle', 'packetfowardmiddleware', 'params', 'poa', 'protocolpool', 'provider', 'quarantine'],
  ...[
    'ratelimit',
    'ratelimitedibc',
    'registry',
    'reward',
    'sanction',
    'slashing',
    'staking',
    'tokenfactory',
    'transfer',
    'trigger',
  ],
  ...['upgrade', 'vault', 'vesting', 'wasm'],
];

/** A range that is read, and its keys from the start on, as a node says. */
interface HintedRange {
  readonly store: string;
  readonly start: Uint8Array;
  readonly keys: readonly Uint8Array[];
  /** The first key after the range, if the hint has all of its keys. */
  readonly end: Uint8Array | undefined;
}

/** A range has too many rows to be proven for a read. */
export class LongRange extends Error {}

/** The most rows of a range that are proven for one read. */
const maxRows = 5_000;

/** The most keys of a hint that are used. */
const maxHints = 2_000;

/** The most proofs that one read requests at once: ten batches. */
const proofsAtOnce = 100;

const ignore = (): undefined => undefined;

/** Whether more than the root of a tree is known. */
const isBegun = (tree: PartialTree | undefined): boolean => tree !== undefined && typeof tree.top !== 'string';

const isVerified = (root: StoreRoot | undefined): root is VerifiedRoot => root?.simple !== undefined;

/** A range of fewer rows is read row by row, without a hint. */
const fewRows = 4;

/** The most app hashes whose roots are kept. */
const maxHeights = 64;

/** The most prefixes that are remembered as too long for a hint. */
const maxLong = 1_000;

const keyPath = (store: string): string => `/store/${store}/key`;

const zero = Uint8Array.of(0);

/** The name of a key in maps: each character is a byte. */
export const nameOfKey = (key: Uint8Array): string => Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');

/** The first key after a key. */
const afterKey = (key: Uint8Array): Uint8Array => concat(key, zero);

/** The bytes with which the keys of one object begin: those of its members, of its votes. */
const objectPrefix = 8;

/** Whether two keys are likely to follow one another in a store. */
const areNear = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && hasPrefix(other, one.subarray(0, objectPrefix));

/**
 * Creates the proven contents of the chain's stores. What was proven is kept by the root of its store, so it is valid at every height with the same root. Each read that
 * is not known yet is requested from the nodes with its proof; equal requests are joined.
 */
export function createProvenStores({
  transport,
  memory,
  rootOf,
  proofOfRoot,
  onRefuted,
  trees: treesName = 'trees',
  shared,
}: {
  readonly transport: Transport;
  readonly memory: MemoryBudget;
  /** The root of a store in hex, if it follows from what other readers proved under this app hash. */
  readonly rootOf: (at: ProvenHeight, store: string) => string | undefined;
  /** The proof of that root, if other readers have it. It is verified here. */
  readonly proofOfRoot: (at: ProvenHeight, store: string) => Uint8Array | undefined;
  /** Called with the answer to a read of a key whose proof is wrong. */
  readonly onRefuted: (answer: JsonValue, read: RefutedRead, error: ProofError) => void;
  /** The name of the cache of the trees. Default: `trees`. */
  readonly trees?: string;
  /** Proofs that other processes have read. They are verified here, too. Default: none. */
  readonly shared?: SharedReads | undefined;
}) {
  const trees = memory.cache<PartialTree>('state', treesName, (tree) => tree.memory);
  /** The name of the tree of each store that grew last. */
  const lastTrees = new Map<string, string>();
  const rootsByHash = new Map<string, Map<string, StoreRoot>>();
  const inFlight = createInFlight<KeyAnswer>();
  const hints = createInFlight<readonly Uint8Array[]>();
  /** Ranges whose rows are too many to be hinted. */
  const longPrefixes = new Set<string>();
  const counts = { proofs: 0, hints: 0 };

  const rootNamed = (store: string, root: Uint8Array): StoreRoot => ({
    store,
    root,
    name: `${store}/${Buffer.from(root).toString('hex')}`,
    simple: undefined,
  });

  function rootsAt({ appHash }: ProvenHeight): Map<string, StoreRoot> {
    const roots = rootsByHash.get(appHash) ?? new Map<string, StoreRoot>();
    rootsByHash.delete(appHash);
    rootsByHash.set(appHash, roots);
    for (const old of rootsByHash.keys()) {
      if (rootsByHash.size <= maxHeights) break;
      rootsByHash.delete(old);
    }
    return roots;
  }

  function rootAt(at: ProvenHeight, store: string): StoreRoot | undefined {
    const roots = rootsAt(at);
    const keptRoot = roots.get(store);
    if (keptRoot !== undefined) return keptRoot;
    const hex = rootOf(at, store);
    if (hex === undefined) return undefined;
    const root = rootNamed(store, fromHex(hex.toUpperCase(), 32, 'a root'));
    roots.set(store, root);
    return root;
  }

  /** The tree of a store at another root that grew last. */
  const lastTree = (store: string): PartialTree | undefined => trees.peek(lastTrees.get(store) ?? '');

  /** The tree of a store, which is kept as long as the memory suffices. A new one knows the parts of the last one as soon as a proof shows their hashes. */
  function treeOf({ store, name, root }: StoreRoot): PartialTree {
    const keptTree = trees.get(name);
    if (keptTree !== undefined) return keptTree;
    const other = lastTree(store);
    return other === undefined ? createPartialTree(root) : createLaterTree(root, other);
  }

  function keepTree({ store, name }: StoreRoot, tree: PartialTree): void {
    trees.set(name, tree);
    lastTrees.set(store, name);
  }

  /** The root of a store that a proof leads to. All answers about a store at a height have the same proof, which is verified once. */
  function verifiedRoot(at: ProvenHeight, store: string, simple: Uint8Array): VerifiedRoot {
    const roots = rootsAt(at);
    const earlier = roots.get(store);
    if (isVerified(earlier) && equalBytes(earlier.simple, simple)) return earlier;
    const { root, appHash } = readStoreRoot(simple, store);
    if (toHex(appHash) !== at.appHash)
      throw new ProofError('NOT_PROVEN', `The proof of store ${store} does not lead to the app hash after block ${at.height}.`);
    const storeRoot = { ...rootNamed(store, root.slice()), simple: simple.slice() };
    roots.set(store, storeRoot);
    return storeRoot;
  }

  /** Verifies the answer of a node about a key. Throws NODE_INVALID_RESPONSE, so that another node is asked. */
  function decodeAnswer(json: JsonValue, at: ProvenHeight, store: string, key: Uint8Array): KeyAnswer {
    const { proofOps } = decodeAbciReply(json, at.height);
    const dataOf = (type: string) => proofOps.find((op) => op.type === type)?.data;
    const [data, simple] = [dataOf('ics23:iavl'), dataOf('ics23:simple')];
    // A part of a `Buffer` costs more than one of plain bytes.
    const iavl = data && new Uint8Array(data.buffer, data.byteOffset, data.length);
    if (iavl === undefined || simple === undefined) throw malformed(`an answer without a proof of store ${store}`);
    try {
      const root = verifiedRoot(at, store, simple);
      const tree = treeOf(root);
      tree.insert(iavl);
      if (!tree.has(key)) throw new ProofError('NOT_PROVEN', 'The proof is about another key.');
      keepTree(root, tree);
      return { root, iavl };
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      onRefuted(json, { path: keyPath(store), request: Buffer.from(key).toString('hex'), height: at.height }, error);
      throw malformed(`a wrong proof of store ${store}. ${error.message}`);
    }
  }

  /** The proof of a key that another process has read. If there is none, this one has claimed it: others wait for it. */
  async function fromOthers(at: ProvenHeight, store: string, key: Uint8Array, claim: ReadKey): Promise<KeyAnswer | undefined> {
    const sharedRead = await shared?.find(() => [claim], claim, new TotalWait());
    try {
      return sharedRead && decodeAnswer(parseJson(Buffer.from(sharedRead.answer).toString()), at, store, key);
    } catch {
      // A node is asked.
      return undefined;
    }
  }

  async function requestKey(
    at: ProvenHeight,
    store: string,
    key: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<KeyAnswer> {
    const path = keyPath(store);
    const claim: ReadKey = { chain: '', height: at.height, path: `${path} proof`, request: key, roots: at.appHash };
    if (shared !== undefined) {
      const sharedAnswer = await fromOthers(at, store, key, claim);
      if (sharedAnswer !== undefined) return sharedAnswer;
    }
    counts.proofs += 1;
    const params = { path, data: Buffer.from(key).toString('hex'), height: at.height.toString(), prove: true };
    const decode = (json: JsonValue) => ({ json, answer: decodeAnswer(json, at, store, key) });
    try {
      const { json, answer } = await transport.call('abci_query', params, { height: at.height, signal, decode });
      shared?.put(claim, Buffer.from(JSON.stringify(json)), claim);
      return answer;
    } catch (error) {
      shared?.release(claim);
      if (isChainError(error, 'ABCI_QUERY_FAILED') && error.facts.log.includes('no such store')) throw new MissingStore(store);
      throw error;
    }
  }

  const readKey = (at: ProvenHeight, store: string, key: Uint8Array, signal: AbortSignal | undefined): Promise<KeyAnswer> =>
    inFlight.join(`${at.appHash} ${store} ${Buffer.from(key).toString('hex')}`, signal, (joinedSignal) =>
      requestKey(at, store, key, joinedSignal),
    );

  /** The proof of the root of a store that is at hand. */
  function simpleAt(at: ProvenHeight, store: string): Uint8Array | undefined {
    const { simple } = rootAt(at, store) ?? {};
    const proof = simple ?? proofOfRoot(at, store);
    return proof && verifiedRoot(at, store, proof).simple;
  }

  /** The proof of the root of a store; undefined if a node says that there is none. */
  async function proofOf(at: ProvenHeight, store: string, signal: AbortSignal | undefined): Promise<NamedProof | undefined> {
    try {
      return { store, proof: simpleAt(at, store) ?? (await readKey(at, store, Uint8Array.of(255), signal)).root.simple };
    } catch (error) {
      if (error instanceof MissingStore) return undefined;
      throw error;
    }
  }

  /** Proves that there is no store of a name, by those before and after it. Rejects with NODE_INVALID_RESPONSE if they do not prove it: a node may have hidden the store. */
  async function proveMissing(at: ProvenHeight, store: string, signal: AbortSignal | undefined): Promise<void> {
    const nearest = async (names: readonly string[]): Promise<NamedProof | undefined> => {
      for (const name of names) {
        const proof = await proofOf(at, name, signal);
        if (proof !== undefined) return proof;
      }
      return undefined;
    };
    const before = storeNames.filter((name) => name < store).toReversed();
    const [left, right] = await Promise.all([nearest(before), nearest(storeNames.filter((name) => name > store))]);
    try {
      if (toHex(verifyNoStore(store, left, right)) === at.appHash) return;
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
    }
    throw malformed(`no store ${store}, which the stores around it do not prove`);
  }

  /** The keys with a prefix in the newest state, as a node says. Nothing relies on them: they only tell which proofs to request. */
  async function readHint(store: string, prefix: Uint8Array, signal: AbortSignal | undefined): Promise<readonly Uint8Array[]> {
    const data = Buffer.from(prefix).toString('hex');
    const name = `${store} ${data}`;
    if (longPrefixes.has(name)) return [];
    const keysOf = (json: JsonValue): readonly Uint8Array[] => {
      const { response } = json as { response?: { code?: number; value?: string } };
      if (response?.code !== 0) return [];
      const { pairs } = fromBinary(PairsSchema, Buffer.from(response.value ?? '', 'base64'));
      return pairs.map(({ key }) => key);
    };
    return hints.join(name, signal, async (joinedSignal) => {
      counts.hints += 1;
      const params = { path: `/store/${store}/subspace`, data, height: '0', prove: false };
      let keys: readonly Uint8Array[] | undefined;
      try {
        keys = await transport.call('abci_query', params, { signal: joinedSignal, decode: keysOf });
      } catch {
        // Too long for an answer, or refused. Without a hint, the rows are read one after another.
      }
      if (keys !== undefined && keys.length <= maxHints) return keys.toSorted(compareBytes);
      if (longPrefixes.size >= maxLong) longPrefixes.clear();
      longPrefixes.add(name);
      return keys?.toSorted(compareBytes).slice(0, maxHints) ?? [];
    });
  }

  /** Reads of the state after a block. `onMiss` is called before each request to a node. */
  function at(
    at: ProvenHeight,
    { signal, onMiss }: { readonly signal?: AbortSignal | undefined; readonly onMiss?: () => void } = {},
  ) {
    /** Trees in use, which must not be lost while they grow. */
    const usedTrees = new Map<string, PartialTree>();

    function treeAt(store: string): PartialTree | undefined {
      const heldTree = usedTrees.get(store);
      if (heldTree !== undefined) return heldTree;
      const root = rootAt(at, store);
      if (root === undefined) return undefined;
      const tree = treeOf(root);
      // The first proof begins another one, which is kept.
      if (isBegun(tree)) usedTrees.set(store, tree);
      return tree;
    }

    /** The first proof of each store whose tree at another root is at hand, and its key. Usually it shows everything else that is read. */
    const firstProofs = new Map<string, { readonly key: Uint8Array; readonly proof: Promise<PartialTree> }>();

    /** The first proof of a store, which is made of this key if there is none. Undefined if it is not worth waiting for. */
    function firstProof(store: string, key: Uint8Array) {
      const earlier = firstProofs.get(store);
      if (earlier !== undefined || lastTree(store) === undefined || isBegun(treeAt(store))) return earlier;
      const first = { key, proof: proveAnew(store, key) };
      firstProofs.set(store, first);
      return first;
    }

    /** Adds a key to the tree of its store, by a proof unless it is known by now. A first proof that fails is that of its own key alone. */
    async function prove(store: string, key: Uint8Array): Promise<PartialTree> {
      const first = firstProof(store, key);
      if (first?.key === key) return first.proof;
      await first?.proof.catch(ignore);
      const tree = treeAt(store);
      return tree?.has(key) ? tree : proveAnew(store, key);
    }

    async function proveAnew(store: string, key: Uint8Array): Promise<PartialTree> {
      onMiss?.();
      const { root, iavl } = await readKey(at, store, key, signal).catch(async (error: unknown) => {
        if (error instanceof MissingStore) await proveMissing(at, store, signal);
        throw error;
      });
      const tree = usedTrees.get(store) ?? treeOf(root);
      usedTrees.set(store, tree);
      // Another request may have added it to a tree that was not kept.
      if (!tree.has(key)) tree.insert(iavl);
      return tree;
    }

    async function proveKey(store: string, key: Uint8Array): Promise<Uint8Array | null> {
      const value = treeAt(store)?.get(key);
      return value === undefined ? ((await prove(store, key)).get(key) ?? null) : value;
    }

    /**
     * The keys of one turn are read together. Where several are near each other, the gap after every other one is proven, which shows that key and the next one of the store. A key that
     * it does not show needs a proof of its own.
     */
    const keyReads = new DataLoader<KeyRead, { readonly value: Promise<Uint8Array | null> }, string>(
      async (reads) => {
        const sorted = [...reads.entries()].sort(([, one], [, other]) =>
          one.store < other.store ? -1 : one.store > other.store ? 1 : compareBytes(one.key, other.key),
        );
        const values: { readonly value: Promise<Uint8Array | null> }[] = [];
        /** The proof of the gap after the key before. */
        let gap: Promise<unknown> | undefined;
        for (const [place, [index, { store, key }]] of sorted.entries()) {
          const next = sorted[place + 1]?.[1];
          if (gap !== undefined) {
            values[index] = { value: gap.then(() => proveKey(store, key)) };
            gap = undefined;
          } else if (reads.length >= fewRows && next?.store === store && areNear(key, next.key)) {
            gap = prove(store, afterKey(key));
            values[index] = { value: gap.then(() => proveKey(store, key)) };
          } else values[index] = { value: proveKey(store, key) };
        }
        return values;
      },
      { cacheKeyFn: ({ store, key }) => `${store} ${nameOfKey(key)}` },
    );

    async function proveAll(store: string, keys: readonly Uint8Array[]): Promise<void> {
      const tree = treeAt(store);
      const unknownKeys = keys.filter((key) => !tree?.has(key));
      for (let index = 0; index < unknownKeys.length; index += proofsAtOnce)
        await Promise.all(unknownKeys.slice(index, index + proofsAtOnce).map((key) => prove(store, key)));
    }

    /**
     * The proofs that show the ranges of one turn, two rows by each: the gap after every other row. Where one range ends at the start of another, the proof of its last gap shows
     * that start, too.
     */
    const rangeReads = new DataLoader<HintedRange, { readonly proofs: Promise<unknown> }>(
      async (ranges) => {
        const values: { readonly proofs: Promise<unknown> }[] = [];
        const proofsTo = new Map<string, Promise<unknown>>();
        const sorted = [...ranges.entries()].sort(([, one], [, other]) => compareBytes(one.start, other.start));
        for (const [index, { store, start, keys, end }] of sorted) {
          const before = proofsTo.get(`${store} ${nameOfKey(start)}`);
          const gaps = keys.filter((_, at) => at % 2 === 1 || at === keys.length - 1).map(afterKey);
          const proofs = Promise.all([
            proveAll(store, before === undefined ? [start, ...gaps] : gaps),
            before?.catch(() => undefined),
          ]);
          values[index] = { proofs };
          if (end !== undefined) proofsTo.set(`${store} ${nameOfKey(end)}`, proofs);
        }
        return values;
      },
      { cache: false },
    );

    async function proveRange(store: string, prefix: Uint8Array, bounds: RangeBounds): Promise<readonly Row[]> {
      const { from = prefix, most = Number.POSITIVE_INFINITY } = bounds;
      const start = compareBytes(from, prefix) < 0 ? prefix : from;
      await firstProof(store, start)?.proof.catch(ignore);
      if (most > fewRows && treeAt(store)?.range(prefix, bounds).isComplete !== true) {
        onMiss?.();
        const hint = await readHint(store, prefix, signal);
        const keys = hint.filter((key) => hasPrefix(key, prefix) && compareBytes(key, start) >= 0).slice(0, most);
        const end = keys.length < most ? afterPrefix(prefix) : undefined;
        await (await rangeReads.load({ store, start, keys, end })).proofs;
      }
      // What the hint did not name is read row by row. Each proof shows the next row.
      for (;;) {
        const range: TreeRows = treeAt(store)?.range(prefix, bounds) ?? { rows: [], isComplete: false };
        if (range.isComplete) return range.rows;
        if (range.rows.length > maxRows) throw new LongRange(`A range of store ${store} has more than ${maxRows} rows.`);
        const last = range.rows.at(-1)?.[0];
        await prove(store, last === undefined ? start : afterKey(last));
      }
    }

    const reads: StoreReads = {
      get: (store, key) => {
        const value = treeAt(store)?.get(key);
        return value === undefined ? keyReads.load({ store, key }).then((read) => read.value) : value;
      },
      range: (store, prefix, bounds) => {
        const range = treeAt(store)?.range(prefix, bounds);
        return range?.isComplete ? range.rows : proveRange(store, prefix, bounds);
      },
    };
    return {
      ...reads,
      /** The root of a store in hex, its proof, and its tree. */
      async storeOf(
        store: string,
      ): Promise<{ readonly root: string; readonly simple: Uint8Array; readonly tree: PartialTree }> {
        const rootProof = await proofOf(at, store, signal);
        const tree = treeAt(store);
        if (rootProof === undefined || tree === undefined) throw new MissingStore(store);
        return { root: Buffer.from(tree.root).toString('hex'), simple: rootProof.proof, tree };
      },
    };
  }

  return {
    at,
    /** The tree of a store after a block; undefined if its root is not known. */
    treeAt(at: ProvenHeight, store: string): PartialTree | undefined {
      const root = rootAt(at, store);
      return root && treeOf(root);
    },
    /** Begins the tree of a store after a block with what is known of an earlier one, which is dropped. */
    carryTree(at: ProvenHeight, store: string, earlier: PartialTree): PartialTree | undefined {
      const root = rootAt(at, store);
      if (root === undefined) return undefined;
      trees.delete(rootNamed(store, earlier.root).name);
      const tree = createLaterTree(root.root, earlier);
      keepTree(root, tree);
      return tree;
    },
    /** Reads the proof of a key, which becomes part of the tree of its store. Rejects if no node returns a valid one. */
    async prove(at: ProvenHeight, store: string, key: Uint8Array): Promise<void> {
      await requestKey(at, store, key, undefined);
    },
    /** Drops all trees. */
    clear(): void {
      trees.clear();
      lastTrees.clear();
      rootsByHash.clear();
    },
    /** Proofs and hints that were requested since the start. */
    stats: (): { readonly proofs: number; readonly hints: number } => counts,
  };
}
