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
import type { Transport } from '../transports/transport.ts';
import type { HeadBlock } from '../wire/block.ts';
import { asObject, bigintAt, bytesAt, type JsonValue, objectAt, textAt } from '../wire/json.ts';
import { type Carry, type MethodStores, type StoreName, storesByMethod } from './gen/storesByMethod.ts';
import { createStoreRoots, type StoreRootsStats } from './storeRoots.ts';

/** The stores of a method whose answers may be kept by the roots of these stores. */
export interface CarriedMethod {
  /** In alphabetical order. `upgrade` is always one of them, because an upgrade may change how the answer is computed. */
  readonly stores: readonly StoreName[];
  readonly carry: Exclude<Carry, 'never'>;
}

/** The methods whose answers may be kept by the roots of their stores. */
export type MethodTable = ReturnType<typeof createMethodTable>;

/** Creates the table of these rows. The root of `upgrade` is added to each of them. */
export function createMethodTable(rows: Readonly<Record<string, MethodStores>>) {
  const withUpgrade = (stores: readonly StoreName[]): readonly StoreName[] =>
    [...new Set<StoreName>([...stores, 'upgrade'])].sort();
  const methods: ReadonlyMap<string, CarriedMethod> = new Map(
    Object.entries(rows).flatMap(([path, { stores, carry }]): [string, CarriedMethod][] =>
      carry === 'never' ? [] : [[path, { stores: withUpgrade(stores), carry }]],
    ),
  );
  const keys: ReadonlyMap<string, readonly StoreName[]> = new Map(
    Object.values(rows).flatMap(({ stores }) =>
      stores.map((store): [string, readonly StoreName[]] => [store, withUpgrade([store])]),
    ),
  );
  return {
    /**
     * The stores of the query method at a path (`/cosmos.group.v1.Query/Proposal`). Undefined if its answers must be kept by height:
     * the method is not in the table, or its answers depend on anything but stores.
     */
    method: methods.get.bind(methods),
    /** The stores of a read of one key of a store. Undefined for a store that the table does not contain. */
    storesOfKey: keys.get.bind(keys),
  };
}

/**
 * The table of Provenance v1.29. Another chain may use the rows of the modules that it shares, if its application and its
 * version of the Cosmos SDK are known to match (docs/stores.md).
 */
export const provenanceMethods: MethodTable = createMethodTable(storesByMethod);

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
}

/**
 * The state at each height, identified by the roots of its stores. A response that was computed from some stores is valid at
 * every height where {@link keyAt} returns the same text for these stores.
 */
export interface StateRoots {
  /**
   * Text that is equal at two heights only if the application has the same version and these stores have the same roots at
   * both. Undefined if that is not known: the roots at this height were not learnt, or the application is not one that the
   * table of stores holds for. Never waits. The stores are learnt at every block from then on.
   */
  keyAt(height: bigint, stores: readonly StoreName[]): string | undefined;
  /**
   * Resolves when the roots at a height are learnt or cannot be learnt, and 500 ms after its block at the latest. Undefined if
   * they are not being learnt now, and while roots take longer than that, so that a slow node delays requests once. A request
   * for the newest height may wait for it, because calls to the node would take as long. Never rejects.
   */
  settled(height: bigint): Promise<void> | undefined;
  /** The block time at a height whose roots are known, in nanoseconds since 1970. Undefined for other heights. */
  timeAt(height: bigint): bigint | undefined;
  /**
   * Calls `listener` after roots were refuted by the next header. Texts of {@link keyAt} from before are never returned again.
   * What was stored under them may be wrong. Returns a function that removes the listener.
   */
  onDropped(listener: () => void): () => void;
  stats(): StoreRootsStats;
  /** Stops to learn roots. */
  close(): void;
}

type Application = ReturnType<typeof decodeApplication>;

