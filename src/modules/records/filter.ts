import { createHash } from 'node:crypto';
import type { ProposalRecordFilter } from '../../archive/records.ts';
import type { Nanoseconds } from '../../chain/base/time.ts';
import { badInput } from '../../reads/errors.ts';
import { addressInput, idInput, timeInput } from '../../reads/input.ts';
import { type Awaitable, all, andThen, type Pin } from '../../reads/pin.ts';
import { type Builder, createInputRef } from '../../schema/builder.ts';
import { accountInput } from '../account/query.ts';
import { type ProposalExecutorResult, type ProposalStatus, proposalExecutorResults, proposalStatuses } from '../group/model.ts';
import type { GroupEnums } from '../group/refs.ts';

export interface FilterInput {
  readonly groupId?: string | null | undefined;
  readonly groupPolicyAddress?: string | null | undefined;
  readonly groupPolicyAddresses?: readonly string[] | null | undefined;
  readonly closed?: boolean | null | undefined;
  readonly proposer?: string | null | undefined;
  readonly voter?: string | null | undefined;
  readonly missedBy?: string | null | undefined;
  readonly status?: readonly ProposalStatus[] | null | undefined;
  readonly executorResult?: readonly ProposalExecutorResult[] | null | undefined;
  readonly messageType?: string | null | undefined;
  /** RFC 3339. */
  readonly submittedFrom?: string | null | undefined;
  readonly submittedTo?: string | null | undefined;
}

/** The most policies of a filter. */
const policiesMax = 20;

export const FilterRef = createInputRef<FilterInput>('ProposalRecordFilter');

export function addFilter(builder: Builder, enums: GroupEnums): void {
  builder.inputType(FilterRef, {
    description: 'Conditions on recorded proposals. They are combined with AND.',
    fields: (t) => ({
      groupId: t.id({ description: 'Proposals of all policies of this group.' }),
      groupPolicyAddress: t.string({ description: 'Proposals of this group policy.' }),
      groupPolicyAddresses: t.stringList({ description: `Proposals of one of these group policies, at most ${policiesMax}.` }),
      closed: t.boolean({ description: 'Whether the voting has ended, or the chain has deleted the proposal.' }),
      proposer: t.string({ description: 'Proposals that this account submitted.' }),
      voter: t.string({ description: 'Proposals that this account has voted on.' }),
      missedBy: t.string({
        description:
          'Closed proposals that this account could vote on and did not. Without those that have counted votes whose voters are not known, and without those\nthat one transaction submitted and decided, so that nobody else could vote.',
      }),
      status: t.field({ type: [enums.ProposalStatus], description: 'The last status is one of these.' }),
      executorResult: t.field({
        type: [enums.ProposalExecutorResult],
        description: 'The result of the last execution is one of these.',
      }),
      messageType: t.string({
        description: 'Protobuf type of one of the messages, such as `/cosmos.bank.v1beta1.MsgSend`.',
      }),
      submittedFrom: t.field({ type: 'DateTime', description: 'Submitted at this time or later.' }),
      submittedTo: t.field({ type: 'DateTime', description: 'Submitted at this time or earlier.' }),
    }),
  });
}

function address(name: string, value: string | null | undefined): string | undefined {
  return value == null ? undefined : addressInput(name, value);
}

/** The condition for optional policies, each of them once and in one order. */
function policies(name: string, values: readonly string[] | null | undefined): string[] | undefined {
  if (values != null && values.length > policiesMax)
    throw badInput(name, String(values.length), `at most ${policiesMax} addresses`);
  return values == null ? undefined : [...new Set(values.map((value) => addressInput(name, value)))].sort();
}

function time(name: string, value: string | null | undefined): Nanoseconds | undefined {
  return value == null ? undefined : timeInput(name, value);
}

/** The numbers of enum values. UNRECOGNIZED selects nothing. */
function numbers<T extends string>(names: readonly T[] | null | undefined, all: readonly string[]): number[] | undefined {
  return names?.map((name) => all.indexOf(name)).filter((number) => number >= 0);
}

/**
 * Checks a filter. A malformed value is BAD_USER_INPUT; `prefix` precedes the name of the condition in the error. The result has only the conditions
 * that are present.
 */
export function recordFilter(input: FilterInput | null | undefined, prefix = 'filter.'): ProposalRecordFilter {
  const { groupId, messageType, submittedFrom, submittedTo, ...rest } = input ?? {};
  const conditions: ProposalRecordFilter = {
    groupId: groupId == null ? undefined : idInput(`${prefix}groupId`, groupId),
    groupPolicyAddress: address(`${prefix}groupPolicyAddress`, rest.groupPolicyAddress),
    groupPolicyAddresses: policies(`${prefix}groupPolicyAddresses`, rest.groupPolicyAddresses),
    closed: rest.closed ?? undefined,
    proposer: address(`${prefix}proposer`, rest.proposer),
    voter: address(`${prefix}voter`, rest.voter),
    missedBy: address(`${prefix}missedBy`, rest.missedBy),
    status: numbers(rest.status, proposalStatuses),
    executorResult: numbers(rest.executorResult, proposalExecutorResults),
    messageType: messageType ?? undefined,
    submittedFrom: time(`${prefix}submittedFrom`, submittedFrom),
    submittedTo: time(`${prefix}submittedTo`, submittedTo),
  };
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));
}

/**
 * Checks a filter as {@link recordFilter} does. An address of another chain or of a validator is BAD_USER_INPUT, too.
 */
export function checkedFilter(pin: Pin, input: FilterInput | null | undefined): Awaitable<ProposalRecordFilter> {
  const filter = recordFilter(input);
  const { groupPolicyAddress, groupPolicyAddresses = [], proposer, voter, missedBy } = filter;
  const addressConditions = Object.entries({ groupPolicyAddress, proposer, voter, missedBy });
  const addresses = addressConditions.flatMap(([name, value]) =>
    value === undefined ? [] : [accountInput(pin, `filter.${name}`, value)],
  );
  const policies = groupPolicyAddresses.map((policy) => accountInput(pin, 'filter.groupPolicyAddresses', policy));
  return andThen(all([...addresses, ...policies]), () => filter);
}

/** The longest text of a filter within a cursor, in characters. A cursor must not exceed `page.cursor`. */
const textMax = 200;

/** The name of the list of proposals that satisfy a filter, for cursors. It is equal for equal filters. */
export const proposalListName = (filter: ProposalRecordFilter): string => `proposalRecords/${filterName(filter)}`;

/** The name of a filter, for the names of lists. It is equal for equal filters with their conditions in the same order. */
export function filterName(filter: object): string {
  const text = JSON.stringify(Object.entries(filter), (_, value) => (typeof value === 'bigint' ? value.toString() : value));
  return text.length <= textMax ? text : createHash('sha256').update(text).digest('base64url');
}

export function voteListName(id: bigint): string {
  return `recordVotes/${id}`;
}

export function accountVoteListName(address: string): string {
  return `voteRecords/${address}`;
}
