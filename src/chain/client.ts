import { ChainError } from './base/errors.ts';
import { type BlockLog, createBlockLog } from './blocks/blockLog.ts';
import { sizeOf, sizeOfBlock } from './blocks/blockStore.ts';
import type { CommittedBlock } from './blocks/committedBlock.ts';
import type { Head, HeadBlock } from './blocks/head.ts';
import { createHead } from './blocks/head.ts';
import type { DescriptorCache } from './descriptors/descriptorCache.ts';
import { createDescriptors, type Descriptors } from './descriptors/descriptors.ts';
import { createEventMatcher, type EventMatcher } from './events/eventMaps.ts';
import { createLiveKinds, type LiveKinds } from './events/liveEvents.ts';
import { createInFlight } from './memory/inFlight.ts';
import { createMemoryBudget, type MemoryBudget } from './memory/memoryBudget.ts';
import { createStateReader, type StateAt } from './state/state.ts';
import { createMemoryStateStore, type StateStore, sizeOfAnswer } from './state/stateStore.ts';
import { type Broadcaster, type BroadcasterOptions, createBroadcaster } from './transactions/broadcaster.ts';
import type { CallCount, NodeView } from './transports/nodeViews.ts';
import type { CallOptions, NodeHandle, Transport } from './transports/transport.ts';
import { type Block, decodeBlock } from './wire/block.ts';
import { malformed } from './wire/decode.ts';
import type { JsonObject, JsonValue } from './wire/json.ts';

/** A chain, through one transport. Closing it ends everything that it began. */
export interface Client {
  /** The newest block seen. */
  readonly head: Head;
  /** Every block in order, from any height. */
  readonly blocks: BlockLog;
  /**
   * The chain in the keys of caches: its id, and after a {@link Head.onRewind} a number behind it, so that nothing is found that was read
   * before. Throws NODE_UNREACHABLE while no node has ever answered.
   */
  chainKey(): string;
  /** The state at a height. Fails at once with NODE_UNREACHABLE while no node has ever answered. `signal` ends its reads. */
  at(height: bigint, signal?: AbortSignal): StateAt;
  /**
   * A block of this chain at a height up to the head. Those that the block log has in memory cost nothing; the others are read
   * once and kept.
   */
  block(height: bigint, signal?: AbortSignal): Promise<Block>;
  /** Evaluates queries on blocks of the log, each flattened once for all who ask. */
  readonly events: EventMatcher;
  /** The events of consensus, which no block carries. */
  readonly live: LiveKinds;
  /**
   * Any other method of the node's RPC, as it is now: never kept. `params` as the node wants them: integers as decimal strings. With
   * `height` nodes that are behind it are passed over; with `decode` so is a node whose answer it refuses with a `ChainError`.
   */
  call<T>(method: string, params: JsonObject, options: CallOptions<T>): Promise<T>;
  call(method: string, params?: JsonObject, options?: Omit<CallOptions<JsonValue>, 'decode'>): Promise<JsonValue>;
  /** What the chain says of its own types. */
  readonly descriptors: Descriptors;
  /** What sends transactions and follows them to their block. */
  readonly broadcaster: Broadcaster;
  /** The memory of all caches, also of those that are made of its answers. */
  readonly memory: MemoryBudget;
  /** What is known of each upstream node, in the order given; empty where the transport leads to one alone. Asking begins a round of `status` when the last is old. */
  nodes(): readonly NodeView[];
  /** One of these nodes by its alias, to be asked of itself, whatever its health and chain. */
  node(alias: string): NodeHandle | undefined;
  /** The calls that were made of each node since the start; empty where the transport counts none. */
  calls(): readonly CallCount[];
  /** Milliseconds since the newest block was seen, by the monotonic clock of this process; 0 before the first. */
  sinceBlock(): number;
  close(): Promise<void>;
}

/** A block that is of the height and chain it was asked for. */
function decodeOwn(json: JsonValue, height: bigint, chain: string): Block {
  const block = decodeBlock(json);
  if (block.header.height !== height) throw malformed(`block ${block.header.height} in place of ${height}`);
  if (block.header.chainId !== chain) throw malformed('a block of another chain');
  return block;
}

