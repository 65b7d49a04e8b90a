import { isChainError } from '../chain/base/errors.ts';
import { backoff, pause } from '../chain/base/time.ts';
import { isTransient } from '../chain/blocks/blockLog.ts';
import type { CommittedBlock } from '../chain/blocks/committedBlock.ts';
import type { Pin } from './pin.ts';

/** The events of a subscription: an iterator whose `return` resolves a pending `next`. */
export type Stream<T> = AsyncIterableIterator<T>;

/** The events of one block, in order. Most blocks have none. With `last` the stream ends after them. */
interface BlockStep<T> {
  readonly events: readonly T[];
  readonly last?: boolean;
}

/** The events at one height. `isPresent` marks those that describe the state that the stream begins with, rather than a block. */
export interface BlockEvents<T> extends BlockStep<T> {
  readonly height: bigint;
  readonly isPresent?: boolean;
}

/**
 * A stream that follows the block log. Its events depend on the blocks alone, so all readers see the same ones. It is read
 * either event by event, or block by block, which also reports the blocks without events. A reader uses one of the two.
 */
export interface BlockStream<T> extends Stream<T> {
  /** The events of the initial state; undefined if there are none, or if the stream has been read already. Waits for no block. */
  present(): Promise<BlockEvents<T> | undefined>;
  /** The events of the next block, also if it has none. */
  nextBlock(): Promise<IteratorResult<BlockEvents<T>>>;
}

/** Options of {@link blockStream}. */
interface BlockStreamOptions<T> {
  /** The blocks of the log. The iterator is closed when the stream ends. */
  readonly blocks: AsyncIterableIterator<CommittedBlock>;
  /** Events that come before those of the first block; undefined for none. Called when the stream is first read. */
  readonly first?: () => Promise<BlockEvents<T> | undefined>;
  /** The events of a block. If it throws, the stream ends with that error. `signal` is aborted when the stream ends. */
  readonly step: (block: CommittedBlock, signal: AbortSignal) => BlockStep<T> | Promise<BlockStep<T>>;
}

const over = { done: true, value: undefined } as const;

/**
 * Makes a stream that follows the blocks. Unlike an async generator, it ends at once: `return` closes the iterator of blocks
 * and resolves a pending `next` as done.
 */
export function blockStream<T>({ blocks, first, step }: BlockStreamOptions<T>): BlockStream<T> {
  const waiting = new Set<(end: typeof over) => void>();
  const end = new AbortController();
  let hasBegun = false;
  let ended = false;
  let ready: readonly T[] = [];
  /** The end of the last read. It has no value, which would stay in memory while the stream waits for a block. */
  let turn: Promise<void> = Promise.resolve();

  function leaveBlocks(): void {
    ended = true;
    end.abort();
    blocks.return?.().catch(() => undefined);
  }

  /** The events of the initial state, if it was not read yet, else those of the next block, unless `isPresent` asks for the initial state alone. */
  async function read(isPresent = false): Promise<IteratorResult<BlockEvents<T>>> {
    if (ended) return over;
    try {
      let value: BlockEvents<T> | undefined;
      if (!hasBegun) {
        hasBegun = true;
        value = await first?.();
      }
      if (value === undefined && !isPresent) {
        const next = await blocks.next();
        if (!next.done) value = { height: next.value.header.height, ...(await step(next.value, end.signal)) };
      }
      if (ended) return over;
      if (value === undefined ? !isPresent : value.last === true) leaveBlocks();
      return value === undefined ? over : { done: false, value };
    } catch (error) {
      if (ended) return over;
      leaveBlocks();
      throw error;
    }
  }

  async function stepEvent(): Promise<IteratorResult<T>> {
    for (;;) {
      const [value, ...rest] = ready;
      if (value !== undefined) {
        ready = rest;
        return { done: false, value };
      }
      const next = await read();
      if (next.done) return over;
      ready = next.value.events;
    }
  }

  function inTurn<R>(step: () => Promise<IteratorResult<R>>): Promise<IteratorResult<R>> {
    return new Promise((resolve, reject) => {
      waiting.add(resolve);
      turn = turn.then(step).then(resolve, reject);
      turn = turn.then(() => void waiting.delete(resolve));
    });
  }

  return {
    next: () => inTurn(stepEvent),
    nextBlock: () => inTurn(read),
    async present() {
      const present = await inTurn(() => read(true));
      return present.done ? undefined : present.value;
    },
    async return() {
      leaveBlocks();
      ready = [];
      for (const resolve of waiting) resolve(over);
      waiting.clear();
      return over;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Longest wait between two attempts, in ms. */
const longestBackoff = 5_000;

/** Attempts after which an error that waiting does not resolve is thrown. */
const tries = 5;

/** Options of {@link withRetries}. */
interface RetryOptions {
  /** Aborts the wait; its reason is thrown. */
  readonly signal: AbortSignal;
  /** The signal of the reads that `work` makes. Once it is aborted no attempt can succeed, so its reason is thrown. */
  readonly readSignal?: AbortSignal | undefined;
  /** First wait in ms, default 100. It doubles with each attempt, up to 5 s; half of it is random. */
  readonly backoff?: number;
}

/**
 * Calls `work` until it succeeds: without limit while no node can respond, and up to 5 times if a node returns an invalid
 * response. A pruned height and errors that are not the chain's are thrown at once.
 */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, readSignal, backoff: first = 100 } = options;
  for (let failures = 0; ; ) {
    signal.throwIfAborted();
    readSignal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      failures += 1;
      const hopeless = !isChainError(error) || isChainError(error, 'HEIGHT_PRUNED');
      if (hopeless || (!isTransient(error) && failures >= tries)) throw error;
      await pause(backoff({ first, max: longestBackoff, jitter: 0.5 })(failures), signal);
    }
  }
}

