import type { RecordedAny, RecordedTally } from '../../archive/facts.ts';
import type { ProposalRecord } from '../../archive/records.ts';
import { pageDefault } from '../../config/bounds.ts';
import { decimal, percentOf } from '../../reads/decimal.ts';
import { andThen, both, type Pinned, pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import { type Builder, nonNull, nonNullList, rowsField, usesContext } from '../../schema/builder.ts';
import { accountInput } from '../account/query.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { memberOf } from '../group/derived.ts';
import {
  type DecisionPolicy,
  decisionPolicyFromWire,
  optionName,
  type ProposalOutcome,
  proposalOutcome,
  resultName,
  statusName,
} from '../group/model.ts';
import { groupAt, groupPolicyAt, proposalAt } from '../group/query.ts';
import * as groupRefs from '../group/refs.ts';
import { type GroupEnums, GroupMemberRef, TallyResultRef } from '../group/refs.ts';
import { createTransactionLoaders } from '../transactions/query.ts';
import { TransactionRef } from '../transactions/schema.ts';
import { electorateOf, votesOf } from './connections.ts';
import { recordsAt } from './loaders.ts';
import type { RecordEnums } from './refs.ts';
import * as refs from './refs.ts';
import { placeOf } from './timeline.ts';

/** The arguments of lists that continue at a cursor alone. */
export function keyedArgs(builder: Builder) {
  return builder.args((t) => ({
    first: t.int({ defaultValue: pageDefault }),
    after: t.string(),
    reverse: t.boolean({ defaultValue: false }),
  }));
}

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
        ...nonNullList(AnyMessageRef, 'The messages of the proposal.'),
        resolve: (record) => record.messages.map((message) => anyOf(record, message)),
      }),
      proposers: t.field({
        ...nonNullList(AccountRef, 'The members who submitted the proposal.'),
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
      groupPolicyAddress: t.expose(
        'groupPolicyAddress',
        nonNull('String', 'Address of the group policy that the messages act for.'),
      ),
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
      submitTime: t.expose('submitTime', nonNull('DateTime', 'Block time of the submission.')),
      submitted: t.field({
        type: refs.OccurrenceRef,
        description: 'The submission. null if it lies before the coverage.',
        resolve: (record) => placeOf(pinOf(record), record.submitted),
      }),
      votingPeriodEnd: t.expose(
        'votingPeriodEnd',
        nonNull('DateTime', 'Block time after which the chain accepts no more votes.'),
      ),
      status: t.field({
        ...nonNull(enums.ProposalStatus, 'The last status. Of a deleted proposal, the one that it was deleted with.'),
        resolve: ({ status }) => statusName(status),
      }),
      executorResult: t.field({
        ...nonNull(enums.ProposalExecutorResult, 'The result of the last attempt to execute the messages.'),
        resolve: ({ executorResult }) => resultName(executorResult),
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
        resolve: usesContext((record, _args, context) =>
          andThen(recordsAt(record, context), (loaders) => loaders?.tally.load(record)),
        ),
      }),
      outcome: t.field({
        extensions: rowsField({ points: 10 }),
        type: groupRefs.ProposalOutcomeRef,
        description:
          'derived: the decision of the policy on the tally, at the close or now, with percentages. null if the policy, the total weight or the tally is not known, and\nfor an OtherDecisionPolicy.',
        resolve: usesContext((record, _args, context) =>
          andThen(recordsAt(record, context), (loaders) =>
            loaders === null ? null : loaders.tally.load(record).then((tally) => outcomeOf(record, tally)),
          ),
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
        resolve: usesContext(electorateOf),
      }),
      votes: t.field({
        type: refs.VoteRecordConnectionRef,
        description: 'Every vote, in the order in which they were cast.',
        args: recordArgs(builder),
        resolve: usesContext(votesOf),
      }),
      vote: t.field({
        type: refs.VoteRecordRef,
        description: 'The vote of this account. null if none is recorded.',
        args: { voter: t.arg.string({ required: true }) },
        resolve: usesContext((record, { voter }, context) =>
          both(accountInput(pinOf(record), 'voter', voter), recordsAt(record, context), async (address, loaders) => {
            const vote = loaders && (await loaders.vote(address).load(record));
            return vote && pinned(pinOf(record), vote);
          }),
        ),
      }),
      tallyHistory: t.field({
        extensions: rowsField({ points: 100 }),
        type: [refs.TallyPointRef],
        description:
          'The tally after each vote, at the weights of the close. The last point is the final tally, unless votes are not known. At most 500 points:\nlonger histories are thinned evenly, with the first and the last. null if the weights are not known.',
        resolve: usesContext((record, _args, context) =>
          andThen(recordsAt(record, context), (loaders) => loaders?.tallyHistory.load(record)),
        ),
      }),
      executions: t.field({
        ...nonNullList(refs.ProposalExecutionRef, 'The attempts to execute the messages, oldest first.'),
        resolve: usesContext((record, _args, context) => partsOf(record, context, ({ executions }) => executions.load(record))),
      }),
      timeline: t.field({
        ...nonNullList(
          refs.ProposalEventRef,
          'Everything that happened to the proposal, oldest first. Fails with OPERATION_TOO_COMPLEX for more than 5,000 votes, in all timelines of an\noperation at one height together.',
        ),
        extensions: rowsField({ points: 100 }),
        resolve: usesContext((record, _args, context) => partsOf(record, context, ({ timeline }) => timeline.load(record))),
      }),
      singleTransaction: t.expose(
        'isSingleTransaction',
        nonNull(
          'Boolean',
          'Whether it was submitted, decided and deleted in one step, so that no height ever had it: by one transaction, or by one block outside of its\ntransactions, such as by a trigger.',
        ),
      ),
      audit: t.field({
        type: refs.TallyAuditRef,
        description:
          "The tally computed from the recorded votes and weights beside the chain's. null while votes are taken, and if there is nothing to compare.",
        resolve: auditOf,
      }),
      proof: t.field({
        extensions: rowsField({ points: 50 }),
        type: refs.ProposalProofRef,
        description:
          'The proof of the proposal, its votes, its policy, and its group with all members, in the state before the block of the close. Later, no node can give it.\nnull while votes are taken, if no node proved that state when it was recorded, and if the proposal was submitted in the block of its close.',
        resolve: usesContext((record, _args, context) =>
          andThen(recordsAt(record, context), (loaders) => loaders?.proof.load(record)),
        ),
      }),
      complete: t.expose(
        'isComplete',
        nonNull(
          'Boolean',
          'False if part of its life lies outside of the coverage, or was before the oldest state of the nodes, or if the chain has counted votes whose voters\nare not known.',
        ),
      ),
      proposal: t.field({
        type: groupRefs.ProposalRef,
        description: 'The proposal in the state of the chain at the height read. null once the chain has deleted it.',
        resolve: (record) => proposalAt(record, record.id),
      }),
    }),
  });
}

