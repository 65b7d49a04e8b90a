import { readAll } from '../page.ts';
import { type Pin, type Pinned, pinned, pinOf } from '../pin.ts';
import { stateStream } from '../stateStream.ts';
import type { BlockStream } from '../stream.ts';
import { deletionOf, isDeleted } from './deletion.ts';
import { groupsByMember } from './lists.ts';
import { advanceProposals, type ProposalUpdate, presentUpdate } from './proposalUpdates.ts';
import { isSettled, type Standing, standingOf, type TallyUpdate, tallyUpdate } from './tallyUpdates.ts';
import { readWatched, type Target, type Watched } from './watched.ts';

/** Where a stream begins: behind the block `after`, with the present state first or without. */
export interface Start {
  readonly after: bigint;
  readonly present: boolean;
}

async function presentOf(pin: Pin, id: bigint): Promise<ProposalUpdate | undefined> {
  const proposal = await pin.loaders.group.proposal.load(id);
  if (proposal === null) return undefined;
  const block = await pin.loaders.node.block.load(pin.height);
  return presentUpdate(proposal, pin.height, block.header.time);
}

/** The end of a stream whose proposal was deleted before it begins: its last update where `present` is asked for, and nothing more. */
async function lastOf(
  pin: Pin,
  id: bigint,
  present: boolean,
): Promise<{ readonly height: bigint; readonly events: readonly Pinned<ProposalUpdate>[]; readonly last: true }> {
  if (!present) return { height: pin.height, events: [], last: true };
  const update = await deletionOf(pin, id);
  return { height: update.height, events: [pinned(pin.at(update.height), update)], last: true };
}

/** Lets the chain say at once that it does not take an address: BAD_USER_INPUT. */
async function checkTarget(pin: Pin, target: Target): Promise<void> {
  if (target.of === 'policy') await pin.loaders.group.groupPolicy.load(target.address);
  if (target.of === 'member') await readAll(groupsByMember(pin.loaders.group, target.address), 'groups');
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
  return stateStream<Watched, Pinned<ProposalUpdate>>({
    pin,
    after,
    load: (at, unopened) => watchedFrom(at, target, unopened),
    async present(at) {
      await checkTarget(at, target);
      if (target.of !== 'id') return undefined;
      if (await isDeleted(at, target.id)) return lastOf(at, target.id, present);
      const update = present ? await presentOf(at, target.id) : undefined;
      return update && { events: [pinned(at, update)] };
    },
    async advance(watched, block, before, now) {
      const { updates, watched: state } = await advanceProposals(target, watched, block, before, now);
      const last = target.of === 'id' && updates.some(({ proposal }) => proposal === null);
      return { state, last, events: updates.map((update) => pinned(now, update)) };
    },
  });
}

/** What a stream of a tally carries from block to block: `standing` is undefined while there is no such proposal. */
interface Followed {
  readonly watched: Watched;
  readonly standing: Standing | undefined;
}

/**
 * The tally of one proposal wherever a block changed it or what it comes to, each under the pin of its block, until it is final. What was
 * final before the start is over at once; of a proposal that is not there yet the first tally comes when it is submitted.
 */
export function tallyUpdates(root: Pinned<object>, id: bigint, { after, present }: Start): BlockStream<Pinned<TallyUpdate>> {
  const pin = pinOf(root);
  const target: Target = { of: 'id', id };
  return stateStream<Followed, Pinned<TallyUpdate>>({
    pin,
    after,
    async load(at, unopened) {
      const watched = await watchedFrom(at, target, unopened);
      const proposal = unopened ? null : await at.loaders.group.proposal.load(id);
      return { watched, standing: proposal === null ? undefined : await standingOf(at, proposal) };
    },
    isOver: ({ standing }) => standing?.final === true,
    async present(at) {
      if (await isDeleted(at, id)) {
        const { height, events } = await lastOf(at, id, present);
        const tallies = await Promise.all(
          events.map(async (event) => ({ event, update: await tallyUpdate(at, event, undefined) })),
        );
        return {
          height,
          events: tallies.flatMap(({ event, update }) => (update === undefined ? [] : [pinned(pinOf(event), update)])),
          last: true,
        };
      }
      const current = await presentOf(at, id);
      if (current === undefined) return undefined;
      if (!present) return isSettled(current.status) ? { events: [], last: true } : undefined;
      const update = await tallyUpdate(at, current, undefined);
      return update && { events: [pinned(at, update)], last: update.final };
    },
    async advance({ watched, standing }, block, before, now) {
      const { updates, watched: next } = await advanceProposals(target, watched, block, before, now);
      const [change] = updates;
      const update = change && (await tallyUpdate(now, change, standing));
      if (update === undefined) return { state: { watched: next, standing }, events: [] };
      const { tally, outcome, final } = update;
      return { state: { watched: next, standing: { tally, outcome, final } }, events: [pinned(now, update)], last: final };
    },
  });
}
