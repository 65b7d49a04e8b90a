import type { Keeper } from '../../runtime/keeper.ts';
import { partyMessages } from './partyMessages.ts';
import { metadataQueries } from './queries.ts';
import { scopeMessages } from './scopeMessages.ts';
import { specMessages } from './specMessages.ts';

/**
 * The metadata module: scopes, their specifications, owners and net asset values
 * (docs/chain.md, "Scopes and their value owners"). Sessions and records are not implemented.
 */
export const metadataKeeper: Keeper = {
  messages: [...scopeMessages, ...partyMessages, ...specMessages],
  queries: metadataQueries,
};
