import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import type { RequestLine } from '../../../src/server/observability/requestLog.ts';
import { stateReads } from '../../roots/knownRoots.ts';
import { runsAll } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { csvObjects } from '../../support/csv.ts';
import { createGroup, describeGroup, describePolicy, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { ask, type DecodedResponse } from './request.ts';

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
/** Heights at which the first proposal changes, and the ids of all three. */
let heights: { readonly submitted: bigint; readonly voted: bigint; readonly closed: bigint };
let ids: { readonly executed: string; readonly aborted: string; readonly open: string };
const lines: RequestLine[] = [];

const addressOf = (index: number): string => chain.accounts[index]!.address;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url], {
    archive: { records: true },
    server: { log: { request: (line) => void lines.push(line), dropped: () => 0 } },
  });
  const [alice, bob, carol] = chain.accounts;
  group = await createGroup(chain, [
    [alice!, '1'],
    [bob!, '1'],
    [carol!, '2.5'],
  ]);
  const paid = { fromAddress: alice!.address, toAddress: group.policy, amount: [{ denom: 'nhash', amount: '5' }] };
  await chain.run(alice!, any(MsgSendSchema, paid));
  const executed = await submitProposal(chain, group, alice!, { amount: '5' });
  const submitted = chain.devnet.height;
  await chain.run(alice!, vote(alice!, executed));
  const voted = chain.devnet.height;
  await chain.run(bob!, vote(bob!, executed, 'YES', true));
  heights = { submitted, voted, closed: chain.devnet.height };
  const aborted = await submitProposal(chain, group, bob!);
  await chain.run(alice!, describePolicy(alice!, group, 'changed'));
  const open = await submitProposal(chain, group, carol!);
  await chain.run(carol!, vote(carol!, open, 'NO'));
  ids = { executed: `${executed}`, aborted: `${aborted}`, open: `${open}` };
});

afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await chain.devnet.close();
});

/** The response at the newest height, or at `height`. */
function read(path: string, height?: bigint): Promise<DecodedResponse> {
  const latest = `${height ?? chain.devnet.height}`;
  return ask(stack, path, { 'x-min-height': latest, ...(height && { 'x-cosmos-block-height': latest }) });
}

/** The body of a stream. */
async function stream(path: string, accept: string): Promise<{ readonly headers: Headers; readonly text: string }> {
  const headers = { accept, 'x-min-height': `${chain.devnet.height}` };
  const response = await fetch(`${stack.server.url}/v1/${path}`, { headers });
  expect(response.status).toBe(200);
  return { headers: response.headers, text: await response.text() };
}

const idsOf = ({ body }: DecodedResponse): unknown => (body.items as { readonly id: string }[]).map(({ id }) => id);

