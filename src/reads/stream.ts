import type { CommittedBlock } from '../chain/blocks/blockLog.ts';

/** The events of a subscription: an iterator whose `return` resolves a pending `next`. */
export type Stream<T> = AsyncIterableIterator<T>;

/** The events of one block, in order. Most blocks have none. With `last` the stream ends after them. */
export interface BlockStep<T> {
  readonly events: readonly T[];
  readonly last?: boolean;
}

/**
 * The events at one height. `isPresent` marks those that describe the state that the stream begins with, rather than a block.
 */
export interface BlockEvents<T> extends BlockStep<T> {
  readonly height: bigint;
  readonly isPresent?: boolean;
}

/**
 * A stream that follows the block log. Its events depend on the blocks alone, so all readers see the same ones. It is read
 * either event by event, or block by block, which also reports the blocks without events. A reader uses one of the two.
 */
export interface BlockStream<T> extends Stream<T> {
  /**
   * The events of the initial state; undefined if there are none, or if the stream has been read already. Waits for no block.
   */
  present(): Promise<BlockEvents<T> | undefined>;
  /** The events of the next block, also if it has none. */
  nextBlock(): Promise<IteratorResult<BlockEvents<T>>>;
}

/** Options of {@link blockStream}. */
export interface BlockStreamOptions<T> {
  /** The blocks of the log. The iterator is closed when the stream ends. */
  readonly blocks: AsyncIterableIterator<CommittedBlock>;
  /** Events that come before those of the first block; undefined for none. Called when the stream is first read. */
  readonly first?: () => Promise<BlockEvents<T> | undefined>;
  /** The events of a block. If it throws, the stream ends with that error. `signal` is aborted when the stream ends. */
  readonly step: (block: CommittedBlock, signal: AbortSignal) => BlockStep<T> | Promise<BlockStep<T>>;
}

const over = { done: true, value: undefined } as const;

const ignore = (): void => undefined;

/**
 * Makes a stream that follows the blocks. Unlike an async generator, it ends at once: `return` closes the iterator of blocks
 * and resolves a pending `next` as done.
 */
export function blockStream<T>({ blocks, first, step }: BlockStreamOptions<T>): BlockStream<T> {
  const waiting = new Set<(end: typeof over) => void>();
  const end = new AbortController();
  let begun = false;
  let ended = false;
  let ready: readonly T[] = [];
  /** The end of the last read. It has no value, which would stay in memory while the stream waits for a block. */
  let turn: Promise<void> = Promise.resolve();

  function leaveBlocks(): void {
    ended = true;
    end.abort();
    blocks.return?.().catch(() => undefined);
  }

  async function begin(): Promise<BlockEvents<T> | undefined> {
    if (begun) return undefined;
    begun = true;
    return first?.();
  }

  async function pull(): Promise<BlockEvents<T> | undefined> {
    const present = await begin();
    if (present !== undefined) return present;
    const next = await blocks.next();
    if (next.done) return undefined;
    return { height: next.value.header.height, ...(await step(next.value, end.signal)) };
  }

  async function read(from: () => Promise<BlockEvents<T> | undefined>): Promise<IteratorResult<BlockEvents<T>>> {
    if (ended) return over;
    try {
      const value = await from();
      if (ended) return over;
      if (value?.last === true) leaveBlocks();
      return value === undefined ? over : { done: false, value };
    } catch (error) {
      if (ended) return over;
      leaveBlocks();
      throw error;
    }
  }

  async function stepBlock(): Promise<IteratorResult<BlockEvents<T>>> {
    const next = await read(pull);
    if (next.done) leaveBlocks();
    return next;
  }

  async function stepEvent(): Promise<IteratorResult<T>> {
    for (;;) {
      const [value, ...rest] = ready;
      if (value !== undefined) {
        ready = rest;
        return { done: false, value };
      }
      const next = await stepBlock();
      if (next.done) return over;
      ready = next.value.events;
    }
  }

  function inTurn<R>(step: () => Promise<IteratorResult<R>>): Promise<IteratorResult<R>> {
    const result = turn.then(step);
    turn = result.then(ignore, ignore);
    return new Promise((resolve, reject) => {
      waiting.add(resolve);
      result.then(resolve, reject).finally(() => waiting.delete(resolve));
    });
  }

  return {
    next: () => inTurn(stepEvent),
    nextBlock: () => inTurn(stepBlock),
    async present() {
      const present = await inTurn(() => read(begin));
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
