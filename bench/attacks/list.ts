import type { Attack } from './attack.ts';
import { comments, documents } from './documents.ts';
import { memory } from './memory.ts';
import { parsingAttacks } from './parsing.ts';
import { pipelining8, pipelining100 } from './pipelining.ts';
import { rpcQueries, subscriptions } from './sockets.ts';
import { unread } from './unread.ts';
import { upgrades } from './upgrades.ts';

/** The attacks, in the order in which they run. */
export const attackList: readonly Attack[] = [
  comments,
  documents,
  upgrades,
  pipelining8,
  pipelining100,
  subscriptions,
  rpcQueries,
  unread,
  memory,
  ...parsingAttacks,
];
