import { once } from 'node:events';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createLog } from '../../../src/server/observability/log.ts';
import { startChain } from '../../support/chain.ts';
import { overWebSocket } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { sendTogether } from '../../support/wire.ts';

const running: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

type Line = Readonly<Record<string, unknown>>;

/** Starts a server with a log, and collects the logged failures. Its node never answers `abci_info`. */
async function startLogged(): Promise<{ readonly stack: Stack; readonly failures: readonly Line[] }> {
  const failures: Line[] = [];
  const out = new Writable({
    write(chunk, _, done) {
      const line = JSON.parse(String(chunk)) as Line;
      if (line.level === 'error') failures.push(line);
      done();
    },
  });
  const log = createLog({ level: 'info', out });
  const chain = await startChain({ bare: true });
  running.push(() => chain.devnet.close());
  chain.node.faults.answer = (calls) => (calls.some(({ method }) => method === 'abci_info') ? 'never' : undefined);
  const stack = await startStack([chain.node.url], { server: { log, report: log.error } });
  running.push(() => stack.close());
  await stack.client.head.ready();
  return { stack, failures };
}

/** Sends messages on an acknowledged WebSocket. Returns the code and reason of its close. */
async function closing({ server }: Stack, messages: readonly string[]): Promise<readonly [number, string]> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  const closed = once(socket, 'close');
  sendTogether(socket, messages);
  const [code, reason] = await closed;
  return [code, String(reason)];
}

/** An id of the length of `socket.id`, which is longer than a close reason. */
const long = 'é'.repeat(64);
const subscribe = JSON.stringify({ type: 'subscribe', id: long, payload: { query: 'subscription { newBlock { height } }' } });
/** Starts an operation, completes it, and starts another one with the same id before the first has its result. */
const again = ['subscribe', 'complete', 'subscribe'].map((type) =>
  JSON.stringify({ type, id: long, payload: { query: '{ abciInfo { version } }' } }),
);

describe('no message from a client on a WebSocket writes an error line', () => {
  it.each<[string, readonly string[], number, string]>([
    ['next', ['{"type":"next","id":"a","payload":{"data":{}}}'], 4400, 'Invalid message received'],
    ['error', ['{"type":"error","id":"a","payload":[{"message":"x"}]}'], 4400, 'Invalid message received'],
    ['connection_ack', ['{"type":"connection_ack"}'], 4400, 'Invalid message received'],
    ['the same id twice, longer than a close reason', [subscribe, subscribe], 4409, `Subscriber for ${'é'.repeat(54)}`],
    ['the same id while its last result is computed', again, 4409, `Subscriber for ${'é'.repeat(54)}`],
    ['no type', ['{}'], 4400, 'Invalid message received'],
    ['no object', ['5'], 4400, 'Invalid message received'],
    ['invalid JSON', ['{'], 4400, 'Invalid message received'],
    [
      'an operation name that is a number',
      ['{"type":"subscribe","id":"a","payload":{"query":"{a}","operationName":5}}'],
      4400,
      'Invalid message received',
    ],
    [
      'variables that are not an object',
      ['{"type":"subscribe","id":"a","payload":{"query":"{a}","variables":"x"}}'],
      4400,
      'Invalid message received',
    ],
    [
      'extensions that are not an object',
      ['{"type":"subscribe","id":"a","payload":{"query":"{a}","extensions":[1]}}'],
      4400,
      'Invalid message received',
    ],
    ['30,000 brackets', ['['.repeat(30_000)], 4400, 'The JSON has more than 64 levels of arrays and objects (json.depth).'],
  ])('%s', async (_, messages, code, reason) => {
    const { stack, failures } = await startLogged();
    const other = await overWebSocket(stack.server.url, 'subscription { newBlock(after: 0) { height } }');
    await other.count(1);
    expect(await closing(stack, messages)).toEqual([code, reason]);
    expect(failures).toEqual([]);
    await other.leave();
  });

  it.each<[string, object]>([
    ['a height that is an object', { extensions: { minHeight: { a: 1 } } }],
    ['an unknown operation', { operationName: 'Other' }],
    ['two operations and no name', { query: 'query A { head { height } } query B { head { height } }' }],
    ['variables with names of Object.prototype', { variables: { constructor: 1, toString: 2, ['__proto__']: 3 } }],
    ['a long number in variables', { variables: { a: 1e15 } }],
    ['nothing', { query: '' }],
  ])('an operation is refused with an error message of its own: %s', async (_, payload) => {
    const { stack, failures } = await startLogged();
    const socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    socket.send(JSON.stringify({ type: 'subscribe', id: 'a', payload: { query: '{ head { height } }', ...payload } }));
    const [data] = await Promise.race([once(socket, 'message'), once(socket, 'close')]);
    expect(JSON.parse(String(data))).toMatchObject({ id: 'a' });
    expect(failures).toEqual([]);
    socket.close();
  });
});

describe('one line is logged for many failed fields', () => {
  const broken = (): never => {
    throw new Error('a bug');
  };
  const query = `{ ${Array.from({ length: 12 }, (_, index) => `a${index}: groups { totalCount }`).join(' ')} }`;

  it('over HTTP, with their number and the first cause', async () => {
    const { stack, failures } = await startLogged();
    stack.client.at = (height) => ({ height, query: broken, read: broken, store: broken });
    const { body } = await stack.ask(query, {}, { 'x-request-id': 'mine' });
    expect(body.errors?.map(({ extensions: { requestId } }) => requestId)).toEqual(Array(12).fill('mine'));
    expect(failures).toMatchObject([{ requestId: 'mine', count: 12, error: expect.stringContaining('a bug') }]);
  });

  it('on a WebSocket', async () => {
    const { stack, failures } = await startLogged();
    stack.client.at = (height) => ({ height, query: broken, read: broken, store: broken });
    const listener = await overWebSocket(stack.server.url, query);
    await listener.count(1);
    expect(listener.answers[0]?.errors).toHaveLength(12);
    expect(failures).toMatchObject([{ requestId: expect.stringMatching(/-1$/), count: 12 }]);
    await listener.leave();
  });

  it('for an event of a subscription', async () => {
    const { stack, failures } = await startLogged();
    stack.client.validators = broken;
    const fields = Array.from({ length: 12 }, (_, index) => `a${index}: proposer { votingPower }`).join(' ');
    const listener = await overWebSocket(stack.server.url, `subscription { newBlock(after: 0) { height ${fields} } }`);
    await listener.count(1);
    expect(listener.answers[0]?.errors).toHaveLength(12);
    expect(failures).toMatchObject([{ count: 12, error: expect.stringContaining('a bug') }]);
    await listener.leave();
  });
});
