import { z } from 'zod';
import { recordKey, type VoteRecord, voteKey } from '../../archive/records.ts';
import { type Bounds, pageDefault } from '../../config/bounds.ts';
import { proposalExecutorResults, proposalStatuses, voteOptions } from '../../modules/group/model.ts';
import {
  accountVotePages,
  executionView,
  proposalColumns,
  proposalPages,
  proposalView,
  voteColumns,
  votePages,
  voteView,
  withTallies,
} from '../../modules/records/export.ts';
import { accountVoteListName, proposalListName, recordFilter, voteListName } from '../../modules/records/filter.ts';
import { type RecordLoaders, readForRequest, recordStores, recordsOf } from '../../modules/records/loaders.ts';
import { RequestError } from '../../reads/errors.ts';
import { unrecognized } from '../../reads/input.ts';
import type { Page } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import {
  accountInPath,
  accountInQuery,
  createRoute,
  cursorName,
  type PageValues,
  pageInQuery,
  pageRequest,
  paginationOf,
  proposalInPath,
  type Route,
  textInQuery,
  type Values,
  wordsInQuery,
} from './route.ts';
import { address, height, objectOf, orNull, pagination, time } from './schemas.ts';

const id = height;
const weight = z.string().describe('A weight in decimal. Weights can be fractions.');
const executorResult = z.enum([...proposalExecutorResults, unrecognized]);

const place = {
  blockHeight: orNull(id, 'null if it lies before the coverage of the archive and only its time is known.'),
  blockTime: time,
  transactionHash: orNull(z.string(), 'Upper-case hex. null for what a block did by itself, and if it is not known.'),
};

export const occurrence = objectOf("A place in the chain's history.", place);

export const uncertainPlace = {
  ...place,
  blockHeight: orNull(id, 'null if it lies before the coverage of the archive.'),
  blockTime: orNull(time, 'null if it lies before the coverage of the archive and is not known either.'),
};

export const uncertainOccurrence = objectOf("A place in the chain's history that may not be known.", uncertainPlace);

export const recordedTally = objectOf('Voting weights by option.', {
  yesCount: weight,
  abstainCount: weight,
  noCount: weight,
  noWithVetoCount: weight,
});

export const messages = z
  .array(z.object({ type: z.string().describe('Type URL, such as `/cosmos.bank.v1beta1.MsgSend`.'), value: z.string() }))
  .describe('The messages of the proposal. `value` is the encoded message in base64.');

const proposalRecord = objectOf('A proposal from submission to end, as recorded by this server.', {
  id,
  title: z.string(),
  summary: z.string(),
  metadata: z.string(),
  messages,
  proposers: z.array(address),
  groupId: orNull(id, 'null if it is not known.'),
  groupPolicyAddress: address,
  groupVersion: orNull(id, 'Version of the group at the submission. null if it is not known.'),
  groupPolicyVersion: orNull(id, 'Version of the group policy at the submission. null if it is not known.'),
  submitTime: time,
  submitted: orNull(occurrence, 'null if it was submitted before the coverage of the archive.'),
  votingPeriodEnd: time,
  status: z.enum([...proposalStatuses, unrecognized]).describe('The last status, also of a deleted proposal.'),
  executorResult: executorResult.describe('The result of the last attempt to execute the messages.'),
  closed: orNull(
    uncertainOccurrence,
    'When the tally became final, or the proposal was withdrawn or aborted. null while votes are taken.',
  ),
  closedBy: orNull(
    z.enum(['DECIDED', 'VOTING_ENDED', 'WITHDRAWN', 'ABORTED']),
    'null while votes are taken, and if it is not known.',
  ),
  pruned: orNull(occurrence, 'When the chain deleted it. null while the chain still has it.'),
  tally: orNull(recordedTally, 'The final tally, or the present one while votes are taken. null if the chain computed none.'),
  totalWeight: orNull(
    weight,
    'Total weight of the group at the close, or now. null if its members at that time are not known.',
  ),
  singleTransaction: z
    .boolean()
    .describe(
      'Whether it was submitted, decided and deleted in one step, by one transaction or by one block outside of its transactions.',
    ),
  auditAgrees: orNull(
    z.boolean(),
    "Whether the tally computed from the recorded votes equals the chain's. null if there is nothing to compare.",
  ),
  complete: z
    .boolean()
    .describe(
      'false if part of its life lies outside of the coverage of the archive, or votes of unknown voters were counted.',
    ),
});

