import type { CommittedBlock } from '../chain/blocks/blockLog.ts';

/** What a subscription gives: an iterator whose `return` ends a `next` that still waits. */
export type Stream<T> = AsyncIterableIterator<T>;

/** What a block means to a stream: its events, in order; most often none. With `last` the stream is over behind them. */
export interface BlockStep<T> {
  readonly events: readonly T[];
  readonly last?: boolean;
}

/** The events of one height. `isPresent` marks the state that a stream begins with, which is of the height and of no block. */
export interface BlockEvents<T> extends BlockStep<T> {
  readonly height: bigint;
  readonly isPresent?: boolean;
}

/**
 * A stream that follows the block log: its events are a function of each block, the same for whoever reads it. It is read event by
 * event, or block by block, so that its reader knows how far it has come where nothing happens; not both ways at once.
 */
export interface BlockStream<T> extends Stream<T> {
  /** The state that it begins with; undefined when it begins with none, or has been read already. No block is waited for. */
  present(): Promise<BlockEvents<T> | undefined>;
  /** The events of the next block, also when there are none. */
  nextBlock(): Promise<IteratorResult<BlockEvents<T>>>;
}

/** What a {@link blockStream} is made of. */
export interface BlockStreamOptions<T> {
  /** The blocks, from the log. Ended with the stream. */
  readonly blocks: AsyncIterableIterator<CommittedBlock>;
  /** What is told before the first block; undefined for nothing. Asked when the stream is first read. */
  readonly first?: () => Promise<BlockEvents<T> | undefined>;
  /** What a block means. When it throws the stream is over with that error. `signal` is aborted when nobody waits for it any more. */
  readonly step: (block: CommittedBlock, signal: AbortSignal) => BlockStep<T> | Promise<BlockStep<T>>;
}

const over = { done: true, value: undefined } as const;

/**
 * Follows the blocks. Unlike an async generator it hears its own end at once: `return` goes straight to the blocks, and a `next`
 * under way resolves as done, whatever it waits for.
 */
export function blockStream<T>({ blocks, first, step }: BlockStreamOptions<T>): BlockStream<T> {
  const waiting = new Set<(end: typeof over) => void>();
  const end = new AbortController();
  let begun = false;
  let ended = false;
  let ready: readonly T[] = [];
  let turn: Promise<unknown> = Promise.resolve();

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
    turn = result.catch(() => undefined);
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
