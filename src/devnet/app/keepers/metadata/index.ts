import type { Keeper } from '../../runtime/keeper.ts';
import { partyMessages } from './partyMessages.ts';
import { metadataQueries } from './queries.ts';
import { scopeMessages } from './scopeMessages.ts';
import { specMessages } from './specMessages.ts';
import { metadataStore } from './state.ts';

/** Scopes and their specifications, their owners, and what they are worth (chain.md 5). Sessions and records are not there. */
export const metadataKeeper: Keeper = {
  store: metadataStore,
  messages: [...scopeMessages, ...partyMessages, ...specMessages],
  queries: metadataQueries,
};
