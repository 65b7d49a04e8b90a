import type { GraphQLResolveInfo } from 'graphql';
import type { NamedList } from '../../reads/page.ts';
import { type Awaitable, andThen, type Pin, type Pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import { type Connection, type ConnectionArgs, chainConnection, derivedConnection } from '../../schema/connection.ts';
import { accountInput } from '../account/query.ts';
import * as derived from './derived.ts';
import type { Group, GroupMember, GroupPolicy, Proposal, ProposalStatus, Vote } from './model.ts';
import { createGroupLoaders, type GroupLoaders, memberKey, proposalKey } from './query.ts';

/** Reads a page of one of the lists of the module: that of the object `of`. */
export function listPage<A extends string | bigint, T extends object>(
  parent: Pinned<object>,
  list: (loaders: GroupLoaders, of: A) => NamedList<T>,
  of: A,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<T>>> {
  const pin = pinOf(parent);
  return chainConnection(pin, list(pin.loaders(createGroupLoaders), of), args, info);
}

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
  return derivedConnection(pin, list, () => items(pin, filter), proposalKey, args, info);
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
    derived.accountProposals(pin, account.address, filter, awaiting);
  return proposalPage(account, name, args.status, items, args, info);
};

/** Pages of the members who have not voted on an open proposal. null if the proposal is not open. */
export const pendingVoters = (proposal: Pinned<Proposal>, args: ConnectionArgs, info: GraphQLResolveInfo) => {
  const pin = pinOf(proposal);
  const members = (): Awaitable<readonly GroupMember[] | null> => derived.pendingVoters(pin, proposal);
  return derivedConnection(pin, `pendingVoters/${proposal.id}`, members, memberKey, args, info);
};

/** Reads the vote of one account on a proposal; null if there is none. A malformed `voter` is BAD_USER_INPUT. */
export function voteOn(parent: Pinned<object>, proposalId: bigint, voter: string): Awaitable<Pinned<Vote> | null> {
  const pin = pinOf(parent);
  const vote = andThen(accountInput(pin, 'voter', voter), (of) =>
    pin.loaders(createGroupLoaders).vote.load({ proposalId, voter: of }),
  );
  return pinnedValue(pin, vote);
}
