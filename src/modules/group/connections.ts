import type { GraphQLResolveInfo } from 'graphql';
import type { NamedList } from '../../reads/page.ts';
import { type Awaitable, andThen, type Pin, type Pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import { type Connection, type ConnectionArgs, chainConnection, derivedConnection } from '../../schema/connection.ts';
import { accountInput } from '../account/query.ts';
import type { Account } from '../account/schema.ts';
import * as derived from './derived.ts';
import { nonVoters } from './electorate.ts';
import type { Group, GroupMember, GroupPolicy, Proposal, ProposalStatus, Vote } from './model.ts';
import { createGroupLoaders, type GroupLoaders, idKey, memberKey, proposalKey } from './query.ts';

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
  pin: Pin,
  name: string,
  statuses: readonly ProposalStatus[] | undefined,
  items: () => Awaitable<readonly Proposal[]>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Proposal>> | null> {
  const list = `${name}/${statuses === undefined ? '*' : [...new Set(statuses)].sort().join()}`;
  return derivedConnection(pin, list, items, proposalKey, args, info);
}

/** Pages of the proposals of a policy that have one of the given statuses. */
export function policyProposals(
  policy: Pinned<GroupPolicy>,
  status: readonly ProposalStatus[],
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
) {
  const pin = pinOf(policy);
  const { address } = policy;
  const items = () => derived.policyProposals(pin, address, status);
  return proposalPage(pin, `policyProposals/${address}`, status, items, args, info);
}

type StatusArgs = ConnectionArgs & { readonly status?: readonly ProposalStatus[] | null | undefined };

export function groupProposals(group: Pinned<Group>, args: StatusArgs, info: GraphQLResolveInfo) {
  const pin = pinOf(group);
  const statuses = args.status ?? undefined;
  const items = () => derived.groupsProposals(pin, [group], statuses);
  return proposalPage(pin, `groupProposals/${group.id}`, statuses, items, args, info);
}

export function accountProposals(
  account: Pinned<Account>,
  args: StatusArgs & { readonly awaitingVote?: boolean | null | undefined },
  info: GraphQLResolveInfo,
) {
  const pin = pinOf(account);
  const { address } = account;
  const [statuses, awaiting] = [args.status ?? undefined, args.awaitingVote ?? false];
  const items = () => derived.accountProposals(pin, address, statuses, awaiting);
  return proposalPage(pin, `accountProposals/${address}/${awaiting}`, statuses, items, args, info);
}

/** Pages of what an account is in its groups. */
export function accountMemberships(account: Pinned<Account>, args: ConnectionArgs, info: GraphQLResolveInfo) {
  const pin = pinOf(account);
  const { address } = account;
  const items = () => derived.memberships(pin, address);
  return derivedConnection(pin, `memberships/${address}`, items, ({ groupId }: GroupMember) => idKey(groupId), args, info);
}

/** Pages of the members who have not voted on an open proposal. null if the proposal is not open. */
export function pendingVoters(proposal: Pinned<Proposal>, args: ConnectionArgs, info: GraphQLResolveInfo) {
  const pin = pinOf(proposal);
  const members = () => nonVoters(pin, proposal);
  return derivedConnection(pin, `pendingVoters/${proposal.id}`, members, memberKey, args, info);
}

/** Reads the vote of one account on a proposal; null if there is none. A malformed `voter` is BAD_USER_INPUT. */
export function voteOn(parent: Pinned<object>, proposalId: bigint, voter: string): Awaitable<Pinned<Vote> | null> {
  const pin = pinOf(parent);
  const vote = andThen(accountInput(pin, 'voter', voter), (of) =>
    pin.loaders(createGroupLoaders).vote.load({ proposalId, voter: of }),
  );
  return pinnedValue(pin, vote);
}
