import type { GovRecordFilter, GovRecordStatus } from '../../archive/govRecords.ts';
import { badInput } from '../../reads/errors.ts';
import { addressInput } from '../../reads/input.ts';
import { type Awaitable, all, andThen, type Pin } from '../../reads/pin.ts';
import { accountInput } from '../account/query.ts';
import { filterName } from './filter.ts';

export interface GovFilterInput {
  readonly status?: readonly GovRecordStatus[] | null | undefined;
  readonly proposer?: string | null | undefined;
  readonly voter?: string | null | undefined;
  readonly depositor?: string | null | undefined;
  readonly missedBy?: string | null | undefined;
}

/**
 * Checks a filter. A malformed value is BAD_USER_INPUT; `prefix` precedes the name of the condition in the error. The result has only the conditions that are
 * present, in one order.
 */
export function govRecordFilter(input: GovFilterInput | null | undefined, prefix = 'filter.'): GovRecordFilter {
  const { status, missedBy, ...rest } = input ?? {};
  const address = (name: 'proposer' | 'voter' | 'depositor'): string | undefined => {
    const value = rest[name];
    return value == null ? undefined : addressInput(`${prefix}${name}`, value);
  };
  if (missedBy != null && !/^[a-z]+valoper1[a-z0-9]+$/.test(missedBy))
    throw badInput(`${prefix}missedBy`, missedBy, 'the address of an operator (`…valoper1…`)');
  const conditions: GovRecordFilter = {
    status: status == null ? undefined : [...new Set(status)].sort(),
    proposer: address('proposer'),
    voter: address('voter'),
    depositor: address('depositor'),
    missedBy: missedBy ?? undefined,
  };
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));
}

/** Checks a filter as {@link govRecordFilter} does. An address of another chain or of a validator is BAD_USER_INPUT, too. */
export function checkedGovFilter(pin: Pin, input: GovFilterInput | null | undefined): Awaitable<GovRecordFilter> {
  const filter = govRecordFilter(input);
  const { proposer, voter, depositor } = filter;
  const accounts = Object.entries({ proposer, voter, depositor }).flatMap(([name, value]) =>
    value === undefined ? [] : [accountInput(pin, `filter.${name}`, value)],
  );
  return andThen(all(accounts), () => filter);
}

/** The name of the list of proposals that satisfy a filter, for cursors. */
export const govProposalListName = (filter: GovRecordFilter): string => `govProposalRecords/${filterName(filter)}`;

export const govVoteListName = (id: bigint): string => `govRecordVotes/${id}`;

export const govAccountVoteListName = (address: string): string => `govVoteRecords/${address}`;
