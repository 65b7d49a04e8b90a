import { createHash } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { QueryAccountRequestSchema, QueryAccountResponseSchema } from '../../proto/cosmos/auth/v1beta1/query_pb.js';
import {
  QueryAttributeRequestSchema,
  QueryAttributesRequestSchema,
  QueryAttributesResponseSchema,
  QueryScanRequestSchema,
} from '../../proto/provenance/attribute/v1/query_pb.js';
import { parseTime, pause } from '../base/time.ts';
import type { Head } from '../blocks/head.ts';
import type { Root } from '../past/storeRuns.ts';
import type { Transport } from '../transports/transport.ts';
import type { HeadBlock } from '../wire/block.ts';
import { asObject, bytesAt, objectAt } from '../wire/json.ts';
import type { FollowedReads, FollowedReadsStats, NamedRead } from './followedReads.ts';
import {
  type Application,
  anyTable,
  decodeApplication,
  type MethodTable,
  noMethods,
  provenanceTable,
  type StoreTable,
} from './methodTables.ts';
import type { PastRoots } from './pastRoots.ts';
import { createStoreRoots, type StoreRootsStats } from './storeRoots.ts';

/** The method that returns an account. */
export const accountMethod = '/cosmos.auth.v1beta1.Query/Account';

/** The request of {@link accountMethod} for the account of a `withoutVesting` request. */
export function accountRequest(request: Uint8Array): Uint8Array {
  // The requests of all of these methods have the address in field 1. Their other fields have different types.
  const { address } = fromBinary(QueryAccountRequestSchema, request);
  return toBinary(QueryAccountRequestSchema, create(QueryAccountRequestSchema, { address }));
}

/**
 * Whether the answer of `/cosmos.auth.v1beta1.Query/Account` is an account with a vesting schedule. If so, its spendable balance
 * changes with the block time. Every type of the vesting module counts.
 */
export function isVestingAccount(response: Uint8Array): boolean {
  const { account } = fromBinary(QueryAccountResponseSchema, response);
  return account?.typeUrl.startsWith('/cosmos.vesting.') ?? false;
}

/** The requests of the methods whose answers leave out expired attributes. All have a page request. */
const attributeRequests = new Map(
  [QueryAttributeRequestSchema, QueryAttributesRequestSchema, QueryScanRequestSchema].map((schema) => [
    `/${schema.typeName.replace(/\.Query(\w+)Request$/, '.Query/$1')}`,
    schema,
  ]),
);

/**
 * The time of the first expiry in the answer of a `withoutExpiry` method, in nanoseconds since 1970. The answer is valid before
 * the first block with this time or a later one. Null if no attribute in it expires. Undefined if the answer may not be
 * carried, because it is one page of several, or the answer of another method.
 */
export function firstExpiry(path: string, request: Uint8Array, response: Uint8Array): bigint | null | undefined {
  const schema = attributeRequests.get(path);
  if (schema === undefined) return undefined;
  const page = fromBinary(schema, request).pagination;
  if (page !== undefined && (page.offset > 0n || page.key.length > 0)) return undefined;
  // The responses of the three methods have the same fields.
  const { attributes, pagination } = fromBinary(QueryAttributesResponseSchema, response);
  if (pagination !== undefined && pagination.nextKey.length > 0) return undefined;
  let first: bigint | null = null;
  for (const { expirationDate } of attributes) {
    if (expirationDate === undefined) continue;
    const time = expirationDate.seconds * 1_000_000_000n + BigInt(expirationDate.nanos);
    if (first === null || time < first) first = time;
  }
  return first;
}

export interface StateRootsOptions {
  readonly head: Pick<Head, 'onBlock' | 'onRewind' | 'stats'>;
  readonly transport: Transport;
  /**
   * Milliseconds after which the application's version is read again, with the next block: 60,000. It is also read again after an
   * upgrade, and when the subscription to new blocks was reopened, because a node that restarts may have another version.
   */
  readonly checkInterval?: number;
  /** The longest time in milliseconds that {@link StateRoots.settled} takes after a block: 500. */
  readonly longestWait?: number;
  /** The roots at heights whose blocks this process has not seen. */
  readonly past?: Pick<PastRoots, 'rootAt' | 'timeAt' | 'clear'> | undefined;
  /** Follows what was read from block to block by ranges of keys. */
  readonly keptReads?: FollowedReads | undefined;
  /** A table of stores that the operator has chosen. It is used where none of Stele holds. */
  readonly table?: StoreTable | undefined;
}

