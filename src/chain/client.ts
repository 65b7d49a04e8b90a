import { ChainError } from './base/errors.ts';
import type { LazySignal } from './base/time.ts';
import { type BlockLog, createBlockLog, sizeOf } from './blocks/blockLog.ts';
import { type BlockTimes, createBlockTimes } from './blocks/blockTimes.ts';
import type { CommittedBlock } from './blocks/committedBlock.ts';
import { createHead, type Head, type HeadBlock } from './blocks/head.ts';
import { createSingleBlocks } from './blocks/singleBlocks.ts';
import { createValidatorSets, type ValidatorSets } from './blocks/validatorSets.ts';
import { createDescriptors, type DescriptorCache, type Descriptors } from './descriptors/descriptors.ts';
import { createEventMatcher, type EventMatcher, isSearch, type SearchIndex } from './events/eventQuery.ts';
import { createLiveKinds, type LiveKinds } from './events/liveEvents.ts';
import type { LightClient } from './lightClient/lightClient.ts';
import { type BoundedCache, createMemoryBudget, type MemoryBudget, valueBytes } from './memory/memoryBudget.ts';
import type { KeptPast } from './past/keptPast.ts';
import { type AnswerProofs, createAnswerProofs } from './proofs/answerProofs.ts';
import { type ChainProofs, createProofs, type Proofs } from './proofs/proofs.ts';
import { provenTransport, type ReadLevel } from './proofs/provenTransport.ts';
import { createQuorumReads } from './quorumReads.ts';
import { createKeptReads } from './ranges/keptReads.ts';
import type { MethodTable } from './roots/methodTables.ts';
import { createPastRoots, type PastRoots } from './roots/pastRoots.ts';
import { createStateRoots, type StateRoots, type StateRootsOptions, unknownRoots } from './roots/stateRoots.ts';
import { createSimulationGuard, type SimulationRules, type SimulationStats } from './simulation/simulations.ts';
import { createServedMethods } from './state/servedMethods.ts';
import { createStateReader, type Dependencies, type StateAt } from './state/state.ts';
import { type SharedReads, type StateEntry, type StoreWait, sizeOfEntry } from './state/stateEntries.ts';
import { noTracer, type Tracer } from './tracing/tracer.ts';
import { type Broadcaster, type BroadcasterOptions, createBroadcaster } from './transactions/broadcaster.ts';
import { isCompared } from './transports/quorum.ts';
import { traced } from './transports/tracedTransport.ts';
import type {
  CallCount,
  CallOptions,
  HedgeCounts,
  NodeHandle,
  NodeView,
  QuorumCounts,
  Transport,
} from './transports/transport.ts';
import type { HeadVerification } from './transports/verification.ts';
import type { Block } from './wire/block.ts';
import type { JsonObject, JsonValue } from './wire/json.ts';

/** What a server has recorded of the chain, as the layers below the archive know it. `Archive` of `src/archive` implements it. */
export interface RecordedChain {
  /** Changes whenever the records at a height that was already held may have changed. */
  readonly generation: bigint;
}

