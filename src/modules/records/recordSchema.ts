import type { RecordedAny, RecordedTally } from '../../archive/facts.ts';
import type { ProposalRecord } from '../../archive/records.ts';
import { pageDefault } from '../../config/bounds.ts';
import { unrecognized } from '../../reads/input.ts';
import { andThen, both } from '../../reads/loader.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, rowsField } from '../../schema/builder.ts';
import { accountInput } from '../account/query.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { groupAt, groupPolicyAt, proposalAt } from '../group/lookups.ts';
import type { GroupEnums } from '../group/state/enums.ts';
import {
  type DecisionPolicy,
  decisionPolicyFromWire,
  proposalExecutorResults,
  proposalStatuses,
} from '../group/state/model.ts';
import { type ProposalOutcome, proposalOutcome } from '../group/state/outcome.ts';
import * as groupRefs from '../group/state/refs.ts';
import { electorateOf, votesOf } from './connections.ts';
import type { RecordEnums } from './enums.ts';
import { recordsAt } from './loaders.ts';
import { placeOf } from './places.ts';
import * as refs from './refs.ts';

/** The arguments of lists that continue at a cursor alone. */
export function keyedArgs(builder: Builder) {
  return builder.args((t) => ({
    first: t.int({ defaultValue: pageDefault }),
    after: t.string(),
    reverse: t.boolean({ defaultValue: false }),
  }));
}

/** The arguments of lists of records. */
export function recordArgs(builder: Builder) {
  return { ...keyedArgs(builder), ...builder.args((t) => ({ offset: t.int() })) };
}

function outcomeOf({ decisionPolicy, totalWeight }: ProposalRecord, tally: RecordedTally | null): ProposalOutcome | null {
  if (decisionPolicy === null || totalWeight === null || tally === null) return null;
  return proposalOutcome(policyIn(decisionPolicy), tally, totalWeight);
}

function policyIn({ type: typeUrl, value }: RecordedAny): DecisionPolicy {
  return decisionPolicyFromWire({ $typeName: 'google.protobuf.Any', typeUrl, value: new Uint8Array(value) });
}

function auditOf({ close, agrees }: ProposalRecord): refs.TallyAudit | null {
  if (agrees === null || close?.tally == null || close.computed === null) return null;
  return { agrees, chain: close.tally, computed: close.computed };
}

