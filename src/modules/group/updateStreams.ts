import { isDeepStrictEqual } from 'node:util';
import { readAll } from '../../reads/page.ts';
import { type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type BlockStream, stateStream } from '../../reads/stream.ts';
import { createBlockLoaders } from '../blocks/query.ts';
import { deletionOf, isDeleted } from './deletion.ts';
import { outcomeOf, tallyOf } from './derived.ts';
import { createGroupLoaders, groupsByMember } from './loaders.ts';
import type { Proposal, ProposalOutcome, ProposalStatus, TallyResult } from './model.ts';
import { advanceProposals, currentUpdate, type ProposalUpdate } from './proposalUpdates.ts';
import { readWatched, type Target, type Watched } from './watched.ts';

interface TallyState {
  /** null if the proposal was aborted, withdrawn, or deleted without a tally. */
  readonly tally: TallyResult | null;
  /** null unless the proposal is open for voting. */
  readonly outcome: ProposalOutcome | null;
  /** Whether the tally can no longer change. */
  readonly final: boolean;
}

/** The tally of a proposal after a block that changed it. */
export interface TallyUpdate extends TallyState {
  readonly proposalId: bigint;
  readonly height: bigint;
  /** Block time, RFC 3339. */
  readonly time: string;
  /** null if the chain has deleted it. */
  readonly proposal: Proposal | null;
}

/** Statuses with a stored tally or none. A proposal never leaves them (docs/chain.md, "Life cycle of a proposal"). */
const finalStatuses: ReadonlySet<ProposalStatus> = new Set([
  'PROPOSAL_STATUS_ACCEPTED',
  'PROPOSAL_STATUS_REJECTED',
  'PROPOSAL_STATUS_ABORTED',
  'PROPOSAL_STATUS_WITHDRAWN',
]);

function hasFinalTally(status: ProposalStatus): boolean {
  return finalStatuses.has(status);
}

async function tallyStateOf(pin: Pin, proposal: Proposal): Promise<TallyState> {
  const [tally, outcome] = await Promise.all([tallyOf(pin, proposal), outcomeOf(pin, proposal)]);
  return { tally, outcome, final: hasFinalTally(proposal.status) };
}

/**
 * Creates the tally update for a proposal update. Returns undefined if the tally equals `previous`, the last one that was sent.
 */
async function tallyUpdate(
  pin: Pin,
  { proposalId, height, time, proposal, lastTally }: ProposalUpdate,
  previous: TallyState | undefined,
): Promise<TallyUpdate | undefined> {
  const tallyState = proposal === null ? { tally: lastTally, outcome: null, final: true } : await tallyStateOf(pin, proposal);
  return isDeepStrictEqual(tallyState, previous) ? undefined : { proposalId, height, time, proposal, ...tallyState };
}

/** Start of a stream: after the block `after`. With `present`, the first event reports the current state. */
export interface Start {
  readonly after: bigint;
  readonly present: boolean;
}

/** Reads the current state of a proposal, or the last update of a deleted one. Returns undefined if it is not submitted yet. */
async function readCurrentUpdate(pin: Pin, id: bigint): Promise<ProposalUpdate | undefined> {
  const proposal = await pin.loaders(createGroupLoaders).proposal.load(id);
  if (proposal === null) return (await isDeleted(pin, id)) ? deletionOf(pin, id) : undefined;
  const block = await pin.loaders(createBlockLoaders).block.load(pin.height);
  return currentUpdate(proposal, pin.height, block.header.time);
}

/** Reads with the address of the target, so that an address that the chain rejects fails at once with BAD_USER_INPUT. */
async function checkTarget(pin: Pin, target: Target): Promise<void> {
  if (target.of === 'policy') await pin.loaders(createGroupLoaders).groupPolicy.load(target.address);
  if (target.of === 'member') await readAll(groupsByMember(pin.loaders(createGroupLoaders), target.address), 'groups');
}

