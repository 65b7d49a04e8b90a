import type { CommittedBlock } from '../chain/blocks/blockLog.ts';
import type { Pin } from './pin.ts';
import { withRetries } from './retry.ts';
import { type BlockStep, type BlockStream, blockStream } from './stream.ts';

/** A state that a block leaves, and what the block means. */
export interface StateStep<S, T> extends BlockStep<T> {
  readonly state: S;
}

/** What a {@link stateStream} is made of. Everything is read under the pins given, so that it follows from the chain alone. */
export interface StateStreamOptions<S, T> {
  /** A pin of the operation: the stream's reads are of its client. */
  readonly pin: Pin;
  /** The height behind which it begins; it may not have come yet. */
  readonly after: bigint;
  /** The state at a height, read from the chain. With `unopened` nothing is known of the height before the first block. */
  readonly load: (pin: Pin, unopened: boolean) => Promise<S>;
  /** Whether no block can mean anything any more. */
  readonly isOver?: (state: S) => boolean;
  /** What is told of the height that it begins at, before any block: asked at once, where that height has come. undefined: nothing. `height` is that of its events if they are of an earlier one. */
  readonly present?: (pin: Pin) => Promise<(BlockStep<T> & { readonly height?: bigint }) | undefined>;
  /** What a block makes of the state before it. `before` is null at height 1: the state before the first block cannot be read. */
  readonly advance: (state: S, block: CommittedBlock, before: Pin | null, pin: Pin) => Promise<StateStep<S, T>>;
}

/**
 * Follows the blocks with a state that is carried from one to the next: read from the chain once, when the first block comes, as it
 * was before it, and from then on advanced by each block. As the state after a block is the one that would be read there, it does not matter
 * where a reader began. A block whose reads fail is tried again; its events are told once.
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
      const told = await present?.(pin.at(after));
      return told && { height: after, isPresent: true, ...told };
    },
    async step(block, signal) {
      const { state: next, ...told } = await withRetries(() => stepFrom(block), { signal, readSignal: pin.signal });
      state = next;
      return told;
    },
  });
}