/** A state that a stream carries from block to block. */
interface FollowedState {
  /** Whether no further block can have an event; the stream then ends. */
  readonly isOver: boolean;
}

/** The state after a block, and the events of the block. */
interface StateStep<S, T> extends BlockStep<T> {
  readonly state: S;
}

/** Options of {@link stateStream}. All reads go through the given pins, so that the events depend on the chain alone. */
interface StateStreamOptions<S, T> {
  /** The pin of the operation; the stream reads through its client. */
  readonly pin: Pin;
  /** The height after which the stream begins. It can lie in the future. */
  readonly after: bigint;
  /** Reads the state at a height. `beforeFirstBlock` is true for the state before block 1, which cannot be read. */
  readonly load: (pin: Pin, beforeFirstBlock: boolean) => Promise<S>;
  /**
   * Events for the state at the start height, sent before those of any block; undefined if there are none. Not called if that
   * height lies in the future. `height` is the height of the events, if it is earlier.
   */
  readonly present?: (pin: Pin) => Promise<(BlockStep<T> & { readonly height?: bigint }) | undefined>;
  /** Applies a block to the state before it. `before` is null at height 1, because the state before block 1 cannot be read. */
  readonly advance: (state: S, block: CommittedBlock, before: Pin | null, pin: Pin) => Promise<StateStep<S, T>>;
}

/**
 * Makes a stream that follows the blocks and carries a state from one block to the next. The state before the first block is
 * read from the chain; each block then advances it. The state after a block equals the state that would be read there, so the
 * events of a block do not depend on where the stream began. If the reads of a block fail, the block is tried again; its events
 * are sent once.
 */
export function stateStream<S extends FollowedState, T>(options: StateStreamOptions<S, T>): BlockStream<T> {
  const { pin, after, load, advance, present } = options;
  let state: S | undefined;

  return blockStream({
    blocks: pin.client.blocks.from(after, { signal: pin.signal }),
    async first() {
      if (after < 1n || after > pin.height) return undefined;
      const initial = await present?.(pin.at(after));
      return initial && { height: after, isPresent: true, ...initial };
    },
    async step(block, signal) {
      const { height } = block.header;
      const advanced = async (): Promise<StateStep<S, T>> => {
        const now = pin.at(height);
        if (height === 1n) {
          const step = await advance(state ?? (await load(now, true)), block, null, now);
          return { ...step, state: await load(now, false) };
        }
        const before = pin.at(height - 1n);
        const knownState = state ?? (await load(before, false));
        return knownState.isOver ? { state: knownState, events: [], last: true } : advance(knownState, block, before, now);
      };
      const { state: next, ...events } = await withRetries(advanced, { signal, readSignal: pin.signal });
      state = next;
      return events;
    },
  });
}
