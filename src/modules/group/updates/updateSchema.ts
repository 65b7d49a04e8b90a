import { RequestError } from '../../../reads/errors.ts';
import { startAfter } from '../../../reads/height.ts';
import { addressInput, idInput } from '../../../reads/input.ts';
import { type Pinned, pinned, pinOf } from '../../../reads/pin.ts';
import { type Builder, createRef } from '../../../schema/builder.ts';
import { tallyOf } from '../derived.ts';
import type { GroupEnums } from '../enums.ts';
import type { Proposal } from '../model.ts';
import * as refs from '../refs.ts';
import type { ProposalUpdate } from './proposalUpdates.ts';
import type { TallyUpdate } from './tallyUpdates.ts';
import { proposalUpdates, type Start, tallyUpdates } from './updateStreams.ts';
import type { Target } from './watched.ts';

const ProposalUpdateRef = createRef<Pinned<ProposalUpdate>>('ProposalUpdate');
const TallyUpdateRef = createRef<Pinned<TallyUpdate>>('TallyUpdate');

interface TargetArgs {
  readonly id?: string | number | null | undefined;
  readonly groupId?: string | number | null | undefined;
  readonly groupPolicyAddress?: string | null | undefined;
  readonly member?: string | null | undefined;
}

/** Which proposals the arguments select: those of the chain without any. More than one is BAD_USER_INPUT. */
function targetOf({ id, groupId, groupPolicyAddress, member }: TargetArgs): Target {
  if ([id, groupId, groupPolicyAddress, member].filter((value) => value != null).length > 1) {
    throw new RequestError('BAD_USER_INPUT', 'Give at most one of `id`, `groupId`, `groupPolicyAddress` and `member`.', {
      argument: 'id',
      bound: 'given alone, or `groupId`, `groupPolicyAddress` or `member` alone, or none of them',
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

/** The proposal of an update, under the update's pin. */
function proposalOf(update: Pinned<{ readonly proposal: Proposal | null }>): Pinned<Proposal> | null {
  return update.proposal && pinned(pinOf(update), update.proposal);
}

function addTypes(builder: Builder, { ProposalStatus, ProposalExecutorResult }: GroupEnums): void {
  const ProposalUpdateReason = builder.enumType('ProposalUpdateReason', {
    description: 'Why a proposal is told of.',
    values: {
      CURRENT: { description: 'The present state, sent at the start.' },
      SUBMITTED: {},
      VOTED: {},
      EXECUTED: { description: 'Somebody tried to execute it.' },
      WITHDRAWN: {},
      VOTING_ENDED: { description: 'Chain time passed votingPeriodEnd.' },
      POLICY_UPDATED: { description: 'The group policy changed; open proposals are aborted.' },
      GROUP_UPDATED: { description: 'Members or weights changed, which moves the tally and what it needs.' },
      PRUNED: { description: 'The chain deleted it.' },
    },
  });
  builder.objectType(ProposalUpdateRef, {
    description: 'One proposal as a block left it.',
    fields: (t) => ({
      proposalId: t.id({ nullable: false, resolve: ({ proposalId }) => proposalId.toString() }),
      height: t.expose('height', { type: 'Int64', nullable: false }),
      time: t.expose('time', { type: 'DateTime', nullable: false }),
      reasons: t.expose('reasons', { type: [ProposalUpdateReason], nullable: false }),
      status: t.expose('status', {
        type: ProposalStatus,
        nullable: false,
        description: 'The last status; of a deleted proposal, the one it was deleted with.',
      }),
      executorResult: t.expose('executorResult', { type: ProposalExecutorResult, nullable: false }),
      tally: t.field({
        type: refs.TallyResultRef,
        description: 'The tally of this block, or the one it was deleted with; null when the chain gives none.',
        resolve: (update) => (update.proposal === null ? update.lastTally : tallyOf(pinOf(update), update.proposal)),
      }),
      proposal: t.field({
        type: refs.ProposalRef,
        description: 'null once the chain has deleted it.',
        resolve: proposalOf,
      }),
    }),
  });
  builder.objectType(TallyUpdateRef, {
    description: 'The tally of a proposal as a block left it.',
    fields: (t) => ({
      proposalId: t.id({ nullable: false, resolve: ({ proposalId }) => proposalId.toString() }),
      height: t.expose('height', { type: 'Int64', nullable: false }),
      time: t.expose('time', { type: 'DateTime', nullable: false }),
      tally: t.expose('tally', {
        type: refs.TallyResultRef,
        nullable: true,
        description: 'null when the chain gives none: aborted, withdrawn, or deleted without one.',
      }),
      outcome: t.expose('outcome', {
        type: refs.ProposalOutcomeRef,
        nullable: true,
        description: 'derived: null unless votes are being taken.',
      }),
      final: t.exposeBoolean('final', {
        nullable: false,
        description: 'Nothing will change any more: this is the last event.',
      }),
      proposal: t.field({
        type: refs.ProposalRef,
        description: 'null once the chain has deleted it.',
        resolve: proposalOf,
      }),
    }),
  });
}

/** Adds the subscriptions of the group module. */
export function addGroupUpdates(builder: Builder, enums: GroupEnums): void {
  addTypes(builder, enums);
  builder.subscriptionFields((t) => ({
    proposalUpdated: t.field({
      type: ProposalUpdateRef,
      nullable: false,
      description:
        'Changes of one proposal (`id`), or of all proposals of a group (`groupId`), of a group policy (`groupPolicyAddress`), of the groups of an\naccount (`member`) or, without any of these, of the chain. Give at most one.\nOne event for each proposal and block that changed it, also where the chain emits no event. With `id` and no `after`,\nthe first event is the present state. The stream of one proposal completes when the chain has deleted it.',
      args: {
        id: t.arg.id(),
        groupId: t.arg.id(),
        groupPolicyAddress: t.arg.string(),
        member: t.arg.string(),
        after: t.arg({ type: 'Int64' }),
      },
      subscribe: (root, { after, ...target }) => proposalUpdates(root, targetOf(target), startOf(root, after)),
      resolve: (update) => update,
    }),
    tallyUpdated: t.field({
      type: TallyUpdateRef,
      nullable: false,
      description:
        'The tally of a proposal: at first as it is (without `after`), then at each block that changed it; completes when it is final.',
      args: { proposalId: t.arg.id({ required: true }), after: t.arg({ type: 'Int64' }) },
      subscribe: (root, { proposalId, after }) => tallyUpdates(root, idInput('proposalId', proposalId), startOf(root, after)),
      resolve: (update) => update,
    }),
  }));
}