describe('values', () => {
  it('a proposal that the chain has deleted has its end, its tally and its executions', async () => {
    const at = (height: bigint): unknown =>
      expect.objectContaining({ blockHeight: `${height}`, transactionHash: expect.stringMatching(/^[0-9A-F]{64}$/) });
    const { status, body, headers } = await read(`proposals/${ids.executed}`);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(body).toMatchObject({
      blockHeight: `${chain.devnet.height}`,
      item: {
        id: ids.executed,
        title: 'Pay',
        messages: [{ type: '/cosmos.bank.v1beta1.MsgSend', value: expect.stringMatching(/^[\w+/]+=*$/) }],
        proposers: [addressOf(0)],
        groupId: `${group.id}`,
        groupPolicyAddress: group.policy,
        submitted: at(heights.submitted),
        status: 'PROPOSAL_STATUS_ACCEPTED',
        executorResult: 'PROPOSAL_EXECUTOR_RESULT_SUCCESS',
        closed: at(heights.closed),
        closedBy: 'DECIDED',
        pruned: at(heights.closed),
        tally: { yesCount: '2', abstainCount: '0', noCount: '0', noWithVetoCount: '0' },
        totalWeight: '4.5',
        auditAgrees: true,
        complete: true,
      },
      computedTally: { yesCount: '2' },
      executions: [
        { executor: addressOf(1), result: 'PROPOSAL_EXECUTOR_RESULT_SUCCESS', logs: '', blockHeight: `${heights.closed}` },
      ],
    });
    expect((await stack.ask('query ($id: ID!) { proposal(id: $id) { id } }', { id: ids.executed })).body.data).toEqual({
      proposal: null,
    });
  });

  it('a response at a height has nothing that happened later', async () => {
    const { body } = await read(`proposals/${ids.executed}`, heights.voted);
    expect(body).toMatchObject({
      blockHeight: `${heights.voted}`,
      item: { status: 'PROPOSAL_STATUS_SUBMITTED', closed: null, pruned: null, tally: { yesCount: '1' } },
      executions: [],
    });
    expect((await read(`proposals/${ids.executed}/votes`, heights.submitted)).body.items).toEqual([]);
    expect((await read(`proposals/${ids.aborted}`, heights.voted)).status).toBe(404);
    expect(idsOf(await read('proposals', heights.voted))).toEqual([ids.executed]);
  });

  it('votes are listed by proposal and by account', async () => {
    const ofProposal = await read(`proposals/${ids.executed}/votes`);
    expect(ofProposal.body.items).toMatchObject([
      {
        proposalId: ids.executed,
        voter: addressOf(0),
        option: 'VOTE_OPTION_YES',
        origin: 'MESSAGE',
        weight: '1',
        blockHeight: `${heights.voted}`,
      },
      {
        proposalId: ids.executed,
        voter: addressOf(1),
        option: 'VOTE_OPTION_YES',
        origin: 'MESSAGE',
        weight: '1',
        blockHeight: `${heights.closed}`,
      },
    ]);
    const ofAccount = await read(`accounts/${addressOf(2)}/votes`);
    expect(ofAccount.body.items).toMatchObject([
      { proposalId: ids.open, voter: addressOf(2), option: 'VOTE_OPTION_NO', weight: '2.5' },
    ]);
  });

  it.each([
    ['', ['open', 'aborted', 'executed']],
    ['status=PROPOSAL_STATUS_ACCEPTED,PROPOSAL_STATUS_ABORTED', ['aborted', 'executed']],
    ['executorResult=PROPOSAL_EXECUTOR_RESULT_SUCCESS', ['executed']],
    ['proposer=BOB', ['aborted']],
    ['voter=ALICE', ['executed']],
    ['missedBy=CAROL&groupId=GROUP', ['aborted', 'executed']],
    ['groupPolicyAddress=POLICY&status=PROPOSAL_STATUS_SUBMITTED', ['open']],
    ['messageType=/cosmos.bank.v1beta1.MsgSend', ['executed']],
    ['submittedFrom=2100-01-01T00:00:00Z', []],
    ['submittedTo=2100-01-01T00:00:00Z', ['open', 'aborted', 'executed']],
  ] as const)('the conditions %j select', async (query, expected) => {
    const words: Readonly<Record<string, string>> = {
      ALICE: addressOf(0),
      BOB: addressOf(1),
      CAROL: addressOf(2),
      GROUP: `${group.id}`,
      POLICY: group.policy,
    };
    const response = await read(`proposals?${query.replace(/ALICE|BOB|CAROL|GROUP|POLICY/g, (word) => words[word]!)}`);
    expect([response.status, idsOf(response)]).toEqual([200, expected.map((name) => ids[name])]);
  });

  it('pages share their cursors with GraphQL, and a cursor belongs to one list', async () => {
    const filter = 'status=PROPOSAL_STATUS_ACCEPTED,PROPOSAL_STATUS_ABORTED&pagination.pageSize=1';
    const first = await read(`proposals?${filter}`);
    const cursor = (first.body.pagination as { readonly nextCursor: string }).nextCursor;
    const query = `{ proposalRecords(first: 1, filter: { status: [PROPOSAL_STATUS_ACCEPTED, PROPOSAL_STATUS_ABORTED] }) { pageInfo { endCursor } } }`;
    expect((await stack.ask(query)).body.data).toEqual({ proposalRecords: { pageInfo: { endCursor: cursor } } });
    const second = await read(`proposals?${filter}&pagination.cursor=${cursor}`);
    expect([idsOf(first), idsOf(second)]).toEqual([[ids.aborted], [ids.executed]]);
    expect(second.body.pagination).toEqual({ nextCursor: null, hasMore: false });
    const { status, body } = await read(`proposals?pagination.cursor=${cursor}`);
    expect([status, body.code]).toEqual([400, 'BAD_CURSOR']);
  });

  it('a cursor of a list with every condition is not too long', async () => {
    const all = ['proposer', 'voter', 'missedBy', 'groupPolicyAddress'].map((name) => `${name}=${group.policy}`).join('&');
    const query = `proposals?${all}&messageType=/${'x'.repeat(1_000)}&pagination.pageSize=1`;
    expect((await read(query)).body.items).toEqual([]);
  });
});

