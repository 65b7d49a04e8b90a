import type { Keeper } from '../../runtime/keeper.ts';
import { partyMessages } from './partyMessages.ts';
import { metadataQueries } from './queries.ts';
import { recordMessages } from './recordMessages.ts';
import { scopeMessages } from './scopeMessages.ts';
import { specMessages } from './specMessages.ts';

/**
 * The metadata module: scopes with their sessions and records, specifications, owners and net asset values
 * (docs/chain.md, "Scopes and their value owners").
 */
export const metadataKeeper: Keeper = {
  messages: [...scopeMessages, ...partyMessages, ...specMessages, ...recordMessages],
  queries: metadataQueries,
};
