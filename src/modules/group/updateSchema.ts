import { RequestError } from '../../reads/errors.ts';
import { startAfter } from '../../reads/height.ts';
import { addressInput, idInput } from '../../reads/input.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, nonNull } from '../../schema/builder.ts';
import { checkAccounts } from '../account/query.ts';
import { tallyOf } from './derived.ts';
import type { Proposal } from './model.ts';
import type { ProposalUpdate } from './proposalUpdates.ts';
import type { GroupEnums } from './refs.ts';
import * as refs from './refs.ts';
import { proposalUpdates, type Start, type TallyUpdate, tallyUpdates } from './updateStreams.ts';
import type { Target } from './watched.ts';

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
      proposalId: t.id({
        nullable: false,
        description: 'Id of the proposal.',
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
      proposalId: t.id({
        nullable: false,
        description: 'Id of the proposal.',
        resolve: ({ proposalId }) => proposalId.toString(),
      }),
      height: t.expose('height', nonNull('Int64', 'Height of the block.')),
      time: t.expose('time', nonNull('DateTime', 'Block time.')),
      tally: t.expose('tally', {
        type: refs.TallyResultRef,
        nullable: true,
        description: 'Tally after the block. null if the proposal was aborted or withdrawn, or was deleted without a tally.',
      }),
      outcome: t.expose('outcome', {
        type: refs.ProposalOutcomeRef,
        nullable: true,
        description:
          'derived: the decision of the policy on the tally. null unless the proposal is open, and for an OtherDecisionPolicy.',
      }),
      final: t.exposeBoolean('final', {
        nullable: false,
        description: 'Whether the tally is final. A final tally is the last event of the subscription.',
      }),
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
      type: ProposalUpdateRef,
      nullable: false,
      description:
        'Changes of proposals: of one proposal (`id`), of a group (`groupId`), of a group policy (`groupPolicyAddress`), of all groups of an\naccount (`member`), or of the whole chain. At most one of these arguments is allowed.\nSends one event for each block and proposal that the block changed, including changes for which the chain emits no event. `after`\nresumes after the block of that height. With `id` and without `after`, the first event reports the current state. A subscription with\n`id` completes when the chain deletes the proposal.',
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
      type: TallyUpdateRef,
      nullable: false,
      description:
        'The tally of a proposal. Sends the current tally first (without `after`), then one event for each block that changed the tally or the\noutcome. `after` resumes after the block of that height. Completes when the tally is final.',
      args: { proposalId: t.arg.id({ required: true }), after: t.arg({ type: 'Int64' }) },
      subscribe: (root, { proposalId, after }) => tallyUpdates(root, idInput('proposalId', proposalId), startOf(root, after)),
      resolve: (update) => update,
    }),
  }));
}
