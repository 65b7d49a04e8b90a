import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../scripts/archive/command.ts';
import { openSqlite } from '../../../src/archive/sqlite/connection.ts';
import type { RequestLine } from '../../../src/server/observability/requestLog.ts';
import { ask, type DecodedResponse } from '../../http/aggregates/request.ts';
import { govBlocks, votesInBlock } from '../../recordings/gov.ts';
import { govHeights, lastGovHeight, type RecordedGov, recordGov } from '../../support/archive/recordedGov.ts';
import { csvObjects } from '../../support/csv.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-gov-'));
const lines: RequestLine[] = [];
let recorded: RecordedGov;

beforeAll(async () => {
  const log = { request: (line: RequestLine) => void lines.push(line), dropped: () => 0 };
  recorded = await recordGov('gov', { kind: 'directory', path: directory }, { server: { log } });
}, 60_000);
afterAll(async () => {
  expect(recorded.stack.masked).toEqual([]);
  await recorded[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const height = lastGovHeight.gov;
/** The votes in the recorded blocks. */
const votesCast = govHeights('gov').flatMap((each) => votesInBlock(govBlocks('gov'), Number(each))).length;
const validator = 'tp14fmzy6vzg5shddx08v7sg27uke4vvr9dwuvmh4';
const operator = 'tpvaloper14fmzy6vzg5shddx08v7sg27uke4vvr9d3430zs';
const splitVoter = 'tp1t3yjve8ayyw3slayph64l8kufxtt9ycm3sjf0r';

/** Runs `npm run archive`. */
async function run(...args: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err] = [text(stdout), text(stderr)];
  const code = await runCommand([...args, '--data-dir', directory], { env: {}, stdout, stderr });
  for (const stream of [stdout, stderr]) stream.end();
  return { code, out: await out, err: await err };
}

const ndjson = (out: string) =>
  out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

describe('verify', () => {
  it('computes the tallies of the voting periods again', async () => {
    const { code, out, err } = await run('verify');
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'chain facts-net-1',
      'coverage 310 to 340',
      'proposals 0 with 0 votes; 0 unexplained',
      'tallies 0 agree, 0 differ, 0 cannot be compared',
      `governance 10 proposals with ${votesCast} votes`,
      'tallies 10 agree, 0 differ, 0 cannot be compared',
      '',
    ]);
  });

  /** Verifies the archive while one statement has changed it. */
  async function spoiled(change: string, undo: string) {
    const writer = openSqlite(join(directory, readdirSync(directory).find((name) => name.endsWith('.db'))!));
    writer.runNow(change, []);
    try {
      return await run('verify');
    } finally {
      writer.runNow(undo, []);
      writer.close();
    }
  }

  const where = (column: string) => `WHERE proposal_id = 3 AND ${column} = '${validator}'`;
  const yes = '[[1,"1"]]';
  const no = '[[3,"1"]]';

  it.each([
    [
      'a vote',
      `UPDATE gov_votes SET options = '${no}' ${where('voter')}`,
      `UPDATE gov_votes SET options = '${yes}' ${where('voter')}`,
      [
        `differs      vote of ${validator} on governance proposal 3: cast ${no}, counted ${yes}`,
        'differs      governance proposal 3, voting period 1: chain {"yesCount":"620000000","abstainCount":"287500002","noCount":"40000000","noWithVetoCount":"0"}, computed {"yesCount":"320000000","abstainCount":"287500002","noCount":"340000000","noWithVetoCount":"0"}',
        '9 agree, 1 differ',
      ],
    ],
    [
      'the power of a vote',
      `UPDATE gov_powers SET delegated = '1' || delegated ${where('address')}`,
      `UPDATE gov_powers SET delegated = substr(delegated, 2) ${where('address')}`,
      [/differs {6}governance proposal 3, voting period 1: chain .*, computed /, '9 agree, 1 differ'],
    ],
    [
      'the part of a validator in the tally',
      `UPDATE gov_powers SET options = NULL ${where('address')}`,
      `UPDATE gov_powers SET options = '${yes}' ${where('address')}`,
      [`differs      vote of ${validator} on governance proposal 3: cast ${yes}, counted null`, '9 agree, 1 differ'],
    ],
    [
      'the tally of the chain',
      "UPDATE gov_steps SET tally = replace(tally, '0', '1') WHERE proposal_id = 3 AND step = 'PASSED'",
      "UPDATE gov_steps SET tally = computed WHERE proposal_id = 3 AND step = 'PASSED'",
      [/differs {6}governance proposal 3, voting period 1: chain .*, computed at the close .*, computed /, '9 agree, 1 differ'],
    ],
    [
      'the computed tally',
      "UPDATE gov_steps SET computed = replace(computed, '0', '1') WHERE proposal_id = 8 AND step = 'BECAME_REGULAR'",
      "UPDATE gov_steps SET computed = tally WHERE proposal_id = 8 AND step = 'BECAME_REGULAR'",
      [/differs {6}governance proposal 8, voting period 1: chain .*, computed at the close .*, computed /, '9 agree, 1 differ'],
    ],
    [
      'the height of a vote',
      `UPDATE gov_votes SET height = 7 ${where('voter')}`,
      `UPDATE gov_votes SET height = seen ${where('voter')}`,
      ['outside      1 rows of gov_votes lie outside of the coverage', '10 agree, 0 differ'],
    ],
  ])('fails with status 1 and names the row if %s is wrong', async (_, change, undo, expected) => {
    const { code, out } = await spoiled(change, undo);
    expect(code).toBe(1);
    for (const line of expected)
      expect(out).toEqual(typeof line === 'string' ? expect.stringContaining(line) : expect.stringMatching(line));
    expect((await run('verify')).code).toBe(0);
  });

  it('fails with status 1 if a vote is missing', async () => {
    const change = `UPDATE gov_votes SET proposal_id = 99 ${where('voter')}`;
    const { code, out } = await spoiled(
      change,
      change.replace('= 99', '= 3').replace('proposal_id = 3 AND', 'proposal_id = 99 AND'),
    );
    expect([code, out]).toEqual([
      1,
      expect.stringContaining(`vote of ${validator} on governance proposal 3: cast null, counted ${yes}`),
    ]);
    expect((await run('verify')).code).toBe(0);
  });
});

