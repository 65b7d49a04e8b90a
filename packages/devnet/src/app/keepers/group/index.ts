import type { Keeper } from '../../runtime/keeper.ts';
import { groupMessages } from './groupMessages.ts';
import { endBlock } from './lifecycle.ts';
import { policyMessages } from './policyMessages.ts';
import { type DecodeMessage, proposalMessages } from './proposalMessages.ts';
import { groupQueries } from './queries.ts';

/** Settings of the group module, which are in the node's configuration on a real chain. */
export interface GroupSettings {
  /** Nanoseconds after the voting period until an accepted proposal is deleted. */
  readonly maxExecutionPeriod: bigint;
  readonly decode: DecodeMessage;
}

/** The group module: groups, policies, proposals and votes (docs/chain.md, "Groups"). */
export function createGroupKeeper({ maxExecutionPeriod, decode }: GroupSettings): Keeper {
  return {
    messages: [...groupMessages(maxExecutionPeriod), ...policyMessages(maxExecutionPeriod), ...proposalMessages(decode)],
    queries: groupQueries,
    endBlock: (context) => endBlock(context, maxExecutionPeriod),
  };
}