/** A chain, read through one transport. Closing the client ends everything that it started. */
export interface Client {
  /** The newest block. */
  readonly head: Head;
  /** Every block in order, from any height. */
  readonly blocks: BlockLog;
  /**
   * Identifies the chain in cache keys: its id, plus a counter after a {@link Head.onRewind}, so that older entries are not
   * found. Throws NODE_UNREACHABLE if no node has responded yet.
   */
  chainKey(): string;
  /**
   * The state at a height. Throws NODE_UNREACHABLE if no node has responded yet. `signal` aborts its queries. `dependencies`
   * notes what they read. `storeWait` is that of the request, if it reads at several heights. `quorum` is how many nodes must agree, if more than by default.
   */
  at(
    height: bigint,
    signal?: AbortSignal | LazySignal,
    dependencies?: Dependencies,
    storeWait?: StoreWait,
    quorum?: number,
  ): StateAt;
  /** How many nodes agree on each read that can be compared. */
  readonly quorum: number;
  /**
   * The same client, whose reads so many nodes must agree on. `onBelieved` is called when it reads what cannot be compared. It has no further blocks in memory and no archive
   * index.
   */
  withQuorum(quorum: number, onBelieved: () => void): Client;
  /** The roots of the chain's stores by height, which tell whether a response is valid at another height. */
  readonly roots: StateRoots;
  /** The roots at any height, and the heights at which they changed. */
  readonly pastRoots: PastRoots;
  /** A block at a height up to the head. It comes from the block log or a cache, or is read from a node and cached. */
  block(height: bigint, signal?: AbortSignal): Promise<Block>;
  /** A block that is in memory; undefined if it must be read from a node. */
  blockInMemory(height: bigint): Block | undefined;
  /** The validator set that signs the block at a height: from memory, or from a node. */
  validators(height: bigint, signal?: AbortSignal): ReturnType<ValidatorSets['at']>;
  /** Evaluates event queries on blocks of the log. Each block is flattened once. */
  readonly events: EventMatcher;
  /** Consensus events, which are not part of any block. */
  readonly live: LiveKinds;
  /**
   * Calls any method of the node's RPC, without caching. In `params`, integers are decimal strings. With `height`, nodes below
   * that height are skipped. If `decode` throws a `ChainError`, the next node is tried. A search that the index of
   * {@link searchWith} covers is answered from it, without a call.
   */
  call<T>(method: string, params: JsonObject, options: CallOptions<T>): Promise<T>;
  call(method: string, params?: JsonObject, options?: Omit<CallOptions<JsonValue>, 'decode'>): Promise<JsonValue>;
  /** Subscribes to a query at a node, until the subscription ends. */
  subscribe: Transport['subscribe'];
  /**
   * The height of the last block whose time is not after `time`. Rejects with HEIGHT_NOT_YET_AVAILABLE if `time` is after that of the newest block,
   * and with HEIGHT_PRUNED if it is before that of the oldest block that nodes have. Both errors have the time of that block.
   */
  readonly heightAt: BlockTimes['heightAt'];
  /** The time of a block. Rejects with HEIGHT_PRUNED if no node has it. */
  readonly timeOf: BlockTimes['timeOf'];
  /** Answers the searches of {@link call} from an index, as far as it covers them. */
  searchWith(index: SearchIndex): void;
  /** Looks up the roots and the times of past blocks in what is kept, before a node is asked. */
  remember(past: KeptPast): void;
  /** Gives the client the archive of its chain, which the sources of its pins then have. */
  attach(archive: RecordedChain): void;
  /** The archive of the chain; undefined if the server runs without one. */
  archive(): RecordedChain | undefined;
  /** The protobuf types that the chain describes. */
  readonly descriptors: Descriptors;
  /**
   * Whether the application of the chain serves a query method, by its path, such as `/cosmos.group.v1.Query/Groups`. A node is asked once for each version of
   * the application, without running the method. Rejects with NODE_… if no node can be asked, and with the reason of `signal`.
   */
  serves(path: string, signal?: AbortSignal): Promise<boolean>;
  /** Sends transactions and tracks them until a block contains them. */
  readonly broadcaster: Broadcaster;
  /** The memory of all caches of this process. */
  readonly memory: MemoryBudget;
  /**
   * The state of each upstream node, in the configured order. Empty if the transport leads to a single node. Calling it starts
   * a round of `status` calls if the last one is old.
   */
  nodes(): readonly NodeView[];
  /** A node by its alias, for calls to this node whatever its health and chain. */
  node(alias: string): NodeHandle | undefined;
  /** How the newest blocks are verified; undefined if they are not. */
  readonly verification: HeadVerification | undefined;
  /** The state with its proofs; undefined if the newest blocks are not verified. */
  readonly proofs: Proofs | undefined;
  /** Reads of the state since the start by how they were answered; undefined unless reads are proven. */
  levels(): ReadonlyMap<ReadLevel, number> | undefined;
  /** Whether the operator lets proposals be rehearsed whose messages may execute a contract. */
  readonly rehearsesContracts: boolean;
  /** Makes the proofs of answers; undefined if no headers are verified. */
  readonly answerProofs: AnswerProofs | undefined;
  /** What simulations have done to the nodes; undefined if another process calls the nodes. */
  simulations(): SimulationStats | undefined;
  /** The calls to each node since the start; empty if the transport does not count them. */
  calls(): readonly CallCount[];
  /** What came of calls that several nodes had to agree on; undefined if another process calls the nodes. */
  quorums(): QuorumCounts | undefined;
  /** What came of calls that were made on a second node; undefined if another process calls the nodes. */
  hedges(): HedgeCounts | undefined;
  /** Milliseconds since the newest block arrived, by the monotonic clock; 0 before the first. */
  sinceBlock(): number;
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly transport: Transport;
  /** How many nodes the transport makes agree on a read that can be compared: 1. */
  readonly quorum?: number | undefined;
  /** Where responses to queries at a height are kept: in `memory` by default. */
  readonly stateCache?: BoundedCache<StateEntry>;
  /** Makes the reads that other processes share. `blockHash` returns the hash of a block in memory. Default: none. */
  readonly shared?: ((blockHash: (height: bigint) => string | undefined) => SharedReads) | undefined;
  /** The methods whose responses are valid while the roots of their stores stay the same. Default: those of the chain's application. */
  readonly methods?: MethodTable | undefined;
  /** The memory of all caches: the default budget if absent. */
  readonly memory?: MemoryBudget;
  readonly head?: Head;
  /** Verifies the blocks of the transport, and proves the state. Absent in a process that does not call the nodes. */
  readonly light?: LightClient | undefined;
  /** The proven state of another process. */
  readonly proofs?: Proofs | undefined;
  /** Where the chain's descriptors are kept between starts; undefined to keep none. */
  readonly descriptorCache?: DescriptorCache | undefined;
  /** Whether the roots of the chain's stores are learnt, so that responses are kept by roots: true. */
  readonly learnsRoots?: boolean;
  /** Whether reads are followed by ranges of keys where a root has changed: true. */
  readonly followsRanges?: boolean;
  /** Sends the transactions of this client. Default: its own broadcaster. */
  readonly sender?: Broadcaster | undefined;
  /** Time limits of the broadcaster. */
  readonly broadcaster?: BroadcasterOptions;
  /** Which simulations the nodes execute. Default: plain transactions of callers who may simulate. */
  readonly simulation?: SimulationRules | undefined;
  /** See {@link Client.rehearsesContracts}: false. */
  readonly rehearsesContracts?: boolean;
  /** Times of the roots, and the table of stores that the operator has chosen. */
  readonly roots?: Pick<StateRootsOptions, 'checkInterval' | 'longestWait' | 'table'>;
  /** Records calls and transactions: nothing by default. */
  readonly tracer?: Tracer | undefined;
}