const recordedExecution = objectOf('An attempt to execute the messages of a proposal.', {
  executor: orNull(z.string(), 'Bech32 address. null if it is not known.'),
  result: executorResult,
  logs: z.string().describe('Log of the chain. Empty on success.'),
  ...uncertainPlace,
});

const voteRecord = objectOf('A vote, as it was cast.', {
  proposalId: id,
  voter: address,
  option: z.enum([...voteOptions, unrecognized]),
  metadata: z.string(),
  origin: z
    .enum(['MESSAGE', 'PROPOSER', 'AUTHORIZATION', 'PROPOSAL', 'OTHER'])
    .describe('How it was cast. PROPOSER: implied, by the proposer of a proposal submitted with EXEC_TRY.'),
  weight: orNull(weight, 'Weight of the voter at the close, or now while votes are taken. null if the vote did not count.'),
  ...place,
});

/** The schemas of records that have a name in the OpenAPI description. */
export const recordSchemas = {
  Occurrence: occurrence,
  UncertainOccurrence: uncertainOccurrence,
  RecordedTally: recordedTally,
  ProposalRecord: proposalRecord,
  RecordedExecution: recordedExecution,
  VoteRecord: voteRecord,
} as const;

/** Price of one proposal of a list, and of one vote, in points: that of the same fields in GraphQL. */
const proposalPoints = 26;
const votePoints = 3;

const filters = {
  groupId: textInQuery('Proposals of all policies of this group.'),
  groupPolicyAddress: { ...accountInQuery, description: 'Proposals of this group policy: its Bech32 address.' },
  proposer: { ...accountInQuery, description: 'Proposals that this account submitted: its Bech32 address.' },
  voter: { ...accountInQuery, description: 'Proposals that this account has voted on: its Bech32 address.' },
  missedBy: {
    ...accountInQuery,
    description: 'Closed proposals that this account could vote on and did not: its Bech32 address.',
  },
  status: wordsInQuery('Proposals whose last status is one of these.', proposalStatuses),
  executorResult: wordsInQuery('Proposals whose last execution had one of these results.', proposalExecutorResults),
  messageType: textInQuery('Type URL of one of the messages, such as `/cosmos.bank.v1beta1.MsgSend`.'),
  submittedFrom: textInQuery('Proposals submitted at this time or later: RFC 3339 in UTC.'),
  submittedTo: textInQuery('Proposals submitted at this time or earlier: RFC 3339 in UTC.'),
};

function filterOf(values: Values<typeof filters> & PageValues) {
  const { [cursorName]: _cursor, 'pagination.pageSize': _size, ...filter } = values;
  return recordFilter(filter, '');
}

/**
 * Recorded proposals and votes. They are read from the archive as of the height of the response, for which the archive waits up to `freshness` ms. No
 * upstream reads.
 */