async function partsOf<T extends object>(
  record: Pinned<ProposalRecord>,
  context: Parameters<typeof recordsAt>[1],
  read: (loaders: NonNullable<Awaited<ReturnType<typeof recordsAt>>>) => Promise<readonly T[]>,
): Promise<readonly Pinned<T>[]> {
  const loaders = await recordsAt(record, context);
  const parts = loaders === null ? [] : await read(loaders);
  return parts.map((part) => pinned(pinOf(record), part));
}

export function addRecordParts(builder: Builder, enums: RecordEnums & GroupEnums): void {
  addOccurrence(builder);
  addVoteRecord(builder, enums);
  addElector(builder);
  addEvents(builder, enums);
  builder.objectType(refs.ProposalProofRef, {
    description: 'A proof that the archive has kept. It can be verified without this server and without a node.',
    fields: (t) => ({
      height: t.expose(
        'height',
        nonNull(
          'Int64',
          'The height of the state that it proves: that of the block before the close. The votes of the block of the close are in no state.',
        ),
      ),
      bundle: t.field({
        ...nonNull(
          'JSON',
          'The bundle: the signed header of the next height, its validators, and the parts of the store, in the form of `extensions.proof`. `reads` are the requests\nwhose answers it proves.',
        ),
        resolve: ({ bundle }) => bundle,
      }),
    }),
  });
  builder.objectType(refs.TallyPointRef, {
    description: 'The tally after a vote.',
    fields: (t) => ({
      height: t.field({
        type: 'Int64',
        description: 'null if the vote lies before the coverage and only its time is known.',
        resolve: ({ at }) => at.height,
      }),
      time: t.field({
        ...nonNull('DateTime', 'When the vote was cast.'),
        resolve: ({ at }) => at.time,
      }),
      tally: t.expose('tally', { type: TallyResultRef, nullable: false }),
    }),
  });
  builder.objectType(refs.TallyAuditRef, {
    description: "The chain's final tally beside the one computed from the recorded votes.",
    fields: (t) => ({
      agrees: t.expose('agrees', nonNull('Boolean', 'Whether both are equal. False is a bug or a wrong node.')),
      chain: t.expose('chain', nonNull(TallyResultRef, 'The final tally of the chain.')),
      computed: t.expose('computed', nonNull(TallyResultRef, 'The computed tally.')),
    }),
  });
  builder.objectType(refs.ParticipationRef, {
    description: 'How often a member of a group has voted.',
    fields: (t) => ({
      account: t.field({ type: AccountRef, nullable: false, resolve: (of) => accountOf(of, of.address) }),
      eligible: t.expose(
        'eligible',
        nonNull(
          'Int',
          'Number of closed proposals that it could vote on. Those that it did not vote on are left out if the chain has counted votes whose voters are not\nknown, and if nobody else could vote, because one transaction submitted and decided them.',
        ),
      ),
      voted: t.exposeInt('voted', { nullable: false, description: 'Number of those that it voted on.' }),
      percent: t.field({
        type: 'Decimal',
        description: 'Share of the proposals that it voted on. null if there was none.',
        resolve: ({ eligible, voted }) => percentOf(decimal(String(voted)), decimal(String(eligible))),
      }),
    }),
  });
}

