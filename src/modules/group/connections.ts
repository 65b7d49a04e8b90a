import type { GraphQLResolveInfo } from 'graphql';
import type { ChainList } from '../../reads/page.ts';
import { type Awaitable, andThen, type Pin, type Pinned, pinned, pinOf, type ReadOnce } from '../../reads/pin.ts';
import { type Connection, type ConnectionArgs, chainConnection, derivedConnection } from '../../schema/connection.ts';
import { accountInput } from '../account/query.ts';
import * as derived from './derived.ts';
import * as voters from './derived.ts';
import * as lists from './loaders.ts';
import { createGroupLoaders, type GroupLoaders } from './loaders.ts';
import type { Group, GroupMember, GroupPolicy, Proposal, ProposalStatus, Vote } from './model.ts';

/**
 * Makes the function that reads a page of one of the lists of the module. A list has the same name in every field, so a cursor of
 * `Query.votesByProposal` is valid in `Proposal.votes`.
 */
function pages<A extends string | bigint, T extends object>(
  name: string,
  list: (loaders: GroupLoaders, of: A) => ChainList<T>,
) {
  return (parent: Pinned<object>, of: A, args: ConnectionArgs, info: GraphQLResolveInfo) => {
    const pin = pinOf(parent);
    return chainConnection(pin, { name: `${name}/${of}`, list: list(pin.loaders(createGroupLoaders), of) }, args, info);
  };
}

export const proposalsByGroupPolicy = pages('proposalsByGroupPolicy', lists.proposalsByGroupPolicy);
export const votesByProposal = pages('votesByProposal', lists.votesByProposal);
export const votesByVoter = pages('votesByVoter', lists.votesByVoter);
export const groups = pages('groups', (loaders, _all: '') => lists.groups(loaders));
export const groupsByAdmin = pages('groupsByAdmin', lists.groupsByAdmin);
export const groupsByMember = pages('groupsByMember', lists.groupsByMember);
export const groupMembers = pages('groupMembers', lists.groupMembers);
export const groupPoliciesByGroup = pages('groupPoliciesByGroup', lists.groupPoliciesByGroup);
export const groupPoliciesByAdmin = pages('groupPoliciesByAdmin', lists.groupPoliciesByAdmin);

/** Reads a page of derived proposals. The name of the list consists of `name` and the statuses. */
function proposalPage(
  parent: Pinned<object>,
  name: string,
  statuses: readonly ProposalStatus[] | null | undefined,
  items: (pin: Pin, statuses: readonly ProposalStatus[] | undefined) => Awaitable<readonly Proposal[]>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Proposal>> | null> {
  const pin = pinOf(parent);
  const filter = statuses ?? undefined;
  const list = `${name}/${filter === undefined ? '*' : [...new Set(filter)].sort().join()}`;
  return derivedConnection(pin, list, () => items(pin, filter), lists.proposalKey, args, info);
}

/** Pages of the proposals of a policy that have one of the given statuses. */
export const policyProposals = (
  policy: Pinned<GroupPolicy>,
  status: readonly ProposalStatus[],
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
) => {
  const items = (pin: Pin): Awaitable<readonly Proposal[]> => derived.policyProposals(pin, policy.address, status);
  return proposalPage(policy, `policyProposals/${policy.address}`, status, items, args, info);
};

type StatusArgs = ConnectionArgs & { readonly status?: readonly ProposalStatus[] | null | undefined };

export const groupProposals = (group: Pinned<Group>, args: StatusArgs, info: GraphQLResolveInfo) => {
  const items = (pin: Pin, filter: readonly ProposalStatus[] | undefined): Awaitable<readonly Proposal[]> =>
    derived.groupsProposals(pin, [group], filter);
  return proposalPage(group, `groupProposals/${group.id}`, args.status, items, args, info);
};

export const accountProposals = (
  account: Pinned<{ readonly address: string }>,
  args: StatusArgs & { readonly awaitingVote?: boolean | null | undefined },
  info: GraphQLResolveInfo,
) => {
  const awaiting = args.awaitingVote ?? false;
  const name = `accountProposals/${account.address}/${awaiting}`;
  const items = (pin: Pin, filter: readonly ProposalStatus[] | undefined): Awaitable<readonly Proposal[]> =>
    voters.accountProposals(pin, account.address, filter, awaiting);
  return proposalPage(account, name, args.status, items, args, info);
};

/** Pages of the members who have not voted on an open proposal. null if the proposal is not open. */
export const pendingVoters = (proposal: Pinned<Proposal>, args: ConnectionArgs, info: GraphQLResolveInfo) => {
  const pin = pinOf(proposal);
  const members = (): Awaitable<readonly GroupMember[] | null> => voters.pendingVoters(pin, proposal);
  return derivedConnection(pin, `pendingVoters/${proposal.id}`, members, lists.memberKey, args, info);
};

function one<K, T extends object>(
  parent: Pinned<object>,
  loader: (loaders: GroupLoaders) => ReadOnce<K, T | null>,
  key: K,
): Awaitable<Pinned<T> | null> {
  const pin = pinOf(parent);
  return andThen(loader(pin.loaders(createGroupLoaders)).load(key), (value) => value && pinned(pin, value));
}

/** Reads a proposal under the pin of `parent`; null if it does not exist. */
export const proposalAt = (parent: Pinned<object>, id: bigint): Awaitable<Pinned<Proposal> | null> =>
  one(parent, ({ proposal }) => proposal, id);

export const groupAt = (parent: Pinned<object>, id: bigint): Awaitable<Pinned<Group> | null> =>
  one(parent, ({ group }) => group, id);

/** Reads a group policy; null if the address is not a group policy. */
export const groupPolicyAt = (parent: Pinned<object>, address: string): Awaitable<Pinned<GroupPolicy> | null> =>
  one(parent, ({ groupPolicy }) => groupPolicy, address);

/** Reads the vote of one account on a proposal; null if there is none. A malformed `voter` is BAD_USER_INPUT. */
export const voteOn = (parent: Pinned<object>, proposalId: bigint, voter: string): Awaitable<Pinned<Vote> | null> =>
  andThen(accountInput(pinOf(parent), 'voter', voter), (of) => one(parent, ({ vote }) => vote, { proposalId, voter: of }));
