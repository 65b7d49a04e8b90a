import type { Builder } from '../../schema/builder.ts';
import { addBroadcast } from '../broadcast/broadcastSchema.ts';
import { addEventSubscriptions } from '../events/eventSubscriptionSchema.ts';
import { addAbci } from '../nodes/abciSchema.ts';
import { addLive } from '../nodes/liveSchema.ts';
import { addNetInfo } from '../nodes/netInfoSchema.ts';
import { addStatus } from '../nodes/statusSchema.ts';
import { addUpstream } from '../nodes/upstreamSchema.ts';
import { addConditions, addSearch } from '../transactions/searchSchema.ts';
import { addTransactions } from '../transactions/transactionSchema.ts';
import { addConsensusParams } from '../validators/consensusParamsSchema.ts';
import { addValidators } from '../validators/validatorSchema.ts';
import { addBlocks } from './blockSchema.ts';
import { addCommits } from './commitSchema.ts';
import { addResults } from './resultsSchema.ts';
import { addSubscriptions } from './subscriptionSchema.ts';

/** Adds the node module: blocks, transactions, validators, and what a node says of itself. */
export function addNode(builder: Builder): void {
  addBlocks(builder);
  addCommits(builder);
  addResults(builder);
  addValidators(builder);
  addConsensusParams(builder);
  addTransactions(builder);
  const conditions = addConditions(builder);
  addSearch(builder, conditions);
  addStatus(builder);
  addNetInfo(builder);
  addUpstream(builder);
  addAbci(builder);
  addLive(builder);
  addSubscriptions(builder);
  addEventSubscriptions(builder, conditions);
  addBroadcast(builder);
}