function addOccurrence(builder: Builder): void {
  builder.objectType(refs.OccurrenceRef, {
    description: "A place in the chain's history.",
    fields: (t) => ({
      height: t.expose('height', {
        type: 'Int64',
        description: 'null if it lies before the coverage and neither the state nor the events of the nodes show it.',
      }),
      time: t.expose('time', {
        type: 'DateTime',
        description:
          'Time of the block. null if it lies before the coverage and is not known either. Of votes and submissions it is always known.',
      }),
      hash: t.expose('hash', { type: 'Hex', description: 'Hash of the transaction. null for what a block did by itself.' }),
      transaction: t.field({
        type: TransactionRef,
        description:
          'The transaction. null for what a block did by itself. INDEX_UNAVAILABLE if no node has a transaction index.',
        resolve: ({ hash, ...place }) =>
          hash === null
            ? null
            : pinnedValue(pinOf(place), pinOf(place).loaders(createTransactionLoaders).transaction.load(hash)),
      }),
    }),
  });
}

function addVoteRecord(builder: Builder, enums: RecordEnums & GroupEnums): void {
  builder.objectType(refs.VoteRecordRef, {
    description: 'A vote, as it was cast.',
    fields: (t) => ({
      proposalId: t.id({ nullable: false, description: 'Decimal id.', resolve: ({ proposalId }) => proposalId.toString() }),
      record: t.field({
        type: refs.ProposalRecordRef,
        description: 'The record of the proposal.',
        resolve: usesContext((vote, _args, context) =>
          andThen(recordsAt(vote, context), async (loaders) => {
            const record = loaders && (await loaders.record.load(vote.proposalId));
            return record && pinned(pinOf(vote), record);
          }),
        ),
      }),
      voter: t.field({ type: AccountRef, nullable: false, resolve: (vote) => accountOf(vote, vote.voter) }),
      option: t.field({
        type: enums.VoteOption,
        nullable: false,
        resolve: ({ option }) => optionName(option),
      }),
      metadata: t.exposeString('metadata', { nullable: false, description: 'Free text of the voter; can be empty.' }),
      at: t.field({ type: refs.OccurrenceRef, nullable: false, resolve: (vote) => placeOf(pinOf(vote), vote.at) }),
      origin: t.expose('origin', nonNull(enums.VoteOrigin, 'How the vote was cast.')),
      weight: t.expose('weight', {
        type: 'Decimal',
        description:
          'Weight of the voter at the close (now, while votes are taken). null if the voter had left the group, so that the vote did not count.',
      }),
    }),
  });
}

