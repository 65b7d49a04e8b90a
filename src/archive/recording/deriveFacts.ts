import { isDeepStrictEqual } from 'node:util';
import { isChainError } from '../../chain/base/errors.ts';
import type { Fact, OpenProposals } from '../facts.ts';
import type { SourceBlock } from './source.ts';

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