/**
 * Why answers are kept by the roots of their stores, or only by height.
 * - `USED`: they are kept by roots.
 * - `UNKNOWN`: no roots were learnt yet, because the server has just started or no node responds.
 * - `NO_TABLE`: no table of stores holds for the application of the chain.
 * - `NO_PROOFS`: the nodes return no valid proofs of roots. It is reported after ten blocks without them.
 * - `OFF`: this process does not learn roots.
 */
export type RootsState = 'USED' | 'UNKNOWN' | 'NO_TABLE' | 'NO_PROOFS' | 'OFF';

/** Whether roots are used, and for which application. */
export interface RootsStatus {
  readonly state: RootsState;
  /** The name and the version that the application reports; undefined until a node has responded. */
  readonly application: string | undefined;
  /** The name of the table of stores; undefined if none holds. */
  readonly table: string | undefined;
}

/** The number of blocks without proofs after which {@link RootsState} is `NO_PROOFS`. */
const blocksWithoutProofs = 10n;

/**
 * The state at each height, identified by the roots of its stores. A response that was computed from some stores is valid at
 * every height where {@link keyAt} returns the same text for these stores.
 */
export interface StateRoots {
  /** The stores of each query method, for the application that the chain has now. */
  methods(): MethodTable;
  status(): RootsStatus;
  /** Calls `listener` with each status that differs from the one before. Returns a function that removes the listener. */
  onStatus(listener: (status: RootsStatus) => void): () => void;
  /**
   * Text that is equal at two heights only if the application has the same version and these stores have the same roots at
   * both. Undefined if that is not known: the roots at this height were not learnt, neither with its block nor by a history, or the application is not
   * one that the table of stores holds for. Never waits. The stores are learnt at every block from then on.
   */
  keyAt(height: bigint, stores: readonly string[]): string | undefined;
  /** Whether reads are known to have the same responses at two heights, although roots of their stores differ. Never waits. */
  areSame(reads: readonly NamedRead[], from: bigint, to: bigint): boolean;
  /**
   * Resolves when the roots at a height are learnt or cannot be learnt, and 500 ms after its block at the latest. Undefined if
   * they are not being learnt now, and while roots take longer than that, so that a slow node delays requests once. A request
   * for the newest height may wait for it, because calls to the node would take as long. Never rejects.
   */
  settled(height: bigint): Promise<void> | undefined;
  /** The root of a store in hex after a block, if it follows from proofs that lead to this app hash, also in hex. Never waits. */
  rootOf(height: bigint, store: string, appHash: string): string | undefined;
  /** The root of a store at a height, if it was learnt with its block. Never waits. */
  treeAt(height: bigint, store: string): Root | undefined;
  /**
   * The roots of all stores of {@link methods} after a block, whose app hash is that of the next header. Reads their proofs. Stores that are not proven are
   * left out. Never rejects.
   */
  treesAfter(block: { readonly height: bigint; readonly appHash: string }): Promise<ReadonlyMap<string, Root>>;
  /** The proof of that root (`ics23:simple`) under this app hash, if it follows from what was learnt at one of the last heights. Never waits. The caller verifies it. */
  proofOf(height: bigint, store: string, appHash: string): Uint8Array | undefined;
  /** The block time at a height whose roots are known, in nanoseconds since 1970. Undefined for other heights. */
  timeAt(height: bigint): bigint | undefined;
  /**
   * Calls `listener` after roots were refuted by the next header. Texts of {@link keyAt} from before are never returned again.
   * What was stored under them may be wrong. Returns a function that removes the listener.
   */
  onDropped(listener: () => void): () => void;
  stats(): StoreRootsStats;
  /** Lets each response be followed by ranges of keys from its first execution on. */
  followFirst(): void;
  /** What is followed by ranges of keys. Undefined if nothing is. */
  keptReads(): FollowedReadsStats | undefined;
  /** Stops to learn roots. */
  close(): void;
}

/** What the NewBlock event of a block says about the application: its protocol version, and the app hash after the block, in hex. Undefined without an event. */
function applicationAfter({ block }: HeadBlock) {
  if (block === undefined) return undefined;
  const { version } = objectAt(objectAt(block, 'block'), 'header');
  const protocol = version === undefined ? undefined : asObject(version, 'version').app;
  const hash = bytesAt(objectAt(block, 'result_finalize_block'), 'app_hash');
  return { protocol: typeof protocol === 'string' ? protocol : '0', appHash: hash && Buffer.from(hash).toString('hex') };
}

/** The number of heights that are kept, as of the roots. */
const keptHeights = 256;

/** The number of lists of stores whose text is kept for a height. There are a few dozen in practice. */
const maxKeys = 500;

/** The texts of lists of stores that were asked for. */
const lists = new WeakMap<readonly string[], string>();

