import { z } from 'zod';
import { govDepositEnds } from '../../archive/facts.ts';
import { type GovVoteRecord, govRecordStatuses, govVoteKey } from '../../archive/govRecords.ts';
import { recordKey } from '../../archive/records.ts';
import { type Bounds, pageDefault } from '../../config/bounds.ts';
import { voteOptions } from '../../modules/group/model.ts';
import {
  govAccountVotePages,
  govDepositView,
  govMissView,
  govProposalColumns,
  govProposalPages,
  govProposalView,
  govRoundViews,
  govVoteColumns,
  govVotePages,
  govVoteView,
} from '../../modules/records/govExport.ts';
import {
  govAccountVoteListName,
  govProposalListName,
  govRecordFilter,
  govVoteListName,
} from '../../modules/records/govFilter.ts';
import { type GovRecordLoaders, govRecordStores, govRecordsOf } from '../../modules/records/govLoaders.ts';
import { readForRequest } from '../../modules/records/loaders.ts';
import { RequestError } from '../../reads/errors.ts';
import { unrecognized } from '../../reads/input.ts';
import type { Page } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { messages, occurrence, recordedTally, uncertainOccurrence, uncertainPlace } from './records.ts';
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

const operator = z.string().describe('The `…valoper1…` address of a validator.');
const power = z.string().describe('Voting power in base units, in decimal.');

const auditAgrees = orNull(
  z.boolean(),
  "Whether the tally computed from the recorded votes equals the chain's. null if there is nothing to compare.",
);

const proposalRecord = objectOf('A proposal of the governance module from submission to end, as recorded by this server.', {
  id: height,
  title: z.string(),
  summary: z.string(),
  metadata: z.string(),
  messages,
  proposer: orNull(address, 'null if the chain has not stored it.'),
  expedited: z.boolean().describe('Whether it was submitted as an expedited one.'),
  submitTime: time,
  submitted: orNull(occurrence, 'null if it was submitted before the coverage of the archive.'),
  depositEndTime: orNull(time, 'When the deposit period ends. null if it was deleted in the block of its submission.'),
  votingBegan: orNull(uncertainOccurrence, 'When it had its deposit. null before.'),
  votingStartTime: orNull(time, 'null until it has its deposit.'),
  votingEndTime: orNull(time, 'The end of the present or the last voting period. null until it has its deposit.'),
  status: z.enum(govRecordStatuses).describe('The last status, also of a deleted proposal.'),
  decided: orNull(uncertainOccurrence, 'When it was decided, cancelled or dropped. null while it is open.'),
  decidedBy: orNull(address, 'The account that cancelled it, else null.'),
  log: orNull(z.string(), 'What the chain says of the decision, such as which message failed and why. null while it is open.'),
  depositEnd: orNull(
    z.enum(govDepositEnds),
    'What became of the deposits. null while they are held, and if their end lies before the coverage.',
  ),
  tally: orNull(recordedTally, 'The final tally of the chain, in base units. null while it is open, and if there is none.'),
  auditAgrees,
  complete: z.boolean().describe('false if part of its life lies outside of the coverage of the archive.'),
});

const round = objectOf('A voting period of a proposal.', {
  number: z.int().describe('1, and 2 after an expedited proposal has become a regular one.'),
  ended: orNull(uncertainOccurrence, 'When it ended. null while votes are taken.'),
  log: orNull(z.string(), 'What the chain says of its end. null while votes are taken.'),
  tally: orNull(recordedTally, 'The tally of the chain at its end. null if there is none.'),
  computedTally: orNull(recordedTally, 'The tally computed from the recorded votes. null if there is nothing to compare.'),
  auditAgrees,
});

const deposit = objectOf('A deposit for a proposal. Without a height, it is the sum of an account before the coverage.', {
  proposalId: height,
  depositor: address,
  amount: z.array(z.object({ denom: z.string(), amount: z.string() })),
  ...uncertainPlace,
});

