import { isDeepStrictEqual } from 'node:util';
import { RequestError } from '../../reads/errors.ts';
import { startAfter } from '../../reads/height.ts';
import { addressInput, idInput } from '../../reads/input.ts';
import { readAll } from '../../reads/page.ts';
import { type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type BlockStream, stateStream } from '../../reads/stream.ts';
import { type Builder, createRef, nonNull } from '../../schema/builder.ts';
import { checkAccounts } from '../account/query.ts';
import { createBlockLoaders } from '../blocks/query.ts';
import { deletionOf, isDeleted } from './deletion.ts';
import { outcomeOf, tallyOf } from './derived.ts';
import type { Proposal, ProposalOutcome, ProposalStatus, TallyResult } from './model.ts';
import { advanceProposals, type ProposalUpdate, readWatched, type Target, type Watched } from './proposalUpdates.ts';
import { createGroupLoaders, groupsByMember } from './query.ts';
import type { GroupEnums } from './refs.ts';
import * as refs from './refs.ts';

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

async function tallyStateOf(pin: Pin, proposal: Proposal): Promise<TallyState> {
  const [tally, outcome] = await Promise.all([tallyOf(pin, proposal), outcomeOf(pin, proposal)]);
  return { tally, outcome, final: finalStatuses.has(proposal.status) };
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
interface Start {
  readonly after: bigint;
  readonly present: boolean;
}

/** Reads the current state of a proposal, or the last update of a deleted one. Returns undefined if it is not submitted yet. */
async function readCurrentUpdate(pin: Pin, id: bigint): Promise<ProposalUpdate | undefined> {
  const proposal = await pin.loaders(createGroupLoaders).proposal.load(id);
  if (proposal === null) return (await isDeleted(pin, id)) ? deletionOf(pin, id) : undefined;
  const { height } = pin;
  const { time } = (await pin.loaders(createBlockLoaders).block.load(height)).header;
  const { status, executorResult } = proposal;
  return { proposalId: id, height, time, reasons: ['CURRENT'], status, executorResult, proposal, lastTally: null };
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
    async present(at) {
      if (!present) {
        const proposal = await at.loaders(createGroupLoaders).proposal.load(id);
        return proposal !== null && finalStatuses.has(proposal.status) ? { events: [], last: true } : undefined;
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

const ProposalUpdateRef = createRef<Pinned<ProposalUpdate>>('ProposalUpdate');
const TallyUpdateRef = createRef<Pinned<TallyUpdate>>('TallyUpdate');

interface TargetArgs {
  readonly id?: string | number | null | undefined;
  readonly groupId?: string | number | null | undefined;
  readonly groupPolicyAddress?: string | null | undefined;
  readonly member?: string | null | undefined;
}

/** Returns the target that the arguments select. Without arguments it is the whole chain; more than one is BAD_USER_INPUT. */
function targetOf({ id, groupId, groupPolicyAddress, member }: TargetArgs): Target {
  if ([id, groupId, groupPolicyAddress, member].filter((value) => value != null).length > 1) {
    throw new RequestError('BAD_USER_INPUT', 'At most one of `id`, `groupId`, `groupPolicyAddress` and `member` is allowed.', {
      argument: 'id',
      bound: 'the only one of `id`, `groupId`, `groupPolicyAddress` and `member` that is given',
    });
  }
  if (id != null) return { of: 'id', id: idInput('id', String(id)) };
  if (groupId != null) return { of: 'group', id: idInput('groupId', String(groupId)) };
  if (groupPolicyAddress != null) return { of: 'policy', address: addressInput('groupPolicyAddress', groupPolicyAddress) };
  if (member != null) return { of: 'member', address: addressInput('member', member) };
  return { of: 'chain' };
}

function startOf(root: Pinned<object>, after: bigint | null | undefined): Start {
  return { after: startAfter(root, after), present: after == null };
}

/** Returns the proposal of an update under the pin of the update; null if the chain has deleted it. */
function proposalOf(update: Pinned<{ readonly proposal: Proposal | null }>): Pinned<Proposal> | null {
  return update.proposal && pinned(pinOf(update), update.proposal);
}

function addTypes(builder: Builder, { ProposalStatus, ProposalExecutorResult }: GroupEnums): void {
  const ProposalUpdateReason = builder.enumType('ProposalUpdateReason', {
    description: 'What happened to a proposal in a block.',
    values: {
      CURRENT: { description: 'The current state, sent as the first event of a subscription.' },
      SUBMITTED: { description: 'The proposal was submitted.' },
      VOTED: { description: 'A member voted.' },
      EXECUTED: { description: 'An execution was attempted. `executorResult` has its result.' },
      WITHDRAWN: { description: 'The proposal was withdrawn.' },
      VOTING_ENDED: { description: 'The block time passed `votingPeriodEnd`, and the chain decided the proposal.' },
      POLICY_UPDATED: { description: 'The group policy changed, which aborted the proposal.' },
      GROUP_UPDATED: {
        description: 'Members or weights of the group changed, which can change the tally and the weight needed.',
      },
      PRUNED: { description: 'The chain deleted the proposal.' },
    },
  });
  builder.objectType(ProposalUpdateRef, {
    description: 'The state of one proposal after a block that changed it.',
    fields: (t) => ({
      proposalId: t.field({
        ...nonNull('ID', 'Id of the proposal.'),
        resolve: ({ proposalId }) => proposalId.toString(),
      }),
      height: t.expose('height', nonNull('Int64', 'Height of the block.')),
      time: t.expose('time', nonNull('DateTime', 'Block time.')),
      reasons: t.expose('reasons', nonNull([ProposalUpdateReason], 'What happened in the block; at least one value.')),
      status: t.expose('status', nonNull(ProposalStatus, 'Status after the block; for a deleted proposal, its last status.')),
      executorResult: t.expose(
        'executorResult',
        nonNull(ProposalExecutorResult, 'Result of the last execution attempt, also for a deleted proposal.'),
      ),
      tally: t.field({
        type: refs.TallyResultRef,
        description:
          'Tally after the block; for a deleted proposal, its final tally. null if the proposal was aborted or withdrawn.',
        resolve: (update) => (update.proposal === null ? update.lastTally : tallyOf(pinOf(update), update.proposal)),
      }),
      proposal: t.field({
        type: refs.ProposalRef,
        description: 'The proposal after the block; null if the chain has deleted it.',
        resolve: proposalOf,
      }),
    }),
  });
  builder.objectType(TallyUpdateRef, {
    description: 'The tally of a proposal after a block that changed it.',
    fields: (t) => ({
      proposalId: t.field({
        ...nonNull('ID', 'Id of the proposal.'),
        resolve: ({ proposalId }) => proposalId.toString(),
      }),
      height: t.expose('height', nonNull('Int64', 'Height of the block.')),
      time: t.expose('time', nonNull('DateTime', 'Block time.')),
      tally: t.expose('tally', {
        type: refs.TallyResultRef,
        description: 'Tally after the block. null if the proposal was aborted or withdrawn, or was deleted without a tally.',
      }),
      outcome: t.expose('outcome', {
        type: refs.ProposalOutcomeRef,
        description:
          'derived: the decision of the policy on the tally. null unless the proposal is open, and for an OtherDecisionPolicy.',
      }),
      final: t.expose(
        'final',
        nonNull('Boolean', 'Whether the tally is final. A final tally is the last event of the subscription.'),
      ),
      proposal: t.field({
        type: refs.ProposalRef,
        description: 'The proposal after the block; null if the chain has deleted it.',
        resolve: proposalOf,
      }),
    }),
  });
}

export function addGroupUpdates(builder: Builder, enums: GroupEnums): void {
  addTypes(builder, enums);
  builder.subscriptionFields((t) => ({
    proposalUpdated: t.field({
      ...nonNull(
        ProposalUpdateRef,
        'Changes of proposals: of one proposal (`id`), of a group (`groupId`), of a group policy (`groupPolicyAddress`), of all groups of an\naccount (`member`), or of the whole chain. At most one of these arguments is allowed.\nSends one event for each block and proposal that the block changed, including changes for which the chain emits no event. `after`\nresumes after the block of that height. With `id` and without `after`, the first event reports the current state. A subscription with\n`id` completes when the chain deletes the proposal.',
      ),
      args: {
        id: t.arg.id(),
        groupId: t.arg.id(),
        groupPolicyAddress: t.arg.string(),
        member: t.arg.string(),
        after: t.arg({ type: 'Int64' }),
      },
      subscribe: async (root, { after, ...target }) => {
        const { groupPolicyAddress, member } = target;
        await checkAccounts(pinOf(root), { groupPolicyAddress, member });
        return proposalUpdates(root, targetOf(target), startOf(root, after));
      },
      resolve: (update) => update,
    }),
    tallyUpdated: t.field({
      ...nonNull(
        TallyUpdateRef,
        'The tally of a proposal. Sends the current tally first (without `after`), then one event for each block that changed the tally or the\noutcome. `after` resumes after the block of that height. Completes when the tally is final.',
      ),
      args: { proposalId: t.arg.id({ required: true }), after: t.arg({ type: 'Int64' }) },
      subscribe: (root, { proposalId, after }) => tallyUpdates(root, idInput('proposalId', proposalId), startOf(root, after)),
      resolve: (update) => update,
    }),
  }));
}
