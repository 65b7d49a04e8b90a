import { type Awaitable, andThen, type Loader } from '../../reads/loader.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { accountInput } from '../account/query.ts';
import type { GroupLoaders } from './state/loaders.ts';
import { createGroupLoaders } from './state/loaders.ts';
import type { Group, GroupPolicy, Proposal, Vote } from './state/model.ts';

/** Reads one object under the pin of `parent`. Returns null if it does not exist. */
function one<K, T extends object>(
  parent: Pinned<object>,
  loader: (loaders: GroupLoaders) => Loader<K, T | null>,
  key: K,
): Awaitable<Pinned<T> | null> {
  const pin = pinOf(parent);
  return andThen(loader(pin.loaders(createGroupLoaders)).load(key), (value) => value && pinned(pin, value));
}

/** Reads a proposal under the pin of `parent`; null if it does not exist. */
export const proposalAt = (parent: Pinned<object>, id: bigint): Awaitable<Pinned<Proposal> | null> =>
  one(parent, ({ proposal }) => proposal, id);

/** Reads a group; null if it does not exist. */
export const groupAt = (parent: Pinned<object>, id: bigint): Awaitable<Pinned<Group> | null> =>
  one(parent, ({ group }) => group, id);

/** Reads a group policy; null if the address is not a group policy. */
export const groupPolicyAt = (parent: Pinned<object>, address: string): Awaitable<Pinned<GroupPolicy> | null> =>
  one(parent, ({ groupPolicy }) => groupPolicy, address);

/** Reads the vote of one account on a proposal; null if there is none. A malformed `voter` is BAD_USER_INPUT. */
export const voteOn = (parent: Pinned<object>, proposalId: bigint, voter: string): Awaitable<Pinned<Vote> | null> =>
  andThen(accountInput(pinOf(parent), 'voter', voter), (of) => one(parent, ({ vote }) => vote, { proposalId, voter: of }));