/** Adds the type `ProposalRecord`. */
export function addProposalRecord(builder: Builder, enums: RecordEnums & GroupEnums): void {
  builder.objectType(refs.ProposalRecordRef, {
    description:
      'A proposal from submission to end, as recorded by this server. Other types of the graph are the state of the chain at one height; a record is what\nhappened at all recorded heights up to the one read. Later facts are not in it.',
    fields: (t) => ({
      id: t.id({ nullable: false, description: 'Decimal id.', resolve: ({ id }) => id.toString() }),
      title: t.exposeString('title', { nullable: false, description: 'Title; can be empty.' }),
      summary: t.exposeString('summary', { nullable: false, description: 'Summary in free text; can be empty.' }),
      metadata: t.exposeString('metadata', { nullable: false, description: 'Free text of the proposers; can be empty.' }),
      messages: t.field({
        type: [AnyMessageRef],
        nullable: false,
        description: 'The messages of the proposal.',
        resolve: (record) => record.messages.map((message) => anyOf(record, message)),
      }),
      proposers: t.field({
        type: [AccountRef],
        nullable: false,
        description: 'The members who submitted the proposal.',
        resolve: (record) => record.proposers.map((address) => accountOf(record, address)),
      }),
      groupId: t.id({
        description: 'Decimal id of the group. null if it is not known.',
        resolve: ({ groupId }) => groupId?.toString() ?? null,
      }),
      group: t.field({
        type: groupRefs.GroupRef,
        description: 'The group in the state of the chain at the height read.',
        resolve: (record) => (record.groupId === null ? null : groupAt(record, record.groupId)),
      }),
      groupPolicyAddress: t.exposeString('groupPolicyAddress', {
        nullable: false,
        description: 'Address of the group policy that the messages act for.',
      }),
      groupPolicy: t.field({
        type: groupRefs.GroupPolicyRef,
        description: 'The group policy in the state of the chain at the height read.',
        resolve: (record) => groupPolicyAt(record, record.groupPolicyAddress),
      }),
      groupVersion: t.expose('groupVersion', {
        type: 'UInt64',
        description: 'Version of the group at the submission. null if it is not known.',
      }),
      groupPolicyVersion: t.expose('groupPolicyVersion', {
        type: 'UInt64',
        description: 'Version of the group policy at the submission. null if it is not known.',
      }),
      submitTime: t.expose('submitTime', { type: 'DateTime', nullable: false, description: 'Block time of the submission.' }),
      submitted: t.field({
        type: refs.OccurrenceRef,
        description: 'The submission. null if it lies before the coverage.',
        resolve: (record) => placeOf(pinOf(record), record.submitted),
      }),
      votingPeriodEnd: t.expose('votingPeriodEnd', {
        type: 'DateTime',
        nullable: false,
        description: 'Block time after which the chain accepts no more votes.',
      }),
      status: t.field({
        type: enums.ProposalStatus,
        nullable: false,
        description: 'The last status. Of a deleted proposal, the one that it was deleted with.',
        resolve: ({ status }) => proposalStatuses[status] ?? unrecognized,
      }),
      executorResult: t.field({
        type: enums.ProposalExecutorResult,
        nullable: false,
        description: 'The result of the last attempt to execute the messages.',
        resolve: ({ executorResult }) => proposalExecutorResults[executorResult] ?? unrecognized,
      }),
      closed: t.field({
        type: refs.OccurrenceRef,
        description:
          'When the tally became final, or the proposal was withdrawn or aborted. null while votes are taken. Its height and time are null if it lies before the\ncoverage.',
        resolve: (record) => placeOf(pinOf(record), record.close?.at),
      }),
      closedBy: t.field({
        type: enums.ProposalClosing,
        description: 'How the voting ended. null while votes are taken, and if it lies before the coverage and is not known.',
        resolve: ({ close }) => close?.by ?? null,
      }),
      pruned: t.field({
        type: refs.OccurrenceRef,
        description: 'When the chain deleted the proposal. null while the chain still has it.',
        resolve: (record) => placeOf(pinOf(record), record.pruned),
      }),
      tally: t.field({
        extensions: rowsField({ points: 10 }),
        type: groupRefs.TallyResultRef,
        description:
          'The final tally, or the present one while votes are taken. null if the chain computed none: withdrawn or aborted.',
        resolve: (record, _args, context) => andThen(recordsAt(record, context), (loaders) => loaders?.tally.load(record)),
      }),
      outcome: t.field({
        extensions: rowsField({ points: 10 }),
        type: groupRefs.ProposalOutcomeRef,
        description:
          'derived: the decision of the policy on the tally, at the close or now, with percentages. null if the policy, the total weight or the tally is not known, and\nfor an OtherDecisionPolicy.',
        resolve: (record, _args, context) =>
          andThen(recordsAt(record, context), (loaders) =>
            loaders === null ? null : loaders.tally.load(record).then((tally) => outcomeOf(record, tally)),
          ),
      }),
      decisionPolicy: t.field({
        type: groupRefs.DecisionPolicyRef,
        description: 'The decision policy that applied at the close, or applies now. null if it is not known.',
        resolve(record) {
          const { decisionPolicy } = record;
          return decisionPolicy === null ? null : pinned(pinOf(record), policyIn(decisionPolicy));
        },
      }),
      totalWeight: t.expose('totalWeight', {
        type: 'Decimal',
        description: 'The total weight of the group at the close, or now. null if its members at that time are not known.',
      }),
      electorate: t.field({
        extensions: rowsField({ points: 10, onlyWith: 'voted' }),
        type: refs.ElectorConnectionRef,
        description:
          'Those who could vote, by address, with their weight at the close (now, while votes are taken). `voted` keeps only those who did, or did not.\nnull if they are not known.',
        args: { voted: t.arg.boolean(), ...recordArgs(builder) },
        resolve: (record, args, context, info) => electorateOf(record, args, context, info),
      }),
      votes: t.field({
        type: refs.VoteRecordConnectionRef,
        description: 'Every vote, in the order in which they were cast.',
        args: recordArgs(builder),
        resolve: (record, args, context, info) => votesOf(record, args, context, info),
      }),
      vote: t.field({
        type: refs.VoteRecordRef,
        description: 'The vote of this account. null if none is recorded.',
        args: { voter: t.arg.string({ required: true }) },
        resolve: (record, { voter }, context) =>
          both(accountInput(pinOf(record), 'voter', voter), recordsAt(record, context), async (address, loaders) => {
            const found = loaders && (await loaders.vote(address).load(record));
            return found && pinned(pinOf(record), found);
          }),
      }),
      tallyHistory: t.field({
        extensions: rowsField({ points: 100 }),
        type: [refs.TallyPointRef],
        description:
          'The tally after each vote, at the weights of the close. The last point is the final tally, unless votes are not known. At most 500 points:\nlonger histories are thinned evenly, with the first and the last. null if the weights are not known.',
        resolve: (record, _args, context) =>
          andThen(recordsAt(record, context), (loaders) => loaders?.tallyHistory.load(record)),
      }),
      executions: t.field({
        type: [refs.ProposalExecutionRef],
        nullable: false,
        description: 'The attempts to execute the messages, oldest first.',
        resolve: (record, _args, context) => partsOf(record, context, ({ executions }) => executions.load(record)),
      }),
      timeline: t.field({
        extensions: rowsField({ points: 100 }),
        type: [refs.ProposalEventRef],
        nullable: false,
        description:
          'Everything that happened to the proposal, oldest first. Fails with OPERATION_TOO_COMPLEX for more than 5,000 votes, in all timelines of an\noperation at one height together.',
        resolve: (record, _args, context) => partsOf(record, context, ({ timeline }) => timeline.load(record)),
      }),
      singleTransaction: t.exposeBoolean('isSingleTransaction', {
        nullable: false,
        description:
          'Whether it was submitted, decided and deleted in one step, so that no height ever had it: by one transaction, or by one block outside of its\ntransactions, such as by a trigger.',
      }),
      audit: t.field({
        type: refs.TallyAuditRef,
        description:
          "The tally computed from the recorded votes and weights beside the chain's. null while votes are taken, and if there is nothing to compare.",
        resolve: auditOf,
      }),
      complete: t.exposeBoolean('isComplete', {
        nullable: false,
        description:
          'False if part of its life lies outside of the coverage, or was before the oldest state of the nodes, or if the chain has counted votes whose voters\nare not known.',
      }),
      proposal: t.field({
        type: groupRefs.ProposalRef,
        description: 'The proposal in the state of the chain at the height read. null once the chain has deleted it.',
        resolve: (record) => proposalAt(record, record.id),
      }),
    }),
  });
}

/** The parts of a record, pinned like it. */
async function partsOf<T extends object>(
  record: Pinned<ProposalRecord>,
  context: Parameters<typeof recordsAt>[1],
  read: (loaders: NonNullable<Awaited<ReturnType<typeof recordsAt>>>) => Promise<readonly T[]>,
): Promise<readonly Pinned<T>[]> {
  const loaders = await recordsAt(record, context);
  const parts = loaders === null ? [] : await read(loaders);
  return parts.map((part) => pinned(pinOf(record), part));
}