/** Makes a client. */
export function createClient(options: {
  readonly transport: Transport;
  /** Where answers to reads at a height are kept: in `memory` when absent. */
  readonly store?: StateStore;
  /** What all caches may use together: the default budget when absent. */
  readonly memory?: MemoryBudget;
  readonly head?: Head;
  /** Where the chain's descriptors are kept between starts; nowhere when absent. */
  readonly descriptorCache?: DescriptorCache | undefined;
  /** Times of the broadcaster. */
  readonly broadcaster?: BroadcasterOptions;
}): Client {
  const { transport, memory = createMemoryBudget() } = options;
  const head = options.head ?? createHead({ transport });
  const store = options.store ?? createMemoryStateStore(memory.cache('state', 'state', sizeOfAnswer));
  const reader = createStateReader({ transport, store });
  const past = memory.cache<CommittedBlock>('blocks', 'past', sizeOf);
  const blocks = createBlockLog({ head, transport, newestBytes: memory.share('newestBlocks'), past });
  memory.report('newestBlocks', 'newest', () => blocks.stats().newest);
  const descriptors = createDescriptors({
    head,
    transport,
    cache: options.descriptorCache,
    maxBytes: memory.share('descriptors'),
  });
  memory.report('descriptors', 'types', descriptors.counts);
  /** Blocks without their results, beside those of the log. */
  const older = memory.cache<Block>('blocks', 'withoutResults', sizeOfBlock);
  const blocksInFlight = createInFlight<Block>();

  let seenAt = performance.now();

  const stopTiming = head.onBlock(() => {
    seenAt = performance.now();
  });

  const stopDropping = head.onRewind(() => {
    older.clear();
    void store.clear().catch(() => undefined);
  });

  function chainKey(): string {
    const generation = head.generation();
    return generation === 0 ? present().chainId : `${present().chainId}#${generation}`;
  }

  function present(): HeadBlock {
    const current = head.current();
    if (current === undefined) throw new ChainError('NODE_UNREACHABLE', 'No node has answered yet.', {});
    return current;
  }

  const asIs = (result: JsonValue): JsonValue => result;
  function call<T>(method: string, params: JsonObject, options: CallOptions<T>): Promise<T>;
  function call(method: string, params?: JsonObject, options?: Omit<CallOptions<JsonValue>, 'decode'>): Promise<JsonValue>;
  function call<T>(method: string, params: JsonObject = {}, options: Partial<CallOptions<T>> = {}): Promise<T | JsonValue> {
    return transport.call<T | JsonValue>(method, params, { ...options, decode: options.decode ?? asIs });
  }

  async function blockAt(height: bigint, signal?: AbortSignal): Promise<Block> {
    const kept = blocks.at(height) ?? older.get(height.toString());
    if (kept !== undefined) return kept;
    const generation = head.generation();
    return blocksInFlight.join(`${generation} ${height}`, signal, async (joined) => {
      const chain = present().chainId;
      const decode = (result: JsonValue): Block => decodeOwn(result, height, chain);
      const block = await transport.call('block', { height: height.toString() }, { height, signal: joined, decode });
      if (generation === head.generation()) older.set(height.toString(), block);
      return block;
    });
  }

  const live = createLiveKinds({ transport, head });
  const broadcaster = createBroadcaster({ ...options.broadcaster, head, blocks, transport, block: blockAt, memory });

  return {
    head,
    blocks,
    events: createEventMatcher(),
    live,
    chainKey,
    at: (height, signal) => reader.at(chainKey(), height, signal),
    block: blockAt,
    call,
    descriptors,
    broadcaster,
    memory,
    nodes: () => transport.nodes?.() ?? [],
    calls: () => transport.calls?.() ?? [],
    node: (alias) => transport.handle?.(alias),
    sinceBlock: () => (head.current() === undefined ? 0 : performance.now() - seenAt),
    async close() {
      stopTiming();
      stopDropping();
      broadcaster.close();
      live.close();
      blocks.close();
      head.close();
      await transport.close();
    },
  };
}