describe('streams', () => {
  it('NDJSON and CSV have the rows of the pages', async () => {
    const pages = (await read('proposals')).body.items as Record<string, unknown>[];
    const { headers, text } = await stream('proposals', 'application/x-ndjson');
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
      'no-store',
      'Accept, Authorization, Origin, x-cosmos-block-height, x-block-time, x-min-height, Accept-Encoding, accept-proof, accept-quorum',
    ]);
    expect(headers.get('x-cosmos-block-height')).toBe(`${chain.devnet.height}`);
    expect(
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(pages);
    const csv = await stream('proposals?status=PROPOSAL_STATUS_ACCEPTED', 'text/csv');
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="proposals.csv"');
    expect(csvObjects(csv.text)).toEqual([
      expect.objectContaining({
        ...{ id: ids.executed, title: 'Pay', proposers: addressOf(0), messageTypes: '/cosmos.bank.v1beta1.MsgSend' },
        ...{ closedBy: 'DECIDED', closedBlockHeight: `${heights.closed}`, yesCount: '2', totalWeight: '4.5', complete: 'true' },
      }),
    ]);
  });

  it('votes are streamed by proposal and by account', async () => {
    const { text } = await stream(`proposals/${ids.executed}/votes`, 'text/csv');
    expect(csvObjects(text)).toMatchObject([
      { voter: addressOf(0), option: 'VOTE_OPTION_YES', weight: '1', blockHeight: `${heights.voted}` },
      { voter: addressOf(1), option: 'VOTE_OPTION_YES', weight: '1', blockHeight: `${heights.closed}` },
    ]);
    const ofAccount = await stream(`accounts/${addressOf(2)}/votes`, 'application/x-ndjson');
    expect(JSON.parse(ofAccount.text)).toMatchObject({ proposalId: ids.open, option: 'VOTE_OPTION_NO' });
  });

  it.each(['text/html', '*/*', 'application/json', 'text/csv;q=0.5, application/json', 'text/csv;q=0, */*;q=0.1'])(
    'a request that accepts %j gets JSON',
    async (accept) => {
      const response = await fetch(`${stack.server.url}/v1/proposals`, { headers: { accept } });
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.json()).toHaveProperty('pagination');
    },
  );

  it.each(['text/*', 'application/json;q=0.2, text/csv;q=0.9', 'TEXT/CSV'])(
    'a request that accepts %j gets CSV',
    async (accept) => {
      const response = await fetch(`${stack.server.url}/v1/proposals`, { headers: { accept } });
      expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
      expect(csvObjects(await response.text())).toHaveLength(3);
    },
  );

  it('a HEAD request has the headers of the stream and no body', async () => {
    const response = await fetch(`${stack.server.url}/v1/proposals`, { method: 'HEAD', headers: { accept: 'text/csv' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(await response.text()).toBe('');
  });
});

describe('errors', () => {
  it.each([
    ['proposals?groupId=-1', 'groupId'],
    ['proposals?proposer=alice', 'proposer'],
    ['proposals?status=OPEN', 'status'],
    ['proposals?submittedFrom=yesterday', 'submittedFrom'],
    ['proposals?limit=3', 'limit'],
    ['proposals/x', 'id'],
    ['proposals/18446744073709551616/votes', 'id'],
    ['accounts/alice/votes', 'address'],
  ])('%s is BAD_USER_INPUT for %s', async (path, field) => {
    const { status, body } = await read(path);
    expect([status, body.code, body.field]).toEqual([400, 'BAD_USER_INPUT', field]);
  });

  it('a proposal without a record is 404, also as a stream, and a stream has no cursor', async () => {
    expect((await read('proposals/99')).status).toBe(404);
    expect((await read('proposals/99/votes')).status).toBe(404);
    const get = (path: string) => fetch(`${stack.server.url}/v1/${path}`, { headers: { accept: 'text/csv' } });
    const absent = await get('proposals/99/votes');
    expect([absent.status, await absent.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND', field: 'id' })]);
    const paged = await get('proposals?pagination.cursor=x');
    expect([paged.status, await paged.json()]).toEqual([400, expect.objectContaining({ field: 'pagination.cursor' })]);
  });

  it.runIf(runsAll)('a server without an archive has no such paths, and does not describe them', async () => {
    const without = await startStack([chain.node.url], { client: { learnsRoots: false } });
    try {
      await without.client.head.ready({ milliseconds: 5_000 });
      expect((await ask(without, 'proposals')).status).toBe(404);
      const describedBy = async (server: Stack): Promise<boolean> => {
        const { paths } = (await (await fetch(`${server.server.url}/openapi/application.json`)).json()) as { paths: object };
        return '/v1/proposals' in paths;
      };
      expect([await describedBy(without), await describedBy(stack)]).toEqual([false, true]);
    } finally {
      await without.close();
    }
  });
});

describe('costs', () => {
  const place = '{ height time hash }';
  const fields = `id title summary metadata messages { __typename } proposers { address } groupId groupPolicyAddress submitted ${place} status closed ${place} pruned ${place} tally { yesCount } audit { agrees }`;
  const voteFields = `nodes { voter { address } option at ${place} weight } pageInfo { endCursor }`;

  it.each([
    ['proposals?pagination.pageSize=7', () => `proposalRecords(first: 7) { nodes { ${fields} } pageInfo { endCursor } }`],
    ['proposals/1', () => `proposalRecord(id: 1) { ${fields} executions { at ${place} executor { address } } }`],
    ['proposals/1/votes?pagination.pageSize=7', () => `proposalRecord(id: 1) { votes(first: 7) { ${voteFields} } }`],
    ['accounts/ALICE/votes', () => `account(address: "${addressOf(0)}") { voteRecords { ${voteFields} } }`],
  ])('%s costs the same as in GraphQL, and reads nothing from the nodes', async (path, document) => {
    // Without a change of the group module, the answers of other tests are carried.
    await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, path));
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    lines.length = 0;
    expect(
      (await stack.ask(`{ ${document()} }`, {}, { 'x-min-height': `${chain.devnet.height}` })).body.errors,
    ).toBeUndefined();
    chain.node.counters.reset();
    expect((await read(path.replace('ALICE', addressOf(0)))).status).toBe(200);
    // Keys of reads that are followed may be proven at the same time.
    expect(stateReads(chain).filter((path) => !path.startsWith('/store/'))).toEqual([]);
    expect(lines.map(({ surface }) => surface)).toEqual(['graphql', 'aggregates']);
    expect(lines[1]!.cost).toBe(lines[0]!.cost);
    // The second time, it is answered from memory.
    await read(path.replace('ALICE', addressOf(0)));
    expect(lines[2]!.cost).toBe(1);
  });
});