/** A height whose roots are learnt. */
interface LearntHeight {
  readonly time: bigint;
  /** The application at this height. */
  readonly application: string;
  /** The texts of {@link StateRoots.keyAt} by the names of their stores. */
  readonly keys: Map<string, string>;
}

/**
 * Learns the roots of each new block of the head, before a request needs them, and the version of the application. The header
 * of each block confirms the roots after the block before it.
 *
 * A block that was read from `status` has no result. Its roots are learnt if `abci_info` still reports the same height.
 */
export function createStateRoots(options: StateRootsOptions): StateRoots {
  const { head, transport, checkInterval = 60_000, longestWait = 500, past, keptReads, table: chosenTable } = options;
  const stores = createStoreRoots({ transport });
  const heights = new Map<bigint, LearntHeight>();
  const listeners = new Set<() => void>();
  /** Part of every text. It changes when roots were refuted, so that entries from before are not found. */
  let generation = 0;
  let application: Application | undefined;
  /** The table that holds for the application. Until that is known, reads note the stores of the most likely one. */
  let table: StoreTable | undefined = chosenTable ?? provenanceTable;
  /** The first block, and the last one whose roots are known. */
  let firstHeight: bigint | undefined;
  let learntHeight: bigint | undefined;
  const statusListeners = new Set<(status: RootsStatus) => void>();
  let status: RootsStatus = { state: 'UNKNOWN', application: undefined, table: undefined };
  let protocol = '0';
  let checkedAt = Number.NEGATIVE_INFINITY;
  let upgradeRoot: string | undefined;
  let subscriptions = 0;
  /** Whether the roots of the last block were learnt in time. */
  let isPrompt = true;
  /** The height whose roots are being learnt. */
  let current: { readonly height: bigint; readonly over: Promise<void>; readonly waiting: AbortController } | undefined;

  async function readApplication(): Promise<Application | undefined> {
    checkedAt = performance.now();
    try {
      const running = await transport.call('abci_info', {}, { decode: decodeApplication });
      // Another version may have other stores.
      if (running.version !== application?.version) stores.forgetMissing();
      application = running;
      table = anyTable(running, chosenTable);
    } catch {
      // The next block tries again.
      checkedAt = Number.NEGATIVE_INFINITY;
    }
    return application;
  }

  /** Resolves with whether the roots after a block are known, and reports the status. */
  async function learn(block: HeadBlock): Promise<boolean> {
    let isLearnt = false;
    try {
      const event = applicationAfter(block);
      const newSubscriptions = head.stats().subscriptions;
      const isDue = newSubscriptions !== subscriptions || performance.now() - checkedAt >= checkInterval;
      subscriptions = newSubscriptions;
      const running = isDue || event?.appHash === undefined ? await readApplication() : application;
      if (running === undefined || table === undefined) return false;
      const appHash = event?.appHash ?? (running.height === block.height ? running.appHash : undefined);
      if (appHash === undefined) return false;
      protocol = event?.protocol ?? protocol;
      const started = generation;
      const isProven = await stores.learn({ height: block.height, appHash });
      if (!isProven || started !== generation) return false;
      const [root] = stores.rootsAt(block.height, ['upgrade']) ?? [];
      // An upgrade changes the code, and usually the version.
      if (upgradeRoot !== undefined && root !== upgradeRoot) checkedAt = Number.NEGATIVE_INFINITY;
      upgradeRoot = root;
      if (application === undefined || table === undefined) return false;
      const text = `${application.version} ${protocol}`;
      heights.set(block.height, { time: parseTime(block.time), application: text, keys: new Map() });
      for (const height of heights.keys()) {
        if (heights.size <= keptHeights) break;
        heights.delete(height);
      }
      isLearnt = true;
      await keptReads?.walk({ height: block.height, appHash: appHash.toUpperCase(), application: `${text} ${root}` });
      return true;
    } finally {
      report(block.height, isLearnt);
    }
  }

  /** Reports the status after a block, if it has changed. */
  function report(height: bigint, isLearnt: boolean): void {
    firstHeight ??= height;
    if (isLearnt) learntHeight = height;
    const sinceLearnt = height - (learntHeight ?? firstHeight);
    let state: RootsState = learntHeight === undefined ? 'UNKNOWN' : 'USED';
    if (sinceLearnt >= blocksWithoutProofs && application !== undefined) state = 'NO_PROOFS';
    if (application !== undefined && table === undefined) state = 'NO_TABLE';
    const text = application && `${application.name} ${application.version}`;
    const tableName = application && table?.name;
    if (state === status.state && text === status.application && tableName === status.table) return;
    status = { state, application: text, table: tableName };
    for (const listener of [...statusListeners]) listener(status);
  }

  /** Learns the roots after a block. Until then, {@link StateRoots.settled} returns its promise. */
  async function follow(block: HeadBlock, waiting: AbortController): Promise<void> {
    try {
      // Other listeners to the block come first: what they read is learnt, too.
      const learning = Promise.resolve(block).then(learn);
      const outcome = await Promise.race([learning, pause(longestWait, waiting.signal)]);
      isPrompt = outcome !== undefined;
    } catch {
      // A malformed event leaves the roots unknown. The head reports it.
      isPrompt = true;
    }
    waiting.abort();
    if (current?.waiting === waiting) current = undefined;
  }

  function drop(): void {
    generation += 1;
    heights.clear();
    past?.clear();
    keptReads?.clear();
    upgradeRoot = undefined;
  }

  /** The text at a height whose block this process has not seen. The nodes execute reads at every height with the application that they have now. */
  function keyInPast(height: bigint, names: readonly string[]): string | undefined {
    if (past === undefined || application === undefined || table === undefined) return undefined;
    const roots: string[] = [];
    for (const name of names) {
      const root = past.rootAt(name, height);
      if (root === undefined) return undefined;
      roots.push(root);
    }
    return keyOf(`${application.version} ${protocol}`, names, roots);
  }

  function keyOf(running: string, names: readonly string[], roots: readonly string[]): string {
    let text = `${generation} ${running}`;
    for (const [index, name] of names.entries()) text += ` ${name}=${roots[index]}`;
    return createHash('sha256').update(text).digest('base64');
  }

  const stopBlocks = head.onBlock((block) => {
    if (block.appHash !== '') stores.confirm(block);
    const waiting = new AbortController();
    const over = follow(block, waiting);
    if (isPrompt && application !== undefined && table !== undefined) current = { height: block.height, over, waiting };
  });
  const stopRewinds = head.onRewind(() => {
    stores.clear();
    drop();
  });
  const stopDropped = stores.onDropped(() => {
    drop();
    for (const listener of [...listeners]) listener();
  });

  return {
    methods: () => table?.methods ?? noMethods,
    status: () => status,
    onStatus(listener) {
      statusListeners.add(listener);
      return () => statusListeners.delete(listener);
    },
    keyAt(height, names) {
      const learnt = heights.get(height);
      if (learnt === undefined) {
        // The stores are in use from now on.
        stores.rootsAt(height, names);
        return keyInPast(height, names);
      }
      let list = lists.get(names);
      if (list === undefined) {
        list = names.join();
        lists.set(names, list);
      }
      const earlier = learnt.keys.get(list);
      if (earlier !== undefined) return earlier;
      const roots = stores.rootsAt(height, names);
      if (roots === undefined) return keyInPast(height, names);
      const key = keyOf(learnt.application, names, roots);
      if (learnt.keys.size < maxKeys) learnt.keys.set(list, key);
      return key;
    },
    areSame: (reads, from, to) => keptReads?.areSame(reads, from, to) ?? false,
    settled: (height) => (current?.height === height ? current.over : undefined),
    rootOf: (height, store, appHash) => stores.rootOf(store, { height, appHash: appHash.toLowerCase() }),
    treeAt: stores.treeAt,
    treesAfter: (block) => stores.treesAfter(block, [...(table?.methods ?? noMethods).byStore.keys(), 'upgrade']),
    proofOf: (height, store, appHash) => stores.proofOf(store, { height, appHash: appHash.toLowerCase() }),
    timeAt: (height) => heights.get(height)?.time ?? past?.timeAt(height),
    onDropped(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stats: stores.stats,
    followFirst: () => keptReads?.followFirst(),
    keptReads: () => keptReads?.stats(),
    close() {
      current?.waiting.abort();
      stopBlocks();
      stopRewinds();
      stopDropped();
    },
  };
}

/** Roots that are never known, so that everything is kept by height. */
export const unknownRoots: StateRoots = {
  methods: () => provenanceTable.methods,
  status: () => ({ state: 'OFF', application: undefined, table: undefined }),
  onStatus: () => () => undefined,
  keyAt: () => undefined,
  areSame: () => false,
  settled: () => undefined,
  rootOf: () => undefined,
  treeAt: () => undefined,
  treesAfter: async () => new Map(),
  proofOf: () => undefined,
  timeAt: () => undefined,
  onDropped: () => () => undefined,
  stats: () => ({ learnt: 0, failed: 0, refuted: 0, requests: 0, changes: new Map(), heights: 0 }),
  followFirst: () => undefined,
  keptReads: () => undefined,
  close: () => undefined,
};