const missedVote = objectOf('A bonded validator that did not vote.', {
  operatorAddress: operator,
  account: address.describe('The account of its operator.'),
});

const voteRecord = objectOf('A vote on a proposal of the governance module, as it was cast.', {
  proposalId: height,
  voter: address,
  options: z
    .array(z.object({ option: z.enum([...voteOptions, unrecognized]), weight: z.string() }))
    .describe('The options, whose weights add up to 1.'),
  round: z.int().describe('The voting period: 1, and 2 after an expedited proposal has become a regular one.'),
  replaced: z.boolean().describe('Whether a later vote of the account in the same voting period replaces it.'),
  operatorAddress: orNull(operator, 'null if the voter operated no bonded validator when the votes were counted.'),
  power: orNull(
    power,
    'The sum of the two below. null before the votes are counted, for a replaced vote, and if the count lies outside of the coverage.',
  ),
  delegatedPower: orNull(power, 'The power of its own delegations, which its validators did not have. null as `power`.'),
  validatorPower: orNull(
    power,
    'The power that a validator had from delegators who did not vote themselves. null if it is none, and as `power`.',
  ),
  ...uncertainPlace,
});

/** The schemas of records of the governance module that have a name in the OpenAPI description. */
export const govRecordSchemas = {
  GovProposalRecord: proposalRecord,
  GovVotingPeriod: round,
  GovDepositRecord: deposit,
  GovMissedVote: missedVote,
  GovVoteRecord: voteRecord,
} as const;

/** Price of one proposal of a list, and of one vote, in points: that of the same fields in GraphQL. */
const proposalPoints = 13;
const votePoints = 8;

const filters = {
  status: wordsInQuery('Proposals whose last status is one of these.', govRecordStatuses),
  proposer: { ...accountInQuery, description: 'Proposals that this account submitted: its Bech32 address.' },
  voter: { ...accountInQuery, description: 'Proposals that this account has voted on: its Bech32 address.' },
  depositor: { ...accountInQuery, description: 'Proposals that this account has deposited for: its Bech32 address.' },
  missedBy: textInQuery(
    'Decided proposals that the validator with this `…valoper1…` address did not vote on, although it was bonded when they were decided.',
  ),
};

function filterOf(values: Values<typeof filters> & PageValues) {
  const { [cursorName]: _cursor, 'pagination.pageSize': _size, ...filter } = values;
  return govRecordFilter(filter, '');
}

