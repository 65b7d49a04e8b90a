import { isDeepStrictEqual } from 'node:util';
import { isChainError } from '../../chain/base/errors.ts';
import { type Nanoseconds, parseTime } from '../../chain/base/time.ts';
import type { CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import type { Client } from '../../chain/client.ts';
import { createPin } from '../../reads/pin.ts';
import type { EarlierFacts, EarlierLife, Fact, OpenProposals, Recorder } from '../facts.ts';
import { type BlockContents, contentsOf } from '../full/contents.ts';
import type { RangeStart } from '../store/ranges.ts';

/** The lowest base of a range: there is no state below the first block. */
export const lowestBase = 1n;

interface SourceBlock {
  readonly height: bigint;
  readonly hash: string;
  /** The hash of the previous block, as its header names it. */
  readonly previousHash: string;
  /** What mode FULL records of it; absent if nothing is. */
  readonly contents?: BlockContents | undefined;
  /** Derives the facts. Rejects with a node's error; a later call tries again. */
  facts(recorded: OpenProposals): Promise<readonly Fact[]>;
}

export interface BlockName {
  readonly height: bigint;
  readonly hash: string;
}

export type RecordingSource = ReturnType<typeof createRecordingSource>;

/**
 * Where the archive gets blocks and facts: from the block log of a client, and from a recorder. `keeps` returns whether the contents of a block of this
 * time are recorded.
 */
export function createRecordingSource(client: Client, recorder: Recorder, keeps: (time: Nanoseconds) => boolean) {
  const keptOf = (block: CommittedBlock): BlockContents | undefined =>
    keeps(parseTime(block.header.time)) ? contentsOf(block) : undefined;

  async function firstContents(signal: AbortSignal): Promise<BlockContents | undefined> {
    for await (const block of client.blocks.from(lowestBase - 1n, { signal })) return keptOf(block);
    return undefined;
  }

  return {
    /** The newest block; undefined until a node has responded. */
    newest: (): BlockName | undefined => client.head.current(),
    /** Resolves with the newest block as soon as one is known. Rejects with a node's error or the signal's reason. */
    ready: (signal: AbortSignal): Promise<BlockName> => client.head.ready({ signal }),
    /** Every block above `after`, in order, as `BlockLog.from` yields them. */
    async *blocks(after: bigint, signal: AbortSignal): AsyncIterableIterator<SourceBlock> {
      for await (const block of client.blocks.from(after, { signal })) {
        const { height, lastBlockId } = block.header;
        yield {
          height,
          hash: block.blockId.hash,
          previousHash: lastBlockId.hash,
          contents: keptOf(block),
          facts: (recorded) =>
            recorder.block(block, createPin(client, height - 1n, { signal }), createPin(client, height, { signal }), recorded),
        };
      }
    },
    hashAt: async (height: bigint, signal: AbortSignal): Promise<string> => (await client.block(height, signal)).blockId.hash,
    /** What the state at a height shows, and the contents of the first block, which no range begins below. Rejects with HEIGHT_PRUNED if no node has it any more. */
    async start(height: bigint, signal: AbortSignal): Promise<RangeStart> {
      const { blockId } = await client.block(height, signal);
      const facts = await recorder.start(createPin(client, height, { signal }));
      return { height, hash: blockId.hash, facts, contents: height === lowestBase ? await firstContents(signal) : undefined };
    },
    /** What blocks and events up to the base of a range show of a proposal before it. Rejects as `Recorder.earlier`. */
    earlier: (life: EarlierLife, signal: AbortSignal): Promise<EarlierFacts> =>
      recorder.earlier(life, createPin(client, life.base, { signal })),
    /** Calls `listener` when the chain restarted under the same id. Returns a function that removes the listener. */
    onReset: (listener: () => void): (() => void) =>
      client.head.onRewind(({ kind }) => {
        if (kind === 'RESET') listener();
      }),
  };
}

/** Waits before the next try. `failures` is the number of failures in a row. Rejects when the recording ends. */
export type Wait = (failures: number, signal: AbortSignal) => Promise<void>;

/** Whether an error of a node may pass. HEIGHT_PRUNED and blocks that contradict each other do not. */
export function mayPass(error: unknown): boolean {
  return isChainError(error) && !['HEIGHT_PRUNED', 'NODE_INCONSISTENT', 'CHAIN_RESET'].includes(error.code);
}

/** Derives the facts of a block. An error of a node is tried again after a wait, for as long as it persists. */
export async function deriveFacts(
  block: SourceBlock,
  recorded: OpenProposals,
  signal: AbortSignal,
  wait: Wait,
): Promise<readonly Fact[]> {
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    try {
      return await block.facts(recorded);
    } catch (error) {
      signal.throwIfAborted();
      if (!mayPass(error)) throw error;
      await wait(failures, signal);
    }
  }
}

/** The proposals of whose close the chain's tally differs from the computed one. */
export function disagreements(facts: readonly Fact[]): readonly bigint[] {
  return facts.flatMap((fact) => {
    if (fact.kind !== 'close') return [];
    const { tally, computed, proposalId } = fact;
    return tally !== null && computed !== null && !isDeepStrictEqual({ ...tally }, { ...computed }) ? [proposalId] : [];
  });
}