function addElector(builder: Builder): void {
  builder.objectType(refs.ElectorRef, {
    description: 'An account that could vote on a proposal.',
    fields: (t) => ({
      account: t.field({ type: AccountRef, nullable: false, resolve: (elector) => accountOf(elector, elector.address) }),
      weight: t.expose('weight', nonNull('Decimal', 'Weight in the tally.')),
      weightPercent: t.field({
        type: 'Decimal',
        description: 'Share of the total weight. null if the total weight is 0 or not known.',
        resolve: ({ weight, totalWeight }) => (totalWeight === null ? null : percentOf(decimal(weight), decimal(totalWeight))),
      }),
      member: t.field({
        type: GroupMemberRef,
        description: 'Its membership in the group in the state of the chain at the height read. null if it has left the group.',
        resolve(elector) {
          const pin = pinOf(elector);
          if (elector.groupId === null) return null;
          return pinnedValue(pin, memberOf(pin, elector.groupId, elector.address));
        },
      }),
      vote: t.field({
        type: refs.VoteRecordRef,
        description: 'The vote. null if it did not vote, and if `complete` is false also if it is not known.',
        resolve: (elector) => elector.vote && pinned(pinOf(elector), elector.vote),
      }),
    }),
  });
}

function addEvents(builder: Builder, enums: RecordEnums & GroupEnums): void {
  builder.objectType(refs.ProposalExecutionRef, {
    description: "An attempt to execute a proposal's messages.",
    fields: (t) => ({
      at: t.field({ type: refs.OccurrenceRef, nullable: false, resolve: (of) => placeOf(pinOf(of), of.at) }),
      executor: t.field({
        type: AccountRef,
        description: 'The account that executed it. null if it is not known.',
        resolve: (of) => (of.executor === null ? null : accountOf(of, of.executor)),
      }),
      result: t.field({
        ...nonNull(enums.ProposalExecutorResult, 'NOT_RUN if the tally was not final, or did not accept the proposal.'),
        resolve: ({ result }) => resultName(result),
      }),
      logs: t.expose('logs', nonNull('String', 'Log of the chain; empty on success, and if it is not known.')),
    }),
  });
  builder.objectType(refs.ProposalEventRef, {
    description: 'Something that happened to a proposal.',
    fields: (t) => ({
      kind: t.expose('kind', { type: enums.ProposalEventKind, nullable: false }),
      at: t.field({ type: refs.OccurrenceRef, nullable: false, resolve: (event) => placeOf(pinOf(event), event.at) }),
      account: t.field({
        type: AccountRef,
        description: 'The account that caused it. null if there is none, or it is not known.',
        resolve: (event) => (event.account === null ? null : accountOf(event, event.account)),
      }),
      vote: t.field({
        type: refs.VoteRecordRef,
        description: 'The vote. Only for VOTED.',
        resolve: (event) => event.vote && pinned(pinOf(event), event.vote),
      }),
      detail: t.exposeString('detail', { description: 'More about it, depending on `kind`.' }),
    }),
  });
}
