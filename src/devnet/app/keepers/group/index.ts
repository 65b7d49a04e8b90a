import type { Keeper } from '../../runtime/keeper.ts';
import { groupMessages } from './groupMessages.ts';
import { endBlock } from './lifecycle.ts';
import { policyMessages } from './policyMessages.ts';
import { type DecodeMessage, proposalMessages } from './proposalMessages.ts';
import { groupQueries } from './queries.ts';
import { groupStore } from './state.ts';

/** Settings of the group module, which the real one has in its node's configuration. */
export interface GroupSettings {
  /** Nanoseconds after the end of the voting period for which an accepted proposal can be executed; then it is deleted. */
  readonly maxExecutionPeriod: bigint;
  readonly decode: DecodeMessage;
}

/** Groups, policies, proposals, votes (chain.md 3). */
export function createGroupKeeper({ maxExecutionPeriod, decode }: GroupSettings): Keeper {
  return {
    store: groupStore,
    messages: [...groupMessages(maxExecutionPeriod), ...policyMessages(maxExecutionPeriod), ...proposalMessages(decode)],
    queries: groupQueries,
    endBlock: (context) => endBlock(context, maxExecutionPeriod),
  };
}
