import { z } from 'zod';
import { type ProposalRecord, recordKey, type VoteRecord, voteKey } from '../../archive/records.ts';
import type { RecordPageRequest } from '../../archive/store/reader.ts';
import { type Bounds, pageDefault } from '../../config/bounds.ts';
import {
  type ProposalExecutorResult,
  type ProposalStatus,
  proposalExecutorResults,
  proposalStatuses,
} from '../../modules/group/model.ts';
import {
  accountVotePages,
  createListWriter,
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
import { type RecordLoaders, recordStores, recordsOf, shown } from '../../modules/records/loaders.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import type { Page } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { pageRequest, paginationOf } from './pages.ts';
import {
  accountInPath,
  accountInQuery,
  cursorName,
  type PageValues,
  pageInQuery,
  proposalInPath,
  textInQuery,
  wordsInQuery,
} from './parameters.ts';
import { proposalRecord, recordedExecution, recordedTally, voteRecord } from './recordSchemas.ts';
import { createRoute, type Route } from './route.ts';
import { pagination } from './schemas.ts';

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

interface FilterValues {
  readonly groupId: string | undefined;
  readonly groupPolicyAddress: string | undefined;
  readonly proposer: string | undefined;
  readonly voter: string | undefined;
  readonly missedBy: string | undefined;
  readonly status: readonly ProposalStatus[] | undefined;
  readonly executorResult: readonly ProposalExecutorResult[] | undefined;
  readonly messageType: string | undefined;
  readonly submittedFrom: string | undefined;
  readonly submittedTo: string | undefined;
}

/** A stream has no pages, so a cursor in its request is an error. */
function checkNoCursor(values: PageValues): void {
  const cursor = values[cursorName];
  if (cursor !== undefined) throw badInput(cursorName, cursor, 'absent: a stream has the whole list');
}

function recordPageRequest(name: string, values: PageValues): RecordPageRequest {
  const { first, after } = pageRequest(name, values);
  return { first, reverse: false, count: false, ...(after && { after }) };
}

async function recordById({ record }: RecordLoaders, id: bigint): Promise<ProposalRecord | null> {
  return record.load(id);
}

/**
 * Recorded proposals and votes. They are read from the archive as of the height of the response, for which the archive waits up to `freshness` ms. No
 * upstream reads.
 */
export function recordRoutes(bounds: Bounds, freshness: number): readonly Route[] {
  const services = ['cosmos.group.v1.Query'];
  const page = pageInQuery(bounds);
  const present = { field: 'id', bound: 'the id of a recorded proposal' };
  const votePage = { items: z.array(voteRecord), pagination };

  async function recordsAt(pin: Pin): Promise<RecordLoaders> {
    const loaders = await recordsOf(pin, freshness);
    if (loaders === null) throw new RequestError('ARCHIVE_UNAVAILABLE', 'This server has no archive.', {});
    return loaders;
  }

  const votesOfPage = (name: string, found: Page<VoteRecord>) => ({
    items: found.items.map(voteView),
    pagination: paginationOf(name, found, voteKey),
  });

  return [
    createRoute({
      path: '/v1/proposals',
      operationId: 'getProposals',
      services,
      readsArchive: true,
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
        const request = recordPageRequest(name, values);
        const { reader } = await recordsAt(pin);
        const found = await shown(reader.recordPage(filter, request, pin.heightOf(recordStores)));
        const items = await shown(withTallies(reader, found.items));
        return { items, pagination: paginationOf(name, found, recordKey) };
      },
      stream: {
        fileName: 'proposals',
        size: pageDefault,
        points: () => 2 + proposalPoints * pageDefault,
        async pages(pin, values, options) {
          checkNoCursor(values);
          const { reader } = await recordsAt(pin);
          return proposalPages(reader, filterOf(values), pin.height, options);
        },
        writer: (format) => createListWriter(format, proposalColumns),
      },
    }),
    createRoute({
      path: '/v1/proposals/{id}',
      operationId: 'getProposal',
      services,
      readsArchive: true,
      summary: 'A recorded proposal',
      description: 'Returns a proposal of a group, open or closed, with its executions, also after the chain has deleted it.',
      parameters: { id: proposalInPath },
      name: 'Proposal',
      fields: {
        item: proposalRecord,
        computedTally: recordedTally
          .nullable()
          .describe('The tally computed from the recorded votes. null if there is nothing to compare.'),
        executions: z.array(recordedExecution).describe('The attempts to execute the messages, oldest first.'),
      },
      present,
      points: () => 41,
      async answer(pin, { id }) {
        const loaders = await recordsAt(pin);
        const record = await recordById(loaders, id);
        if (record === null) return null;
        const [tally, executions] = await Promise.all([loaders.tally.load(record), loaders.executions.load(record)]);
        const computedTally = record.close?.computed ?? null;
        return { item: proposalView(record, tally), computedTally, executions: executions.map(executionView) };
      },
    }),
    createRoute({
      path: '/v1/proposals/{id}/votes',
      operationId: 'getVotesOfProposal',
      services,
      readsArchive: true,
      summary: 'Recorded votes on a proposal',
      description:
        'Lists all votes on a proposal in the order in which they were cast, also after the chain has deleted them. With `Accept: text/csv` or `Accept: application/x-ndjson`, returns the whole list as a stream, without pages.',
      parameters: { id: proposalInPath, ...page },
      name: 'Votes',
      fields: votePage,
      present,
      points: ({ 'pagination.pageSize': size }) => 3 + votePoints * size,
      async answer(pin, { id, ...values }) {
        const name = voteListName(id);
        const request = recordPageRequest(name, values);
        const loaders = await recordsAt(pin);
        const record = await recordById(loaders, id);
        return record && votesOfPage(name, await loaders.votes(request).load(record));
      },
      stream: {
        fileName: 'votes',
        size: bounds.pageMax,
        points: () => 3 + votePoints * bounds.pageMax,
        async pages(pin, { id, ...values }, options) {
          checkNoCursor(values);
          const loaders = await recordsAt(pin);
          const record = await recordById(loaders, id);
          return record && votePages(loaders.reader, record, options);
        },
        writer: (format) => createListWriter(format, voteColumns),
      },
    }),
    createRoute({
      path: '/v1/accounts/{address}/votes',
      operationId: 'getVotesOfAccount',
      services,
      readsArchive: true,
      summary: 'Recorded votes of an account',
      description:
        'Lists the votes that an account has cast, newest first, also after the chain has deleted them. With `Accept: text/csv` or `Accept: application/x-ndjson`, returns the whole list as a stream, without pages.',
      parameters: { address: accountInPath, ...page },
      name: 'Votes',
      fields: votePage,
      points: ({ 'pagination.pageSize': size }) => 3 + votePoints * size,
      async answer(pin, { address, ...values }) {
        const name = accountVoteListName(address);
        const request = recordPageRequest(name, values);
        const { reader } = await recordsAt(pin);
        return votesOfPage(name, await shown(reader.votesByAccount(address, request, pin.heightOf(recordStores))));
      },
      stream: {
        fileName: 'votes',
        size: bounds.pageMax,
        points: () => 3 + votePoints * bounds.pageMax,
        async pages(pin, { address, ...values }, options) {
          checkNoCursor(values);
          const { reader } = await recordsAt(pin);
          return accountVotePages(reader, address, pin.height, options);
        },
        writer: (format) => createListWriter(format, voteColumns),
      },
    }),
  ];
}

function filterOf(values: FilterValues) {
  const { groupId, groupPolicyAddress, proposer, voter, missedBy } = values;
  const { status, executorResult, messageType, submittedFrom, submittedTo } = values;
  return recordFilter(
    { groupId, groupPolicyAddress, proposer, voter, missedBy, status, executorResult, messageType, submittedFrom, submittedTo },
    '',
  );
}
