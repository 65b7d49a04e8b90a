import { createHash } from 'node:crypto';
import type { ProposalRecordFilter } from '../../archive/records.ts';

/** The longest text of a filter within a cursor, in characters. A cursor must not exceed `page.cursor`. */
const textMax = 200;

/** The name of the list of proposals that satisfy a filter, for cursors. It is equal for equal filters. */
export function proposalListName(filter: ProposalRecordFilter): string {
  const text = JSON.stringify(Object.entries(filter), (_, value) => (typeof value === 'bigint' ? value.toString() : value));
  const name = text.length <= textMax ? text : createHash('sha256').update(text).digest('base64url');
  return `proposalRecords/${name}`;
}

/** The name of the list of votes on a proposal, for cursors. */
export function voteListName(id: bigint): string {
  return `recordVotes/${id}`;
}

/** The name of the list of votes that an account has cast, for cursors. */
export function accountVoteListName(address: string): string {
  return `voteRecords/${address}`;
}