/** Recorded proposals and votes of the governance module. They are read as those of groups. */
export function govRecordRoutes(bounds: Bounds, freshness: number): readonly Route[] {
  const common = { services: ['cosmos.gov.v1.Query'], readsArchive: true } as const;
  const page = pageInQuery(bounds);
  const present = { field: 'id', bound: 'the id of a recorded proposal of the governance module' };
  const votes = { ...common, name: 'GovVotes', fields: { items: z.array(voteRecord), pagination } };
  const voteStream = { fileName: 'gov-votes', size: bounds.pageMax, columns: govVoteColumns };

  async function recordsAt(pin: Pin): Promise<GovRecordLoaders> {
    const loaders = await govRecordsOf(pin, freshness);
    if (loaders === null) throw new RequestError('ARCHIVE_UNAVAILABLE', 'This server has no archive.', {});
    return loaders;
  }

  const votesOfPage = (name: string, records: Page<GovVoteRecord>) => ({
    items: records.items.map(govVoteView),
    pagination: paginationOf(name, records, govVoteKey),
  });

  return [
    createRoute({
      path: '/v1/govProposals',
      operationId: 'getGovProposals',
      ...common,
      summary: 'Recorded proposals of the governance module',
      description:
        'Lists proposals of the governance module (x/gov), newest first, also after the chain has deleted them. The conditions are combined with AND. With `Accept: text/csv` or `Accept: application/x-ndjson`, returns the whole list as a stream, without pages.',
      parameters: { ...filters, ...page },
      name: 'GovProposals',
      fields: { items: z.array(proposalRecord), pagination },
      points: ({ 'pagination.pageSize': size }) => 2 + proposalPoints * size,
      async answer(pin, values) {
        const filter = filterOf(values);
        const name = govProposalListName(filter);
        const request = pageRequest(name, values);
        const { reader } = await recordsAt(pin);
        const records = await readForRequest(reader.gov.recordPage(filter, request, pin.heightOf(govRecordStores)));
        return { items: records.items.map(govProposalView), pagination: paginationOf(name, records, recordKey) };
      },
      stream: {
        fileName: 'gov-proposals',
        size: pageDefault,
        async pages(pin, values, options) {
          const { reader } = await recordsAt(pin);
          return govProposalPages(reader.gov, filterOf(values), pin.height, options);
        },
        columns: govProposalColumns,
      },
    }),
    createRoute({
      path: '/v1/govProposals/{id}',
      operationId: 'getGovProposal',
      ...common,
      summary: 'A recorded proposal of the governance module',
      description:
        'Returns a proposal of the governance module (x/gov), open or decided, with its voting periods, its deposits and the validators that did not vote, also after the chain has deleted it.',
      parameters: { id: proposalInPath },
      name: 'GovProposal',
      fields: {
        item: proposalRecord,
        votingPeriods: z
          .array(round)
          .describe('Two for an expedited proposal that became a regular one, whose votes were deleted between them.'),
        deposits: z.array(deposit).describe('In the order in which they were made.'),
        missedBy: orNull(
          z.array(missedVote),
          'The bonded validators that had not voted when it was decided. null while it is open, and if the decision lies outside of the coverage.',
        ),
      },
      present,
      points: () => 248,
      async answer(pin, { id }) {
        const loaders = await recordsAt(pin);
        const record = await loaders.record.load(id);
        if (record === null) return null;
        const [deposits, misses] = await Promise.all([loaders.deposits.load(record), loaders.misses.load(record)]);
        return {
          item: govProposalView(record),
          votingPeriods: govRoundViews(record),
          deposits: deposits.map(govDepositView),
          missedBy: misses?.map(govMissView) ?? null,
        };
      },
    }),
    createRoute({
      path: '/v1/govProposals/{id}/votes',
      operationId: 'getVotesOfGovProposal',
      ...votes,
      points: ({ 'pagination.pageSize': size }) => 3 + votePoints * size,
      summary: 'Recorded votes on a proposal of the governance module',
      description:
        'Lists all votes on a proposal of the governance module (x/gov) in the order in which they were cast, with those that were replaced, and their power when they were counted. The chain deletes them when it decides. With `Accept: text/csv` or `Accept: application/x-ndjson`, returns the whole list as a stream, without pages.',
      parameters: { id: proposalInPath, ...page },
      present,
      async answer(pin, { id, ...values }) {
        const name = govVoteListName(id);
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
          return record && govVotePages(loaders.reader.gov, record, options);
        },
      },
    }),
    createRoute({
      path: '/v1/accounts/{address}/govVotes',
      operationId: 'getGovVotesOfAccount',
      ...votes,
      points: ({ 'pagination.pageSize': size }) => 3 + votePoints * size,
      summary: 'Recorded votes of an account on proposals of the governance module',
      description:
        'Lists the votes that an account has cast on proposals of the governance module (x/gov), newest first, also after the chain has deleted them. With `Accept: text/csv` or `Accept: application/x-ndjson`, returns the whole list as a stream, without pages.',
      parameters: { address: accountInPath, ...page },
      async answer(pin, { address, ...values }) {
        const name = govAccountVoteListName(address);
        const request = pageRequest(name, values);
        const { reader } = await recordsAt(pin);
        const asOf = pin.heightOf(govRecordStores);
        return votesOfPage(name, await readForRequest(reader.gov.votesByAccount(address, request, asOf)));
      },
      stream: {
        ...voteStream,
        async pages(pin, { address }, options) {
          const { reader } = await recordsAt(pin);
          return govAccountVotePages(reader.gov, address, pin.height, options);
        },
      },
    }),
  ];
}
