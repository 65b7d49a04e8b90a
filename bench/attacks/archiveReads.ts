import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { firstId, largeGroup, memberAddress } from '../archive/largeArchive.ts';
import type { Attack } from './attack.ts';
import { type FloodRequest, flood } from './flood.ts';

const aliases = (count: number, field: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field(index)}`).join(' ');

/** Selections of an operation, by the name of the read. Each reads as much as one operation may. */
const operations: Readonly<Record<string, string>> = {
  tally: 'proposalRecords(first: 100) { nodes { tally { yesCount } } }',
  tallyOfClosed: 'proposalRecords(first: 100, reverse: true) { nodes { tally { yesCount } audit { agrees } } }',
  electorate: `proposalRecords(first: 20) { nodes { ${aliases(20, (index) => `electorate(voted: false, first: ${index + 1}) { nodes { weight } }`)} } }`,
  electorateCount: 'proposalRecords(first: 100) { nodes { electorate(voted: true, first: 1) { totalCount } } }',
  electorateOfOne: aliases(
    20,
    (index) =>
      `proposalRecord(id: "${firstId + index}") { electorate(voted: false, first: 100) { totalCount nodes { weight } } }`,
  ),
  timeline: 'proposalRecords(first: 100) { nodes { timeline { kind } } }',
  timelineOfOne: `proposalRecord(id: "${firstId}") { timeline { kind account { address } } }`,
  tallyHistory: 'proposalRecords(first: 100) { nodes { tallyHistory { tally { yesCount } } } }',
  tallyHistoryOfOne: aliases(10, (index) => `proposalRecord(id: "${firstId + index}") { tallyHistory { tally { yesCount } } }`),
  votes: 'proposalRecords(first: 100) { nodes { votes(first: 100) { totalCount nodes { weight } } } }',
  executions: 'proposalRecords(first: 100) { nodes { executions { result } } }',
  participation: aliases(20, (index) => `group(id: "${largeGroup}") { participation(last: ${100 - index}) { voted } }`),
  missedBy: aliases(
    20,
    (index) => `proposalRecords(first: 100, filter: { missedBy: "${memberAddress(index)}" }) { totalCount nodes { id } }`,
  ),
  voter: aliases(
    20,
    (index) =>
      `proposalRecords(first: 100, filter: { voter: "${memberAddress(index)}", status: [PROPOSAL_STATUS_ABORTED] }) { totalCount nodes { id } }`,
  ),
  proposer: aliases(
    20,
    (index) =>
      `proposalRecords(first: ${100 - index}, filter: { proposer: "${memberAddress(0)}", executorResult: [PROPOSAL_EXECUTOR_RESULT_FAILURE] }) { totalCount nodes { id } }`,
  ),
  outcome: aliases(
    20,
    (index) =>
      `proposalRecords(first: ${100 - index}, filter: { groupId: "${largeGroup}", status: [PROPOSAL_STATUS_ACCEPTED, PROPOSAL_STATUS_REJECTED] }) { totalCount nodes { id } }`,
  ),
  voteRecords: aliases(
    20,
    (index) => `account(address: "${memberAddress(index)}") { voteRecords(first: 100) { totalCount nodes { weight } } }`,
  ),
  archive: 'archive { proposals votes sizeBytes }',
};

/** The operation of a read in GraphQL; undefined for other reads. */
export function archiveOperation(name: string): string | undefined {
  const selection = operations[name];
  return selection && `{ ${selection} }`;
}

/** Reads in GraphQL. Each request has another text, so that none is answered from memory. */
const graphql = Object.entries(operations).map(
  ([name, selection]): Attack => ({
    name,
    description: selection.replace(/ a\d+: .*/s, ' …'),
    run: (target, options) =>
      flood(target, options, () => (serial) => ({
        path: '/graphql',
        body: JSON.stringify({ query: `query Q${serial} { ${selection} }` }),
      })),
  }),
);

/** A combined search in the index of mode FULL, which reads every row that a search may read. */
const search: Attack = {
  name: 'search',
  description: 'tx_search of bench.key CONTAINS and bench.other CONTAINS',
  run: (target, options) =>
    flood(
      target,
      options,
      () =>
        (serial): FloodRequest => ({
          path: '/',
          body: JSON.stringify({
            ...{ jsonrpc: '2.0', id: serial, method: 'tx_search' },
            params: { query: `bench.key CONTAINS '9' AND bench.other CONTAINS 'x${serial}'`, per_page: '100' },
          }),
        }),
    ),
};

/** Whole lists under `/v1`. Each connection reads one after the other. */
const streamed = (name: string, path: (serial: number) => string, accept: string): Attack => ({
  name,
  description: `GET ${path(0)} as ${accept}`,
  async run({ url, token }, { connections, signal }) {
    const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 60_000 });
    let requests = 0;
    async function work(): Promise<void> {
      while (!signal.aborted) {
        requests += 1;
        try {
          const headers = { authorization: `Bearer ${token}`, accept };
          const { statusCode, body } = await pool.request({ method: 'GET', path: path(requests), headers, signal });
          for await (const _ of body);
          if (statusCode !== 200) await pause(10);
        } catch {
          await pause(50);
        }
      }
    }
    await Promise.all(Array.from({ length: connections }, work));
    await pool.destroy();
    return { requests };
  },
});

/** Reads of an archive with many votes that cost the server as much as they may, by one caller. */
export const archiveReads: readonly Attack[] = [
  ...graphql,
  search,
  streamed('proposalsCsv', () => '/v1/proposals', 'text/csv'),
  streamed('proposalsNdjson', (serial) => `/v1/proposals?missedBy=${memberAddress(serial % 1_000)}`, 'application/x-ndjson'),
  streamed('votesCsv', (serial) => `/v1/proposals/${firstId + (serial % 100)}/votes`, 'text/csv'),
  streamed('votesNdjson', (serial) => `/v1/proposals/${firstId + (serial % 100)}/votes`, 'application/x-ndjson'),
  streamed('accountVotesCsv', (serial) => `/v1/accounts/${memberAddress(serial % 1_000)}/votes`, 'text/csv'),
];
