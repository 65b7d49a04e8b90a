import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const bug = new Error('a bug');
const query = '{ groups { totalCount } }';
/** A request whose handler asks for the name of the chain, which throws the bug, once it has the body and before it executes anything. */
const asked = { query, extensions: { chain: 'any' } };

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready();
  Object.assign(stack.client.head, {
    fingerprint() {
      throw bug;
    },
  });
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});
beforeEach(() => void stack.masked.splice(0));

async function expectMasked(response: Response): Promise<void> {
  expect(response.status).toBe(500);
  const text = await response.text();
  expect(JSON.parse(text).errors).toMatchObject([
    { extensions: { code: 'INTERNAL_SERVER_ERROR', requestId: response.headers.get('x-request-id') } },
  ]);
  expect(text).not.toContain('a bug');
  expect(stack.masked).toEqual([bug]);
}

const post = (body: string): Promise<Response> =>
  fetch(`${stack.server.url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

it('what the handler of a GET throws is masked and reported', async () => {
  const parameters = new URLSearchParams({ query, extensions: JSON.stringify(asked.extensions) });
  await expectMasked(await fetch(`${stack.server.url}/graphql?${parameters}`));
});

it.each([
  ['small', 0],
  ['large', 100_000],
])('what it throws once it has a %s body is masked and reported', async (_, spaces) => {
  await expectMasked(await post(JSON.stringify(asked) + ' '.repeat(spaces)));
});

it('what it throws once it has a body in two pieces is masked and reported, and the connection goes on', async () => {
  const body = JSON.stringify(asked);
  const socket = connect(Number(new URL(stack.server.url).port), '127.0.0.1').setNoDelay(true);
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  await once(socket, 'connect');
  const head = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.write(head + body.slice(0, 10));
  // The first piece is read before the second one is sent: another connection gets its response in between.
  await fetch(stack.server.url);
  socket.write(body.slice(10));
  await expect.poll(() => received, { interval: 5 }).toContain('INTERNAL_SERVER_ERROR');
  expect(received).toMatch(/^HTTP\/1\.1 500 /);
  expect(stack.masked).toEqual([bug]);
  received = '';
  socket.write(`GET /graphql?query=${encodeURIComponent(query)} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await expect.poll(() => received, { interval: 5 }).toContain('"totalCount"');
  expect(received).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});

it('a body that is too large is refused before it has arrived', async () => {
  const response = await post('x'.repeat(3_000_000));
  expect([response.status, (await response.json()).errors[0].extensions]).toMatchObject([
    413,
    { code: 'BAD_USER_INPUT', limit: 'http.body' },
  ]);
});
