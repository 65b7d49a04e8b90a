import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { send, sendWritten } from '../../support/wire.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url]);
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

type Ask = (query: string, headers?: Record<string, string>) => ReturnType<typeof send>;

const byGet: Ask = (query, headers) =>
  send(`${stack.server.url}/graphql?${new URLSearchParams({ query })}`, {
    headers: { accept: 'application/json', ...headers },
  });

const byPost: Ask = (query, headers) =>
  send(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });

const unknownHash = 'AB'.repeat(32);

describe.each([
  ['GET', byGet],
  ['POST', byPost],
])('no cache may store a GraphQL response by %s that a later block may change', (_, ask) => {
  it.each([
    ['a transaction that no block holds', `{ transaction(hash: "${unknownHash}") { height } }`, '2', null],
    ['a block that does not exist', `{ blockByHash(hash: "${unknownHash}") { height } }`, '2', null],
    ['a proposal that does not exist', '{ proposal(id: 9) { id } }', '2', null],
    ['a height that does not exist yet', '{ head { height } }', '99999', 'HEIGHT_NOT_YET_AVAILABLE'],
    ['a document that does not parse', '{', '2', 'GRAPHQL_PARSE_FAILED'],
    ['an argument that is refused', '{ proposal(id: "x") { id } }', '2', 'BAD_USER_INPUT'],
  ])('%s', async (_, query, height, code) => {
    const { body, headers } = await ask(query, { 'x-cosmos-block-height': height });
    const { data, errors } = JSON.parse(body);
    if (code === null) expect([errors, Object.values(data)]).toEqual([undefined, [null]]);
    else expect(errors[0].extensions.code).toBe(code);
    expect(headers['cache-control']).toBe('no-store');
  });
});

it('no cache may store a refused transaction, which is returned as data', async () => {
  const { body, headers } = await byPost('{ checkTx(tx: "0x00") { code } }');
  expect(JSON.parse(body).data.checkTx.code).toBeGreaterThan(0);
  expect(headers['cache-control']).toBe('no-store');
});

describe('406 has a body', () => {
  it.each(['text/html;q=0.5', 'image/png, text/plain', 'application/json;charset=latin1'])(
    'for `Accept: %s`, before anything is executed',
    async (accept) => {
      chain.node.counters.reset();
      const { status, headers, body } = await byPost(`mutation { broadcastTxSync(tx: "0x00") { status } }`, { accept });
      expect([status, headers['content-type']]).toEqual([406, 'application/json; charset=utf-8']);
      const extensions = { code: 'BAD_USER_INPUT', argument: 'Accept', value: accept, bound: expect.any(String) };
      expect(JSON.parse(body)).toEqual({ errors: [{ message: expect.any(String), extensions }] });
      expect(chain.node.counters.log.filter(({ method }) => method.includes('tx'))).toEqual([]);
    },
  );

  it('for a subscription from a client that accepts no stream', async () => {
    const { status, body } = await byPost('subscription { newBlock { height } }');
    expect(status).toBe(406);
    expect(JSON.parse(body).errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'Accept' });
    expect(stack.server.subscriptions().subscribers).toBe(0);
  });
});

describe('an operation that cannot be determined is BAD_USER_INPUT over WebSocket', () => {
  it.each([
    ['an unknown name', '{"query":"query A { head { height } }","operationName":"B"}'],
    ['several and none named', '{"query":"query A { head { height } } query B { head { height } }"}'],
    ['none in the document', '{"query":"fragment F on Block { height }"}'],
  ])('%s', async (_, body) => {
    const { errors } = await sendWritten(stack.server.url, body);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([
      body.includes('fragment') ? 'GRAPHQL_VALIDATION_FAILED' : 'BAD_USER_INPUT',
    ]);
  });

  it('and the socket stays open', async () => {
    const socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    socket.send('{"id":"1","type":"subscribe","payload":{"query":"query A { head { height } }","operationName":"B"}}');
    const [refused]: Buffer[] = await once(socket, 'message');
    expect(JSON.parse(String(refused))).toMatchObject({ id: '1', type: 'error' });
    socket.send('{"id":"2","type":"subscribe","payload":{"query":"{ head { height } }"}}');
    const [answer]: Buffer[] = await once(socket, 'message');
    expect(JSON.parse(String(answer))).toMatchObject({ id: '2', payload: { data: { head: { height: '2' } } } });
    socket.terminate();
  });
});
