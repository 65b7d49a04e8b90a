import { readAll } from '../../../reads/page.ts';
import { type Pin, type Pinned, pinned, pinOf } from '../../../reads/pin.ts';
import { stateStream } from '../../../reads/stateStream.ts';
import type { BlockStream } from '../../../reads/stream.ts';
import { createBlockLoaders } from '../../blocks/loaders.ts';
import { groupsByMember } from '../lists.ts';
import { createGroupLoaders } from '../loaders.ts';
import { deletionOf, isDeleted } from './deletion.ts';
import { advanceProposals, type ProposalUpdate, presentUpdate } from './proposalUpdates.ts';
import { isSettled, type Standing, standingOf, type TallyUpdate, tallyUpdate } from './tallyUpdates.ts';
import { readWatched, type Target, type Watched } from './watched.ts';

/** Where a stream begins: behind the block `after`, with the present state first or without. */
export interface Start {
  readonly after: bigint;
  readonly present: boolean;
}

/** The state of a proposal; the last update of a deleted one. undefined if it was not submitted yet. */
async function presentOf(pin: Pin, id: bigint): Promise<ProposalUpdate | undefined> {
  const proposal = await pin.loaders(createGroupLoaders).proposal.load(id);
  if (proposal === null) return (await isDeleted(pin, id)) ? deletionOf(pin, id) : undefined;
  const block = await pin.loaders(createBlockLoaders).block.load(pin.height);
  return presentUpdate(proposal, pin.height, block.header.time);
}

/** Lets the chain say at once that it does not take an address: BAD_USER_INPUT. */
async function checkTarget(pin: Pin, target: Target): Promise<void> {
  if (target.of === 'policy') await pin.loaders(createGroupLoaders).groupPolicy.load(target.address);
  if (target.of === 'member') await readAll(groupsByMember(pin.loaders(createGroupLoaders), target.address), 'groups');
}

/** What a stream carries from block to block. */
interface Followed {
  readonly watched: Watched;
  /** Whether no block can change the proposal any more. */
  readonly isOver: boolean;
}

/** Before the first block nothing is known to be open, so that it is told as a block like any other by its events alone. */
async function watchedFrom(pin: Pin, target: Target, unopened: boolean): Promise<Watched> {
  const watched = await readWatched(pin, target);
  return unopened ? { ...watched, open: new Map() } : watched;
}

/**
 * What blocks do to the proposals of a target, each under the pin of its block. The stream of one proposal ends when the
 * chain deletes it. Of a proposal that was deleted before the stream begins it sends the last update, where the caller names no `after`, and
 * ends. A proposal that was not submitted yet is awaited.
 */
export function proposalUpdates(
  root: Pinned<object>,
  target: Target,
  { after, present }: Start,
): BlockStream<Pinned<ProposalUpdate>> {
  const pin = pinOf(root);
  return stateStream<Followed, Pinned<ProposalUpdate>>({
    pin,
    after,
    async load(at, unopened) {
      const watched = await watchedFrom(at, target, unopened);
      return { watched, isOver: target.of === 'id' && !unopened && (await isDeleted(at, target.id)) };
    },
    isOver: ({ isOver }) => isOver,
    async present(at) {
      await checkTarget(at, target);
      if (target.of !== 'id') return undefined;
      if (!present) return undefined;
      const update = await presentOf(at, target.id);
      return (
        update && { height: update.height, events: [pinned(at.at(update.height), update)], last: update.proposal === null }
      );
    },
    async advance({ watched }, block, before, now) {
      const { updates, watched: next } = await advanceProposals(target, watched, block, before, now);
      const last = target.of === 'id' && updates.some(({ proposal }) => proposal === null);
      return { state: { watched: next, isOver: last }, last, events: updates.map((update) => pinned(now, update)) };
    },
  });
}

/** What a stream of a tally carries from block to block: `standing` is undefined while there is no such proposal. */
interface FollowedTally extends Followed {
  readonly standing: Standing | undefined;
}

/**
 * The tally of one proposal wherever a block changed it or what it comes to, each under the pin of its block, until it is final. What was
 * final before the start is over at once; of a proposal that is not there yet the first tally comes when it is submitted.
 */
export function tallyUpdates(root: Pinned<object>, id: bigint, { after, present }: Start): BlockStream<Pinned<TallyUpdate>> {
  const pin = pinOf(root);
  const target: Target = { of: 'id', id };
  return stateStream<FollowedTally, Pinned<TallyUpdate>>({
    pin,
    after,
    async load(at, unopened) {
      const watched = await watchedFrom(at, target, unopened);
      const proposal = unopened ? null : await at.loaders(createGroupLoaders).proposal.load(id);
      if (proposal === null) return { watched, standing: undefined, isOver: !unopened && (await isDeleted(at, id)) };
      const standing = await standingOf(at, proposal);
      return { watched, standing, isOver: standing.final };
    },
    isOver: ({ isOver }) => isOver,
    async present(at) {
      if (!present) {
        const proposal = await at.loaders(createGroupLoaders).proposal.load(id);
        return proposal !== null && isSettled(proposal.status) ? { events: [], last: true } : undefined;
      }
      const current = await presentOf(at, id);
      if (current === undefined) return undefined;
      const then = at.at(current.height);
      const update = await tallyUpdate(then, current, undefined);
      return update && { height: update.height, events: [pinned(then, update)], last: update.final };
    },
    async advance({ watched, standing }, block, before, now) {
      const { updates, watched: next } = await advanceProposals(target, watched, block, before, now);
      const [change] = updates;
      const update = change && (await tallyUpdate(now, change, standing));
      if (update === undefined) return { state: { watched: next, standing, isOver: false }, events: [] };
      const { tally, outcome, final } = update;
      const state = { watched: next, standing: { tally, outcome, final }, isOver: final };
      return { state, events: [pinned(now, update)], last: final };
    },
  });
}