/** Decodes `abci_info`. `appHash` is the one after the block at `height`, in upper case hex. */
function decodeApplication(result: JsonValue) {
  const response = objectAt(asObject(result, 'abci_info'), 'response');
  const hash = bytesAt(response, 'last_block_app_hash') ?? new Uint8Array();
  const name = textAt(response, 'data');
  const version = textAt(response, 'version');
  return {
    version,
    /** Whether the table of stores was established for it (docs/stores.md). */
    isInTable: name === 'provenanced' && /^v?1\.29\.\d/.test(version),
    height: bigintAt(response, 'last_block_height'),
    appHash: Buffer.from(hash).toString('hex').toUpperCase(),
  };
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
const lists = new WeakMap<readonly StoreName[], string>();

function listText(names: readonly StoreName[]): string {
  const known = lists.get(names);
  if (known !== undefined) return known;
  const list = names.join();
  lists.set(names, list);
  return list;
}

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
  const { head, transport, checkInterval = 60_000, longestWait = 500 } = options;
  const stores = createStoreRoots({ transport });
  const heights = new Map<bigint, LearntHeight>();
  const listeners = new Set<() => void>();
  /** Part of every text. It changes when roots were refuted, so that entries from before are not found. */
  let generation = 0;
  let application: Application | undefined;
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
      application = await transport.call('abci_info', {}, { decode: decodeApplication });
    } catch {
      // The next block tries again.
      checkedAt = Number.NEGATIVE_INFINITY;
    }
    return application;
  }

  /** Resolves with whether the roots after a block are known. */
  async function learn(block: HeadBlock): Promise<boolean> {
    const event = applicationAfter(block);
    const newSubscriptions = head.stats().subscriptions;
    const isDue = newSubscriptions !== subscriptions || performance.now() - checkedAt >= checkInterval;
    subscriptions = newSubscriptions;
    const running = isDue || event?.appHash === undefined ? await readApplication() : application;
    if (!running?.isInTable) return false;
    const appHash = event?.appHash ?? (running.height === block.height ? running.appHash : undefined);
    if (appHash === undefined) return false;
    protocol = event?.protocol ?? protocol;
    const started = generation;
    const isLearnt = await stores.learn({ height: block.height, appHash });
    if (!isLearnt || started !== generation) return false;
    const [root] = stores.rootsAt(block.height, ['upgrade']) ?? [];
    // An upgrade changes the code, and usually the version.
    if (upgradeRoot !== undefined && root !== upgradeRoot) checkedAt = Number.NEGATIVE_INFINITY;
    upgradeRoot = root;
    if (!application?.isInTable) return false;
    const text = `${application.version} ${protocol}`;
    heights.set(block.height, { time: parseTime(block.time), application: text, keys: new Map() });
    for (const height of heights.keys()) {
      if (heights.size <= keptHeights) break;
      heights.delete(height);
    }
    return true;
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
    upgradeRoot = undefined;
  }

  const stopBlocks = head.onBlock((block) => {
    if (block.appHash !== '') stores.confirm(block);
    const waiting = new AbortController();
    const over = follow(block, waiting);
    if (isPrompt && application?.isInTable) current = { height: block.height, over, waiting };
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
    keyAt(height, names) {
      const learnt = heights.get(height);
      if (learnt === undefined) {
        // The stores are in use from now on.
        stores.rootsAt(height, names);
        return undefined;
      }
      const list = listText(names);
      const earlier = learnt.keys.get(list);
      if (earlier !== undefined) return earlier;
      const roots = stores.rootsAt(height, names);
      if (roots === undefined) return undefined;
      let text = `${generation} ${learnt.application}`;
      for (const [index, name] of names.entries()) text += ` ${name}=${roots[index]}`;
      const key = createHash('sha256').update(text).digest('base64');
      if (learnt.keys.size < maxKeys) learnt.keys.set(list, key);
      return key;
    },
    settled: (height) => (current?.height === height ? current.over : undefined),
    timeAt: (height) => heights.get(height)?.time,
    onDropped(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stats: stores.stats,
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
  keyAt: () => undefined,
  settled: () => undefined,
  timeAt: () => undefined,
  onDropped: () => () => undefined,
  stats: () => ({ learnt: 0, failed: 0, refuted: 0, requests: 0, changes: new Map(), heights: 0 }),
  close: () => undefined,
};
