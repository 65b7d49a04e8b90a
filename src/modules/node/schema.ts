import type { Builder } from '../../graphql/builder.ts';
import { addAbci } from './abciSchema.ts';
import { addBlocks } from './blockSchema.ts';
import { addBroadcast } from './broadcastSchema.ts';
import { addCommits } from './commitSchema.ts';
import { addConsensusParams } from './consensusParamsSchema.ts';
import { addEventSubscriptions } from './eventSubscriptionSchema.ts';
import { addLive } from './liveSchema.ts';
import { addNetInfo } from './netInfoSchema.ts';
import { addResults } from './resultsSchema.ts';
import { addConditions, addSearch } from './searchSchema.ts';
import { addStatus } from './statusSchema.ts';
import { addSubscriptions } from './subscriptionSchema.ts';
import { addTransactions } from './transactionSchema.ts';
import { addUpstream } from './upstreamSchema.ts';
import { addValidators } from './validatorSchema.ts';

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
