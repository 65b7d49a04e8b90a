import type { CommittedBlock } from '../chain/blocks/blockLog.ts';
import type { Pin } from './pin.ts';
import { withRetries } from './retry.ts';
import { type BlockStep, type BlockStream, blockStream } from './stream.ts';

/** The state after a block, and the events of the block. */
export interface StateStep<S, T> extends BlockStep<T> {
  readonly state: S;
}

/** Options of {@link stateStream}. All reads go through the given pins, so that the events depend on the chain alone. */
export interface StateStreamOptions<S, T> {
  /** The pin of the operation; the stream reads through its client. */
  readonly pin: Pin;
  /** The height after which the stream begins. It can lie in the future. */
  readonly after: bigint;
  /** Reads the state at a height. `beforeFirstBlock` is true for the state before block 1, which cannot be read. */
  readonly load: (pin: Pin, beforeFirstBlock: boolean) => Promise<S>;
  /** Whether no further block can have an event; the stream then ends. */
  readonly isOver?: (state: S) => boolean;
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
export function stateStream<S, T>(options: StateStreamOptions<S, T>): BlockStream<T> {
  const { pin, after, load, advance, present, isOver = () => false } = options;
  let state: S | undefined;

  async function stepFrom(block: CommittedBlock): Promise<StateStep<S, T>> {
    const { height } = block.header;
    const now = pin.at(height);
    if (height === 1n) {
      const step = await advance(state ?? (await load(now, true)), block, null, now);
      return { ...step, state: await load(now, false) };
    }
    const before = pin.at(height - 1n);
    const known = state ?? (await load(before, false));
    return isOver(known) ? { state: known, events: [], last: true } : advance(known, block, before, now);
  }

  return blockStream({
    blocks: pin.client.blocks.from(after, { signal: pin.signal }),
    async first() {
      if (after < 1n || after > pin.height) return undefined;
      const initial = await present?.(pin.at(after));
      return initial && { height: after, isPresent: true, ...initial };
    },
    async step(block, signal) {
      const { state: next, ...events } = await withRetries(() => stepFrom(block), { signal, readSignal: pin.signal });
      state = next;
      return events;
    },
  });
}
