import type { Event } from '../../chain/base/execution.ts';
import type { CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import { startAfter } from '../../reads/height.ts';
import { idInput } from '../../reads/input.ts';
import { type Awaitable, type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type BlockStream, blockStream } from '../../reads/stream.ts';
import { type Builder, createRef, nonNull } from '../../schema/builder.ts';
import { createBlockLoaders } from '../blocks/query.ts';
import { govProposalAt } from './query.ts';
import { GovProposalRef } from './schema.ts';

/** What happens to a proposal in a block (facts of the chain: docs/chain.md, "Events of the governance module"). */
const reasonTexts = {
  CURRENT: 'The current state, sent as the first event of a subscription.',
  SUBMITTED: 'The proposal was submitted.',
  DEPOSITED: 'An account deposited for it.',
  VOTING_BEGAN: 'It has its deposit, and voting began.',
  VOTED: 'An account voted, or changed its vote.',
  CANCELLED: 'The proposer cancelled it. The chain has deleted it.',
  PASSED: 'It passed, and its messages were executed.',
  REJECTED: 'It did not pass.',
  FAILED: 'It passed, and a message failed: all of them were undone.',
  BECAME_REGULAR:
    'It did not pass as an expedited proposal and became a regular one. Its votes are deleted, and voting goes on.',
  DROPPED: 'It did not get its deposit in time. The chain has deleted it.',
} as const;

type Reason = keyof typeof reasonTexts;

/** The results of `active_proposal` and `inactive_proposal`. */
const results: Readonly<Record<string, Reason>> = {
  proposal_passed: 'PASSED',
  proposal_rejected: 'REJECTED',
  proposal_failed: 'FAILED',
  expedited_proposal_rejected: 'BECAME_REGULAR',
  proposal_dropped: 'DROPPED',
};

/** Reasons after which nothing happens to a proposal any more. */
const lastReasons: ReadonlySet<Reason> = new Set(['CANCELLED', 'PASSED', 'REJECTED', 'FAILED', 'DROPPED']);

/** The state of one proposal after a block that changed it. */
interface GovUpdate {
  readonly proposalId: bigint;
  readonly reasons: readonly Reason[];
  /** What the chain says of the decision; null without one. */
  readonly log: string | null;
}

/** What an event says about a proposal; undefined for other events. */
function readEvent({
  type,
  attributes,
}: Event): { readonly id: string; readonly reason: Reason; readonly log: string | null } | undefined {
  const attribute = (name: string): string | undefined => attributes.find(({ key }) => key === name)?.value;
  const started = attribute('voting_period_start');
  const id = started ?? attribute('proposal_id') ?? '';
  if (!/^\d{1,20}$/.test(id)) return undefined;
  const plain = (reason: Reason) => ({ id, reason, log: null });
  switch (type) {
    case 'submit_proposal':
      return plain(started === undefined ? 'SUBMITTED' : 'VOTING_BEGAN');
    case 'proposal_deposit':
      return plain(started === undefined ? 'DEPOSITED' : 'VOTING_BEGAN');
    case 'proposal_vote':
      return plain('VOTED');
    case 'cancel_proposal':
      return plain('CANCELLED');
    case 'active_proposal':
    case 'inactive_proposal': {
      const reason = results[attribute('proposal_result') ?? ''];
      return reason && { id, reason, log: attribute('proposal_log') ?? null };
    }
    default:
      return undefined;
  }
}

/** What a block changed, by ascending id of the proposal. */
export function govUpdatesIn({ transactions, events }: Pick<CommittedBlock, 'transactions' | 'events'>): readonly GovUpdate[] {
  const updates = new Map<string, { reasons: Set<Reason>; log: string | null }>();
  const all = [...transactions.flatMap(({ result }) => (result.code === 0 ? result.events : [])), ...events];
  for (const event of all) {
    const change = readEvent(event);
    if (change === undefined) continue;
    const update = updates.get(change.id) ?? { reasons: new Set(), log: null };
    update.reasons.add(change.reason);
    update.log = change.log ?? update.log;
    updates.set(change.id, update);
  }
  return [...updates]
    .map(([id, { reasons, log }]) => ({ proposalId: BigInt(id), reasons: [...reasons], log }))
    .toSorted((a, b) => (a.proposalId < b.proposalId ? -1 : 1));
}

/** The stream of the updates of one proposal, or of all. That of one ends with its decision. */
function govUpdates(pin: Pin, id: bigint | undefined, after: bigint, isPresent: boolean): BlockStream<Pinned<GovUpdate>> {
  return blockStream({
    blocks: pin.client.blocks.from(after, { signal: pin.signal }),
    async first() {
      if (id === undefined || !isPresent) return undefined;
      const at = pin.at(after);
      const proposal = await govProposalAt(pinned(at, {}), id);
      if (proposal === null) return undefined;
      const last = proposal.status !== 'PROPOSAL_STATUS_DEPOSIT_PERIOD' && proposal.status !== 'PROPOSAL_STATUS_VOTING_PERIOD';
      return {
        height: after,
        isPresent: true,
        last,
        events: [pinned(at, { proposalId: id, reasons: ['CURRENT'], log: null })],
      };
    },
    step(block) {
      const now = pin.at(block.header.height);
      const updates = govUpdatesIn(block).filter(({ proposalId }) => id === undefined || proposalId === id);
      const last = id !== undefined && updates.some(({ reasons }) => reasons.some((reason) => lastReasons.has(reason)));
      return { last, events: updates.map((update) => pinned(now, update)) };
    },
  });
}

const GovProposalUpdateRef = createRef<Pinned<GovUpdate>>('GovProposalUpdate');

/** Adds `Subscription.govProposalUpdated`. */
export function addGovUpdates(builder: Builder): void {
  const GovProposalUpdateReason = builder.enumType('GovProposalUpdateReason', {
    description: 'What happened to a proposal of the governance module in a block.',
    values: Object.fromEntries(Object.entries(reasonTexts).map(([name, description]) => [name, { description }])) as Record<
      Reason,
      { description: string }
    >,
  });
  const headerOf = (update: Pinned<GovUpdate>): Awaitable<{ readonly header: { readonly time: string } }> =>
    pinOf(update).loaders(createBlockLoaders).block.load(pinOf(update).height);
  builder.objectType(GovProposalUpdateRef, {
    description: 'The state of one proposal of the governance module after a block that changed it.',
    fields: (t) => ({
      proposalId: t.field({ ...nonNull('ID', 'Id of the proposal.'), resolve: ({ proposalId }) => proposalId.toString() }),
      height: t.field({ ...nonNull('Int64', 'Height of the block.'), resolve: (update) => pinOf(update).height }),
      time: t.field({
        ...nonNull('DateTime', 'Block time.'),
        resolve: async (update) => (await headerOf(update)).header.time,
      }),
      reasons: t.expose('reasons', nonNull([GovProposalUpdateReason], 'What happened in the block; at least one value.')),
      log: t.exposeString('log', {
        description: 'What the chain says of its decision, such as why the execution failed; null without one.',
      }),
      proposal: t.field({
        type: GovProposalRef,
        description: 'The proposal after the block; null if the chain has deleted it.',
        resolve: (update) => govProposalAt(update, update.proposalId),
      }),
    }),
  });
  builder.subscriptionField('govProposalUpdated', (t) =>
    t.field({
      ...nonNull(
        GovProposalUpdateRef,
        'Changes of proposals of the governance module: of one (`id`), or of all. Sends one event for each block and proposal that the block changed. Changes of stake alone,\nwhich can change a tally, send none. With `id` and without `after`, the first event is the current state, and the subscription completes when the proposal is decided.',
      ),
      args: { id: t.arg.id(), after: t.arg({ type: 'Int64' }) },
      subscribe: (root, { id, after }) =>
        govUpdates(pinOf(root), id == null ? undefined : idInput('id', String(id)), startAfter(root, after), after == null),
      resolve: (update) => update,
    }),
  );
}