describe('export', () => {
  it.each(['gov-proposals', 'gov-votes', 'gov-deposits'])('%s has the same rows as NDJSON and as CSV', async (what) => {
    const [json, csv] = [
      await run('export', '--format', 'ndjson', '--what', what),
      await run('export', '--format', 'csv', '--what', what),
    ];
    expect([json.code, json.err, csv.code, csv.err]).toEqual([0, '', 0, '']);
    const [rows, table] = [ndjson(json.out), csvObjects(csv.out)];
    expect(rows.length).toBe({ 'gov-proposals': 10, 'gov-votes': votesCast, 'gov-deposits': 11 }[what]);
    const key = (row: Readonly<Record<string, unknown>>) => [row.id, row.proposalId, row.voter, row.depositor, row.blockHeight];
    expect(table.map(key)).toEqual(rows.map(key));
  });

  it('has each vote with its weights and its power', async () => {
    const votes = csvObjects((await run('export', '--format', 'csv', '--what', 'gov-votes')).out);
    expect(votes.find(({ proposalId, voter }) => proposalId === '5' && voter === splitVoter)).toMatchObject({
      ...{ yesWeight: '0.5', abstainWeight: '', noWeight: '0.333333333333333333', noWithVetoWeight: '0.166666666666666667' },
      ...{ round: '1', replaced: 'false', operatorAddress: '' },
      power: expect.stringMatching(/^\d+$/),
    });
    expect(votes.filter(({ replaced }) => replaced === 'true')).toMatchObject([{ proposalId: '5', power: '' }]);
    const deposits = csvObjects((await run('export', '--format', 'csv', '--what', 'gov-deposits')).out);
    expect(deposits.find(({ depositor }) => depositor === 'tp1qcrn007z5293r4gwj55cvy46yvq9008qnrkes4')).toMatchObject({
      ...{ proposalId: '4', amount: '500nhash' },
    });
  });

  it('has only lists that exist', async () => {
    const { code, err } = await run('export', '--format', 'csv', '--what', 'members');
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^archive: --what must be `proposals` or `votes` or `proofs` or `gov-proposals`/),
    ]);
  });
});

/** The response at a height. */
const read = (path: string, at: string = height): Promise<DecodedResponse> =>
  ask(recorded.stack, path, { 'x-cosmos-block-height': at });

async function stream(path: string, accept: string): Promise<{ readonly headers: Headers; readonly body: string }> {
  const response = await fetch(`${recorded.stack.server.url}/v1/${path}`, { headers: { accept } });
  expect(response.status).toBe(200);
  return { headers: response.headers, body: await response.text() };
}