export function recordRoutes(bounds: Bounds, freshness: number): readonly Route[] {
  const common = { services: ['cosmos.group.v1.Query'], readsArchive: true } as const;
  const page = pageInQuery(bounds);
  const present = { field: 'id', bound: 'the id of a recorded proposal' };
  const votes = {
    ...common,
    name: 'Votes',
    fields: { items: z.array(voteRecord), pagination },
  };
  const voteStream = { fileName: 'votes', size: bounds.pageMax, columns: voteColumns };

  async function recordsAt(pin: Pin): Promise<RecordLoaders> {
    const loaders = await recordsOf(pin, freshness);
    if (loaders === null) throw new RequestError('ARCHIVE_UNAVAILABLE', 'This server has no archive.', {});
    return loaders;
  }

  const votesOfPage = (name: string, voteRecords: Page<VoteRecord>) => ({
    items: voteRecords.items.map(voteView),
    pagination: paginationOf(name, voteRecords, voteKey),
  });

  return [
    createRoute({
      path: '/v1/proposals',
      operationId: 'getProposals',
      ...common,
      summary: 'Recorded proposals',
      description:
        'Lists proposals of groups, newest first, also after the chain has deleted them. The conditions are combined with AND. With `Accept: text/csv` or `Accept: application/x-ndjson`, returns the whole list as a stream, without pages.',
      parameters: { ...filters, ...page },
      name: 'Proposals',
      fields: { items: z.array(proposalRecord), pagination },
      points: ({ 'pagination.pageSize': size }) => 2 + proposalPoints * size,
      async answer(pin, values) {
        const filter = filterOf(values);
        const name = proposalListName(filter);
        const request = pageRequest(name, values);
        const { reader } = await recordsAt(pin);
        const recordPage = await readForRequest(reader.recordPage(filter, request, pin.heightOf(recordStores)));
        const items = await readForRequest(withTallies(reader, recordPage.items));
        return { items, pagination: paginationOf(name, recordPage, recordKey) };
      },
      stream: {
        fileName: 'proposals',
        size: pageDefault,
        async pages(pin, values, options) {
          const { reader } = await recordsAt(pin);
          return proposalPages(reader, filterOf(values), pin.height, options);
        },
        columns: proposalColumns,
      },
    }),
    createRoute({
      path: '/v1/proposals/{id}',
      operationId: 'getProposal',
      ...common,
      summary: 'A recorded proposal',
      description: 'Returns a proposal of a group, open or closed, with its executions, also after the chain has deleted it.',
      parameters: { id: proposalInPath },
      name: 'Proposal',
      fields: {
        item: proposalRecord,
        computedTally: orNull(
          recordedTally,
          'The tally computed from the recorded votes. null if there is nothing to compare.',
        ),
        executions: z.array(recordedExecution).describe('The attempts to execute the messages, oldest first.'),
      },
      present,
      points: () => 41,
      async answer(pin, { id }) {
        const loaders = await recordsAt(pin);
        const record = await loaders.record.load(id);
        if (record === null) return null;
        const [tally, executions] = await Promise.all([loaders.tally.load(record), loaders.executions.load(record)]);
        const computedTally = record.close?.computed ?? null;
        return { item: proposalView(record, tally), computedTally, executions: executions.map(executionView) };
      },
    }),
    createRoute({
      path: '/v1/proposals/{id}/votes',
      operationId: 'getVotesOfProposal',
      ...votes,
      points: ({ 'pagination.pageSize': size }) => 3 + votePoints * size,
      summary: 'Recorded votes on a proposal',
      description:
        'Lists all votes on a proposal in the order in which they were cast, also after the chain has deleted them. With `Accept: text/csv` or `Accept: application/x-ndjson`, returns the whole list as a stream, without pages.',
      parameters: { id: proposalInPath, ...page },
      present,
      async answer(pin, { id, ...values }) {
        const name = voteListName(id);
        const request = pageRequest(name, values);
        const loaders = await recordsAt(pin);
        const record = await loaders.record.load(id);
        return record && votesOfPage(name, await loaders.votes(request).load(record));
      },
      stream: {
        ...voteStream,
        async pages(pin, { id }, options) {
          const loaders = await recordsAt(pin);
          const record = await loaders.record.load(id);
          return record && votePages(loaders.reader, record, options);
        },
      },
    }),
    createRoute({
      path: '/v1/accounts/{address}/votes',
      operationId: 'getVotesOfAccount',
      ...votes,
      points: ({ 'pagination.pageSize': size }) => 3 + votePoints * size,
      summary: 'Recorded votes of an account',
      description:
        'Lists the votes that an account has cast, newest first, also after the chain has deleted them. With `Accept: text/csv` or `Accept: application/x-ndjson`, returns the whole list as a stream, without pages.',
      parameters: { address: accountInPath, ...page },
      async answer(pin, { address, ...values }) {
        const name = accountVoteListName(address);
        const request = pageRequest(name, values);
        const { reader } = await recordsAt(pin);
        return votesOfPage(name, await readForRequest(reader.votesByAccount(address, request, pin.heightOf(recordStores))));
      },
      stream: {
        ...voteStream,
        async pages(pin, { address }, options) {
          const { reader } = await recordsAt(pin);
          return accountVotePages(reader, address, pin.height, options);
        },
      },
    }),
  ];
}
