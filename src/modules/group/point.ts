import { addressInput } from '../../reads/input.ts';
import type { Loader } from '../../reads/loader.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import type { GroupLoaders } from './loaders.ts';
import { createGroupLoaders } from './loaders.ts';
import type { Group, GroupPolicy, Proposal, Vote } from './model.ts';

/** Single objects under the pin of whoever asks; null when the chain has none. */
async function one<K, T extends object>(
  parent: Pinned<object>,
  loader: (loaders: GroupLoaders) => Loader<K, T | null>,
  key: K,
): Promise<Pinned<T> | null> {
  const pin = pinOf(parent);
  const value = await loader(pin.loaders(createGroupLoaders)).load(key);
  return value && pinned(pin, value);
}

/** A proposal. */
export const proposalAt = (parent: Pinned<object>, id: bigint): Promise<Pinned<Proposal> | null> =>
  one(parent, ({ proposal }) => proposal, id);

/** A group. */
export const groupAt = (parent: Pinned<object>, id: bigint): Promise<Pinned<Group> | null> =>
  one(parent, ({ group }) => group, id);

/** A group policy. */
export const groupPolicyAt = (parent: Pinned<object>, address: string): Promise<Pinned<GroupPolicy> | null> =>
  one(parent, ({ groupPolicy }) => groupPolicy, address);

/** The vote of one account on a proposal. A malformed `voter` is BAD_USER_INPUT. */
export const voteOn = async (parent: Pinned<object>, proposalId: bigint, voter: string): Promise<Pinned<Vote> | null> =>
  one(parent, ({ vote }) => vote, { proposalId, voter: addressInput('voter', voter) });