const idsOf = ({ body }: DecodedResponse): unknown => (body.items as { readonly id: string }[]).map(({ id }) => id);

describe('under /v1', () => {
  it('a proposal has its end, its voting periods, its deposits and who missed it', async () => {
    expect((await read('govProposals/4')).body).toMatchObject({
      item: {
        ...{
          id: '4',
          title: 'fails',
          status: 'FAILED',
          depositEnd: 'REFUNDED',
          expedited: false,
          complete: true,
          auditAgrees: true,
        },
        messages: [{ type: '/cosmos.bank.v1beta1.MsgSend' }],
        decided: { blockHeight: '329', transactionHash: null },
        log: expect.stringMatching(/^passed, but msg 0 .*insufficient funds$/),
        submitted: { blockHeight: '310', transactionHash: expect.stringMatching(/^[0-9A-F]{64}$/) },
      },
      votingPeriods: [{ number: 1, ended: { blockHeight: '329' }, auditAgrees: true }],
      deposits: [{ amount: [{ denom: 'nhash', amount: '600' }] }, { amount: [{ denom: 'nhash', amount: '500' }] }],
      missedBy: expect.arrayContaining([expect.objectContaining({ operatorAddress: expect.stringMatching(/^tpvaloper1/) })]),
    });
    const { item, votingPeriods } = (await read('govProposals/8')).body as { item: object; votingPeriods: readonly object[] };
    expect(item).toMatchObject({ expedited: true, status: 'REJECTED' });
    expect(votingPeriods).toMatchObject([
      { number: 1, ended: { blockHeight: '318' }, tally: { yesCount: '340000000' }, computedTally: { yesCount: '340000000' } },
      { number: 2, ended: { blockHeight: '328' }, tally: { yesCount: '0' } },
    ]);
    // The chain has deleted them.
    expect((await read('govProposals/12')).body).toMatchObject({
      item: { status: 'DROPPED' },
      missedBy: null,
      votingPeriods: [],
    });
    expect((await read('govProposals/10')).body).toMatchObject({
      item: { status: 'CANCELLED', depositEnd: 'CHARGED', decidedBy: 'tp1hafmsp80q92ruzcl7j5qp3pz9a96w79y7yysxg' },
    });
  });

  it('a response at a height has nothing that happened later', async () => {
    expect((await read('govProposals/8', '317')).body).toMatchObject({
      item: { status: 'VOTING_PERIOD', decided: null, tally: null, auditAgrees: null },
      votingPeriods: [{ number: 1, ended: null, tally: null }],
      missedBy: null,
    });
    expect((await read('govProposals/3/votes', '310')).body.items).toEqual([]);
    expect((await read('govProposals/3', '309')).status).toBe(404);
  });

  it('votes have their options and their power', async () => {
    const { items } = (await read('govProposals/5/votes')).body as { items: readonly { voter: string; replaced: boolean }[] };
    expect(items.find(({ voter, replaced }) => voter === validator && !replaced)).toMatchObject({
      ...{ options: [{ option: 'VOTE_OPTION_YES', weight: '1' }], operatorAddress: operator, round: 1, blockHeight: '313' },
      power: expect.stringMatching(/^\d+$/),
    });
    const ofAccount = (await read(`accounts/${validator}/govVotes?pagination.pageSize=2`)).body;
    expect(ofAccount).toMatchObject({
      items: [
        { proposalId: '4', blockHeight: '314' },
        { proposalId: '5', blockHeight: '313' },
      ],
      pagination: { hasMore: true },
    });
  });

  it.each([
    ['', ['12', '11', '10', '9', '8', '7', '6', '5', '4', '3']],
    ['status=PASSED,FAILED', ['7', '5', '4', '3']],
    [`voter=${validator}&status=REJECTED`, ['9', '8', '6']],
    ['depositor=tp1qcrn007z5293r4gwj55cvy46yvq9008qnrkes4', ['4']],
    ['proposer=tp1avlayvfeaa6wk5sxdgmsg5y0z90uavgqtkdu63', ['3']],
    ['missedBy=tpvaloper10ekey9dmc8kznqr8zjtpe3m96umkewd53thmju&status=REJECTED', ['11', '9', '8', '6']],
  ])('the conditions %j select', async (query, ids) => {
    expect(idsOf(await read(`govProposals?${query}`))).toEqual(ids);
  });

  it('pages share their cursors with GraphQL, and a cursor belongs to one list', async () => {
    const first = await read('govProposals?status=FAILED,PASSED&pagination.pageSize=1');
    const cursor = (first.body.pagination as { readonly nextCursor: string }).nextCursor;
    const query = '{ govProposalRecords(first: 1, filter: { status: [PASSED, FAILED] }) { pageInfo { endCursor } } }';
    expect((await recorded.stack.ask(query, {}, { 'x-cosmos-block-height': height })).body.data).toEqual({
      govProposalRecords: { pageInfo: { endCursor: cursor } },
    });
    expect(idsOf(await read(`govProposals?status=PASSED,FAILED&pagination.pageSize=1&pagination.cursor=${cursor}`))).toEqual([
      '5',
    ]);
    const { status, body } = await read(`govProposals?pagination.cursor=${cursor}`);
    expect([status, body.code]).toEqual([400, 'BAD_CURSOR']);
  });

  it('NDJSON and CSV have the rows of the pages', async () => {
    const pages = (await read('govProposals')).body.items;
    expect(ndjson((await stream('govProposals', 'application/x-ndjson')).body)).toEqual(pages);
    const csv = await stream('govProposals?status=CANCELLED', 'text/csv');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="gov-proposals.csv"');
    expect(csvObjects(csv.body)).toEqual([
      expect.objectContaining({
        id: '10',
        status: 'CANCELLED',
        depositEnd: 'CHARGED',
        decidedBlockHeight: '313',

        yesCount: '',
      }),
    ]);
    const votes = (await read('govProposals/5/votes?pagination.pageSize=100')).body.items;
    expect(ndjson((await stream('govProposals/5/votes', 'application/x-ndjson')).body)).toEqual(votes);
    expect(csvObjects((await stream(`accounts/${validator}/govVotes`, 'text/csv')).body)).toHaveLength(9);
  });

  it.each([
    ['govProposals?proposer=alice', 'proposer'],
    ['govProposals?missedBy=tp1x', 'missedBy'],
    ['govProposals?status=OPEN', 'status'],
    ['govProposals/x', 'id'],
    ['accounts/alice/govVotes', 'address'],
  ])('%s is BAD_USER_INPUT for %s', async (path, field) => {
    const { status, body } = await read(path);
    expect([status, body.code, body.field]).toEqual([400, 'BAD_USER_INPUT', field]);
  });

  it('a proposal without a record is 404', async () => {
    for (const path of ['govProposals/99', 'govProposals/99/votes'])
      expect((await read(path)).body).toMatchObject({ code: 'NOT_FOUND', field: 'id' });
  });

  const place = '{ height time hash }';
  const fields = `id title summary metadata messages { __typename } proposer { address } expedited submitTime submitted ${place} votingBegan ${place} votingEndTime status decided ${place} decidedBy { address } log tally { yesCount } audit { agrees }`;
  const voteFields = `nodes { voter { address } options { option weight } at ${place} power } pageInfo { endCursor }`;

  it.each([
    ['govProposals?pagination.pageSize=7', `govProposalRecords(first: 7) { nodes { ${fields} } pageInfo { endCursor } }`],
    [
      'govProposals/5',
      `govProposalRecord(id: 5) { ${fields} rounds { number ended ${place} audit { agrees } } deposits { at ${place} depositor { address } } missedBy { operatorAddress } }`,
    ],
    ['govProposals/5/votes?pagination.pageSize=7', `govProposalRecord(id: 5) { votes(first: 7) { ${voteFields} } }`],
    [`accounts/${validator}/govVotes`, `account(address: "${validator}") { govVoteRecords { ${voteFields} } }`],
  ])('%s costs the same as in GraphQL, and reads nothing from the nodes', async (path, document) => {
    lines.length = 0;
    // A height at which no other test has read them.
    expect((await recorded.stack.ask(`{ ${document} }`, {}, { 'x-cosmos-block-height': '333' })).body.errors).toBeUndefined();
    recorded.node.reset();
    expect((await read(path, '333')).status).toBe(200);
    expect(recorded.node.calls.filter(({ method }) => method === 'abci_query')).toEqual([]);
    expect(lines.map(({ surface }) => surface)).toEqual(['graphql', 'aggregates']);
    expect(lines[1]!.cost).toBe(lines[0]!.cost);
  });
});
