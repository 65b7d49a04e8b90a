import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { send } from '../../support/wire.ts';
import { startTarget, type Target } from './setup.ts';

let target: Target;

beforeAll(async () => {
  target = await startTarget();
});

// None of these is a failure of the server: no error line is written.
afterEach(() => target.isWell());

afterAll(() => target.close());

const query = '{ head { height } }';

describe('invalid parameters', () => {
  it.each([
    ['operationName', 5],
    ['operationName', {}],
    ['operationName', ['a']],
    ['operationName', true],
    ['query', 5],
    ['query', null],
    ['query', ['{ head { height } }']],
    ['variables', 'x'],
    ['variables', 5],
    ['variables', [1]],
    ['extensions', 'x'],
    ['extensions', 5],
    ['extensions', []],
    ['unknown', 1],
    ['__proto__', 1],
    ['constructor', {}],
  ])('%s: %j by POST is 400', async (name, value) => {
    const body = `{"query":${JSON.stringify(query)},${JSON.stringify(name)}:${JSON.stringify(value)}}`;
    for (const accept of ['application/json', 'application/graphql-response+json', 'text/event-stream']) {
      const headers = { 'content-type': 'application/json', accept };
      const answer = await send(`${target.stack.server.url}/graphql`, { method: 'POST', headers, body });
      const text = answer.body.replace(/^[^{]*/, '');
      expect([accept, answer.status, text]).toEqual([accept, 400, expect.stringContaining('"code":"BAD_USER_INPUT"')]);
    }
  });

  it.each(['null', '5', '"x"', '[]', '[{}]', '{}', 'true', '', '{', 'x', '\ufeff{}', '[[[[', '{"query":"{a}"'])(
    'a body that is %j is 400',
    async (body) => {
      const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
      const answer = await send(`${target.stack.server.url}/graphql`, { method: 'POST', headers, body });
      expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('"code":"BAD_USER_INPUT"')]);
    },
  );

  it.each([
    '',
    '?',
    '?query=',
    '?operationName=A',
    `?query=${query}&variables=x`,
    `?query=${query}&variables=[1]`,
    `?query=${query}&variables=5`,
    `?query=${query}&variables={`,
    `?query=${query}&extensions=x`,
    `?query=${query}&extensions=[]`,
    `?query=${query}&extensions={"a":`,
    `?variables=x`,
  ])('%s by GET is 400', async (search) => {
    const url = `${target.stack.server.url}/graphql${search.replaceAll('{', '%7B').replaceAll('"', '%22').replaceAll(' ', '%20')}`;
    const answer = await send(url, { headers: { accept: 'application/graphql-response+json' } });
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('"code":"BAD_USER_INPUT"')]);
  });

  it('an operation that is not in the document is 400', async () => {
    for (const name of ['B', '', '__proto__', 'constructor']) {
      const body = JSON.stringify({ query: `query A ${query} query C ${query}`, operationName: name });
      const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
      const answer = await send(`${target.stack.server.url}/graphql`, { method: 'POST', headers, body });
      expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('"code":"BAD_USER_INPUT"')]);
    }
  });

  it.each([
    { operationName: 5 },
    { operationName: {} },
    { query: 5 },
    { query: null },
    { variables: 'x' },
    { variables: [1] },
    { extensions: 5 },
    { extensions: [] },
  ])('%j on a WebSocket closes it with 4400, or fails the operation', async (changed) => {
    const socket = new WebSocket(`${target.stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query, ...changed } }));
    const outcome = await Promise.race([
      once(socket, 'close').then(([code]) => code),
      once(socket, 'message').then(([data]) => JSON.parse(String(data)).type),
    ]);
    expect(outcome === 4400 || outcome === 'error').toBe(true);
    socket.terminate();
  });

  it('an operation that is not in the document is an error on a WebSocket', async () => {
    const socket = new WebSocket(`${target.stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    for (const [id, operationName] of ['B', '', '__proto__'].entries()) {
      const payload = { query: `query A ${query} subscription C { newBlock { height } }`, operationName };
      socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload }));
      const [data]: Buffer[] = await once(socket, 'message');
      expect(String(data)).toContain('BAD_USER_INPUT');
    }
    socket.terminate();
  });
});