/** How long a node with a wrong answer about the state is put aside, in ms. */
const refutedTime = 60_000;

export function createClient(options: ClientOptions): Client {
  const { tracer = noTracer, memory = createMemoryBudget(), learnsRoots = true, followsRanges = true, quorum = 1 } = options;
  const guard = options.transport.guardsSimulations
    ? undefined
    : createSimulationGuard(
        options.transport,
        {
          registry: async (signal) => (await descriptors.pool({ signal })).registry,
          newest: (signal) => reader.at(newest().height, signal),
        },
        options.simulation,
      );
  const { light } = options;
  const { verification } = options.transport;
  const provesReads = verification?.provesReads ?? false;
  const nodes = traced(guard?.transport ?? options.transport, tracer);
  const ownProofs: ChainProofs | undefined =
    light &&
    createProofs({
      ...{ transport: nodes, verification: light, light, memory },
      chainId: () => newest().chainId,
      rootOf: ({ height, appHash }, store) => roots.rootOf(height, store, appHash),
      proofOfRoot: ({ height, appHash }, store) => roots.proofOf(height, store, appHash),
      onRefuted(result, { path, request, height }, { code, message }) {
        const received = { path, request, height: height.toString(), answer: result };
        putAside(light.refute(result, { height, code, reason: message, received }));
      },
    });
  const levels = new Map<ReadLevel, number>();
  const transport: Transport =
    ownProofs === undefined || light === undefined || !provesReads
      ? nodes
      : provenTransport(nodes, ownProofs, {
          count: (level) => levels.set(level, (levels.get(level) ?? 0) + 1),
          onContradiction(result, { path, height, request, answer }) {
            const reason = `The node answered ${path} at height ${height} otherwise than the proven state.`;
            const received = { path, request, height: height.toString(), answer: result, proven: answer };
            putAside(light.refute(result, { height, code: 'NOT_PROVEN', reason, received }));
          },
        });
  const head =
    options.head ?? createHead({ transport, behind: !provesReads ? undefined : light === undefined ? 'FOLLOWS' : 'WAITS' });
  const cache = options.stateCache ?? memory.cache('state', 'state', sizeOfEntry);
  let keptPast: KeptPast | undefined;
  const pastRoots = createPastRoots({
    ...{ transport, newest: head.current },
    learnt: (height, store) => roots.treeAt(height, store),
    kept: () => keptPast,
  });
  const shared = options.shared?.(hashInMemory);
  const keptReads =
    learnsRoots && followsRanges ? createKeptReads({ ...{ transport: nodes, memory, shared }, roots: () => roots }) : undefined;
  const roots: StateRoots = learnsRoots
    ? createStateRoots({ ...options.roots, head, transport, past: pastRoots, keptReads })
    : unknownRoots;
  const served = createServedMethods({ transport, pool: () => descriptors.current() });
  const { methods: givenMethods } = options;
  const methods = givenMethods === undefined ? roots.methods : () => givenMethods;
  const reader = createStateReader({ transport, chain: chainKey, cache, shared, roots, methods, served, quorum, keptReads });
  const quorumReads = createQuorumReads({ head, transport, memory, chainId });
  const past = memory.cache<CommittedBlock>('blocks', 'past', sizeOf);
  const blocks = createBlockLog({ head, transport, newestBytes: memory.share('newestBlocks'), past });
  memory.report('newestBlocks', 'newest', () => blocks.stats().newest);
  const descriptors = createDescriptors({
    head,
    transport,
    cache: options.descriptorCache,
    maxBytes: memory.share('descriptors'),
    // With the text of each, which responses print.
    messages: memory.cache<JsonValue>('state', 'messages', (json) => 2 * valueBytes(json)),
  });
  memory.report('descriptors', 'types', descriptors.counts);
  /** Blocks without results that are not in the log. */
  const singleBlocks = createSingleBlocks({ head, transport, memory, name: 'withoutResults', chainId });
  const validatorSets = createValidatorSets({ head, transport, memory });
  const blockTimes = createBlockTimes({ head, transport, kept: () => keptPast });

  let seenAt = performance.now();
  let subscriptions = 0;
  const stopListening = head.onBlock(() => {
    seenAt = performance.now();
    // A node that restarts may have another application.
    const now = head.stats().subscriptions;
    if (now !== subscriptions) served.clear();
    subscriptions = now;
  });
  const clearState = (): void => {
    validatorSets.clear();
    cache.clear();
    quorumReads.clear();
  };
  const stopDropping = roots.onDropped(clearState);
  descriptors.onVersion(served.clear);
  const stopClearing = head.onRewind(() => {
    keptPast?.forget();
    singleBlocks.clear();
    served.clear();
    ownProofs?.clear();
    clearState();
  });

  function chainId(): string {
    return newest().chainId;
  }

  /** Lets other nodes serve for a while, if there are any. */
  function putAside(alias: string | undefined): void {
    if (alias !== undefined) nodes.handle?.(alias)?.eject?.(refutedTime);
  }

  function chainKey(): string {
    const generation = head.generation();
    return generation === 0 ? newest().chainId : `${newest().chainId}#${generation}`;
  }

  function newest(): HeadBlock {
    const current = head.current();
    if (current === undefined) throw new ChainError('NODE_UNREACHABLE', 'No node has responded yet.', {});
    return current;
  }

  /** The hash of a block, upper case hex. Undefined if the block is not in memory. */
  function hashInMemory(height: bigint): string | undefined {
    const current = head.current();
    if (current?.height === height) return current.hash;
    return blockInMemory(height)?.blockId.hash;
  }

  let index: SearchIndex | undefined;
  let archive: RecordedChain | undefined;
  function call<T>(method: string, params: JsonObject, options: CallOptions<T>): Promise<T>;
  function call(method: string, params?: JsonObject, options?: Omit<CallOptions<JsonValue>, 'decode'>): Promise<JsonValue>;
  function call<T>(method: string, params: JsonObject = {}, options: Partial<CallOptions<T>> = {}): Promise<T | JsonValue> {
    const full = { ...options, decode: options.decode ?? ((result: JsonValue): T | JsonValue => result) };
    if (index === undefined || !isSearch(method)) return transport.call(method, params, full);
    return index.search(method, params, options).then((result) => {
      if (result === undefined) return transport.call(method, params, full);
      options.onIndex?.();
      return full.decode(result);
    });
  }

  const blockInMemory = (height: bigint): Block | undefined => blocks.at(height) ?? singleBlocks.inMemory(height);

  async function blockAt(height: bigint, signal?: AbortSignal): Promise<Block> {
    return blockInMemory(height) ?? singleBlocks.read(height, signal);
  }

  const proofs = options.proofs ?? ownProofs;
  const answerProofs = proofs && createAnswerProofs({ proofs, behind: provesReads ? 0n : 1n, memory });

  const live = createLiveKinds({ transport, head });
  const broadcaster =
    options.sender ?? createBroadcaster({ ...options.broadcaster, head, blocks, transport, block: blockAt, memory });

  /** This client, which reports what it reads that cannot be compared. `callNodes` makes its calls. */
  function reporting(onBelieved: () => void, callNodes: Transport['call'], usesIndex: boolean): Client {
    function reported<T>(method: string, params: JsonObject, callOptions: CallOptions<T>): Promise<T>;
    function reported(method: string, params?: JsonObject, callOptions?: Partial<CallOptions<never>>): Promise<JsonValue>;
    function reported<T>(
      method: string,
      params: JsonObject = {},
      callOptions: Partial<CallOptions<T>> = {},
    ): Promise<T | JsonValue> {
      const isFromIndex = usesIndex && index !== undefined && isSearch(method);
      if (isFromIndex || !isCompared(method, params, callOptions.height)) onBelieved();
      const { decode = (result: JsonValue): T | JsonValue => result } = callOptions;
      return callNodes(method, params, { ...callOptions, decode });
    }
    return {
      ...client,
      call: reported,
      archive() {
        onBelieved();
        return archive;
      },
    };
  }

  function withQuorum(ofRequest: number, onBelieved: () => void): Client {
    if (ofRequest <= quorum) return reporting(onBelieved, call, true);
    const reads = quorumReads.of(ofRequest);
    const inMemory = (height: bigint): Block | undefined => reads.blocks.at(height) ?? reads.singleBlocks.inMemory(height);
    return {
      ...reporting(onBelieved, reads.transport.call, false),
      quorum: ofRequest,
      at: (height, signal, dependencies, storeWait) => reader.at(height, signal, dependencies, storeWait, ofRequest),
      block: async (height, signal) => inMemory(height) ?? reads.singleBlocks.read(height, signal),
      blockInMemory: inMemory,
      blocks: reads.blocks,
      validators: reads.validators.at,
      heightAt: reads.heightAt,
    };
  }

  const client: Client = {
    head,
    blocks,
    events: createEventMatcher(),
    live,
    chainKey,
    at: reader.at,
    quorum,
    withQuorum,
    roots,
    pastRoots,
    block: blockAt,
    blockInMemory,
    validators: validatorSets.at,
    call,
    heightAt: blockTimes.heightAt,
    timeOf: blockTimes.timeOf,
    subscribe: transport.subscribe,
    searchWith(searchIndex) {
      index = searchIndex;
    },
    remember(past) {
      keptPast = past;
    },
    attach(recorded) {
      archive = recorded;
    },
    archive: () => archive,
    descriptors,
    serves: served.serves,
    broadcaster,
    memory,
    nodes: () => transport.nodes?.() ?? [],
    proofs,
    levels: () => (transport === nodes ? undefined : levels),
    rehearsesContracts: options.rehearsesContracts ?? false,
    verification,
    answerProofs,
    simulations: () => guard?.stats(),
    calls: () => transport.calls?.() ?? [],
    quorums: () => transport.quorums?.(),
    hedges: () => transport.hedges?.(),
    node: (alias) => transport.handle?.(alias),
    sinceBlock: () => (head.current() === undefined ? 0 : performance.now() - seenAt),
    async close() {
      stopListening();
      stopClearing();
      stopDropping();
      roots.close();
      broadcaster.close();
      live.close();
      blocks.close();
      quorumReads.close();
      head.close();
      await transport.close();
    },
  };
  return client;
}