interface ProposalStreamState {
  readonly watched: Watched;
  /** Whether no further block can change the proposal. */
  readonly isOver: boolean;
}

/** Reads what a stream watches. Before the first block no proposal is open, so that its events alone determine its updates. */
async function watchedAt(pin: Pin, target: Target, beforeFirstBlock: boolean): Promise<Watched> {
  const watched = await readWatched(pin, target);
  return beforeFirstBlock ? { ...watched, open: new Map() } : watched;
}

/**
 * Creates the stream of updates of a target's proposals, each under the pin of its block. The stream of a single proposal ends
 * when the chain deletes the proposal. If the proposal was deleted before the start, the stream ends; with `present`, it sends the
 * last update first. If the proposal is not submitted yet, the stream waits for it.
 */
export function proposalUpdates(
  root: Pinned<object>,
  target: Target,
  { after, present }: Start,
): BlockStream<Pinned<ProposalUpdate>> {
  const pin = pinOf(root);
  return stateStream<ProposalStreamState, Pinned<ProposalUpdate>>({
    pin,
    after,
    async load(at, beforeFirstBlock) {
      const watched = await watchedAt(at, target, beforeFirstBlock);
      return { watched, isOver: target.of === 'id' && !beforeFirstBlock && (await isDeleted(at, target.id)) };
    },
    isOver: ({ isOver }) => isOver,
    async present(at) {
      await checkTarget(at, target);
      if (target.of !== 'id') return undefined;
      if (!present) return undefined;
      const update = await readCurrentUpdate(at, target.id);
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

/**
 * State that a stream of a tally carries from block to block. `tallyState` is undefined while the proposal is not submitted.
 */
interface TallyStreamState extends ProposalStreamState {
  readonly tallyState: TallyState | undefined;
}

/**
 * Creates the stream of one proposal's tally: an event for each block that changed the tally or the outcome, under the pin of
 * that block, until the tally is final. A tally that is final before the start ends the stream at once. For a proposal that is
 * not submitted yet, the first event follows its submission.
 */
export function tallyUpdates(root: Pinned<object>, id: bigint, { after, present }: Start): BlockStream<Pinned<TallyUpdate>> {
  const pin = pinOf(root);
  const target: Target = { of: 'id', id };
  return stateStream<TallyStreamState, Pinned<TallyUpdate>>({
    pin,
    after,
    async load(at, beforeFirstBlock) {
      const watched = await watchedAt(at, target, beforeFirstBlock);
      const proposal = beforeFirstBlock ? null : await at.loaders(createGroupLoaders).proposal.load(id);
      if (proposal === null) return { watched, tallyState: undefined, isOver: !beforeFirstBlock && (await isDeleted(at, id)) };
      const tallyState = await tallyStateOf(at, proposal);
      return { watched, tallyState, isOver: tallyState.final };
    },
    isOver: ({ isOver }) => isOver,
    async present(at) {
      if (!present) {
        const proposal = await at.loaders(createGroupLoaders).proposal.load(id);
        return proposal !== null && hasFinalTally(proposal.status) ? { events: [], last: true } : undefined;
      }
      const current = await readCurrentUpdate(at, id);
      if (current === undefined) return undefined;
      const then = at.at(current.height);
      const update = await tallyUpdate(then, current, undefined);
      return update && { height: update.height, events: [pinned(then, update)], last: update.final };
    },
    async advance({ watched, tallyState }, block, before, now) {
      const { updates, watched: next } = await advanceProposals(target, watched, block, before, now);
      const [change] = updates;
      const update = change && (await tallyUpdate(now, change, tallyState));
      if (update === undefined) return { state: { watched: next, tallyState, isOver: false }, events: [] };
      const { tally, outcome, final } = update;
      const state = { watched: next, tallyState: { tally, outcome, final }, isOver: final };
      return { state, events: [pinned(now, update)], last: final };
    },
  });
}
