import { once } from 'node:events';
import { request as createRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Limits } from '../../../src/config/limits/limits.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { send, type WireAnswer } from '../../support/wire.ts';
import { answerOn, open } from './setup.ts';

let chain: TestChain;
let issuer: TestIssuer;
let stack: Stack;
let url: string;
const tokens = { hostile: '', honest: '' };

beforeAll(async () => {
  chain = await startChain({ bare: true });
  issuer = await startIssuer();
  for (const sub of ['hostile', 'honest'] as const) tokens[sub] = await issuer.sign({ sub });
});

afterEach(async () => {
  expect((await ask('honest', { query: '{ head { height } }' })).status).toBe(200);
  expect(stack.masked).toEqual([]);
  await stack.close();
});

afterAll(async () => {
  await issuer.close();
  await chain.devnet.close();
});

async function start(limits: Partial<Limits> = {}, warm = true): Promise<void> {
  stack = await startStack([chain.node.url], { server: { auth: authenticatorOf(issuer), limits } });
  ({ url } = stack.server);
  // From here on, both tokens are cached, and nothing is read from the node.
  for (const caller of warm ? (['hostile', 'honest'] as const) : [])
    expect((await ask(caller, { query: '{ head { height } }' })).status).toBe(200);
}

const headersOf = (caller: keyof typeof tokens) => ({
  authorization: `Bearer ${tokens[caller]}`,
  'content-type': 'application/json',
  accept: 'application/graphql-response+json',
});

function postAs(caller: keyof typeof tokens, path: string, body: string): Promise<WireAnswer> {
  return send(`${url}${path}`, { method: 'POST', headers: headersOf(caller), body });
}

const ask = (caller: keyof typeof tokens, body: object): Promise<WireAnswer> =>
  postAs(caller, '/graphql', JSON.stringify(body));

const errorsOf = ({ body }: WireAnswer): unknown => (JSON.parse(body) as { errors?: unknown }).errors;

const brackets = '['.repeat(700_000) + ']'.repeat(700_000);
const digits = '9'.repeat(1_400_000);
const variables = (value: string): string => `{"query":"{ head { height } }","variables":{"v":${value}}}`;

/** Returns a new valid document that takes a few milliseconds to validate. */
function document(count: number): string {
  const names = Array.from({ length: 100 }, (_, index) => `F${count}N${index}`);
  const fragments = names.map((name) => `fragment ${name} on Block { height }`);
  return `{ head { ${names.map((name) => `...${name}`).join(' ')} } } ${fragments.join(' ')}`;
}

describe('JSON is checked before it is parsed', () => {
  it('over GraphQL: too deep, too long a number, too many values', async () => {
    await start();
    const tooMany = `[${'9007199254740993,'.repeat(80_000)}1]`;
    for (const [value, limit, max] of [
      [brackets.slice(699_000, 701_000), 'json.depth', 64],
      [digits, 'json.number', 128],
      [tooMany, 'json.values', 25_000],
    ] as const) {
      const answer = await postAs('hostile', '/graphql', variables(value));
      expect([answer.status, errorsOf(answer)]).toMatchObject([400, [{ extensions: { code: 'BAD_USER_INPUT', limit, max } }]]);
    }
    const get = await send(`${url}/graphql?query={__typename}&variables={"v":${'['.repeat(70)}${']'.repeat(70)}}`, {
      headers: headersOf('hostile'),
    });
    expect([get.status, errorsOf(get)]).toMatchObject([400, [{ extensions: { limit: 'json.depth' } }]]);
  });

  it('over a WebSocket of GraphQL: the socket is closed with 4400', async () => {
    await start();
    for (const value of ['['.repeat(30_000), '9'.repeat(1_000)]) {
      const socket = await greet('hostile');
      const closed = once(socket, 'close');
      socket.send(`{"id":"1","type":"subscribe","payload":${variables(value)}}`);
      const [code, reason] = await closed;
      expect([code, String(reason)]).toEqual([4400, expect.stringMatching(/\(json\.(depth|number)\)/)]);
    }
  });

  it.each(some(['/', '/comet'], 2))('over JSON-RPC at %s: the error for an unreadable body', async (path) => {
    await start();
    const text = (answer: WireAnswer): string => JSON.stringify(JSON.parse(answer.body).error);
    const call = (value: string) => `{"jsonrpc":"2.0","id":1,"method":"status","params":{"v":${value}}}`;
    expect(text(await postAs('hostile', path, brackets))).toContain('exceeded max depth');
    expect(text(await postAs('hostile', path, call(digits)))).toContain('json.number');
    expect(text(await postAs('hostile', path, call(`[${'1,'.repeat(30_000)}1]`)))).toContain('json.values');
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path === '/' ? '' : path}/websocket`, {
      headers: headersOf('hostile'),
    });
    await once(socket, 'open');
    socket.send(call(digits));
    expect(String((await once(socket, 'message'))[0])).toContain('json.number');
    // An argument is parsed in linear time.
    socket.send(`{"jsonrpc":"2.0","id":1,"method":"block","params":{"height":"${digits}"}}`);
    expect(String((await once(socket, 'message'))[0])).toMatch(/int64|an integer from/);
    socket.terminate();
  });

  it('over REST: the body is refused with the bound', async () => {
    await start();
    for (const [value, limit] of [
      [brackets.slice(699_000, 701_000), 'json.depth'],
      ['9'.repeat(1_000), 'json.number'],
      [`[${'1,'.repeat(30_000)}1]`, 'json.values'],
    ] as const) {
      const answer = await postAs('hostile', '/provenance/tx/v1/calculate_flat_fee', `{"nope":${value}}`);
      expect([answer.status, answer.body]).toEqual([400, expect.stringContaining(limit)]);
    }
  });
});

describe('a request is charged', () => {
  const cost = { extensions: { cost: true } };

  it('for its bytes, on every surface', async () => {
    await start({ 'rate.points': 60, 'rate.burst': 100 });
    const query = `{ head { height } } #${'x'.repeat(10_000)}`;
    const answer = await ask('hostile', { query, ...cost });
    expect(JSON.parse(answer.body)).toMatchObject({ extensions: { cost: { requested: 10 } } });
    for (const path of ['/graphql', '/', '/comet', '/rest/cosmos/tx/v1beta1/txs']) {
      const refused = await postAs('hostile', path, 'x'.repeat(200_000));
      expect([path, refused.status]).toEqual([path, 429]);
    }
  });

  it('for a body of unknown length, once it is read', async () => {
    await start({ 'rate.points': 60, 'rate.burst': 100 });
    const request = createRequest(`${url}/graphql`, { method: 'POST', headers: headersOf('hostile'), agent: false });
    for (let part = 0; part < 12; part += 1) request.write(' '.repeat(10_000));
    request.end(JSON.stringify({ query: '{ head { height } }' }));
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(200);
    expect((await ask('hostile', { query: '{ head { height } }' })).status).toBe(429);
  });

  it('for its computing time, which refuses the next one', async () => {
    await start({ 'rate.points': 60, 'rate.burst': 1_000, 'rate.computing': 1_000_000 }, false);
    const answer = await ask('hostile', { query: '{ head { height } }', ...cost });
    const { computing, remaining } = JSON.parse(answer.body).extensions.cost;
    expect(computing).toBeGreaterThan(1_000);
    expect(remaining).toBe(0);
    const refused = await ask('hostile', { query: '{ head { height } }' });
    expect([refused.status, errorsOf(refused)]).toMatchObject([429, [{ extensions: { limit: 'rate.points' } }]]);
  });
});

/** Opens an acknowledged WebSocket of a caller. */
async function greet(caller: keyof typeof tokens): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers: headersOf(caller) });
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  return socket;
}

describe('a caller with much work', () => {
  const much = 16;

  it.runIf(runsAll)('by POST yields the event loop to another caller after a few of its requests', async () => {
    await start();
    const bytes = (caller: keyof typeof tokens, query: string): string => {
      const body = JSON.stringify({ query });
      const head = Object.entries({ host: 'localhost', ...headersOf(caller), 'content-length': body.length });
      return `POST /graphql HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
    };
    const sockets = await Promise.all(Array.from({ length: much }, () => open(url)));
    const honest = await open(url);
    const order: string[] = [];
    const answers = [...sockets, honest].map(async (socket) => {
      const { status } = await answerOn(socket);
      order.push(socket === honest ? 'honest' : 'hostile');
      return status;
    });
    // The request of the other caller is read last.
    for (const [index, socket] of sockets.entries()) socket.write(bytes('hostile', document(index)));
    honest.write(bytes('honest', '{ head { height } }'));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    for (const socket of [...sockets, honest]) socket.destroy();
    // Without turns, it would get the last response.
    expect(order.indexOf('honest')).toBeLessThan(much / 2);
  });

  it.runIf(runsAll)('on WebSockets also yields it, and gets its results in order', async () => {
    await start();
    const sockets = await Promise.all(Array.from({ length: much }, () => greet('hostile')));
    const honest = await greet('honest');
    const order: string[] = [];
    const answers = [...sockets, honest].map(async (socket) => {
      const [message] = await once(socket, 'message');
      order.push(socket === honest ? 'honest' : 'hostile');
      expect(JSON.parse(String(message))).toMatchObject({ id: '1', type: 'next' });
    });
    const operation = (id: string, query: string): string => JSON.stringify({ id, type: 'subscribe', payload: { query } });
    for (const [index, socket] of sockets.entries()) socket.send(operation('1', document(index)));
    honest.send(operation('1', '{ head { height } }'));
    await Promise.all(answers);
    expect(order.indexOf('honest')).toBeLessThan(much / 2);

    const [one] = sockets;
    const ids: string[] = [];
    const all = new Promise<void>((resolve) => {
      one!.on('message', (data) => {
        const { id, type } = JSON.parse(String(data)) as { id: string; type: string };
        if (type === 'next' && id !== '1') ids.push(id);
        if (ids.length === 10) resolve();
      });
    });
    for (let id = 10; id < 20; id += 1) one!.send(operation(`${id}`, document(100 + id)));
    await all;
    expect(ids).toEqual(Array.from({ length: 10 }, (_, index) => `${10 + index}`));
    for (const socket of [...sockets, honest]) socket.terminate();
  });

  it.runIf(runsAll)('on sockets of the node RPC gets results call by call, and another caller in between', async () => {
    await start();
    const openRpc = async (caller: keyof typeof tokens): Promise<WebSocket> => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/websocket`, { headers: headersOf(caller) });
      await once(socket, 'open');
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: much }, () => openRpc('hostile')));
    const honest = await openRpc('honest');
    const order: string[] = [];
    const answers = [...sockets, honest].map(async (socket) => {
      await once(socket, 'message');
      order.push(socket === honest ? 'honest' : 'hostile');
    });
    // Slow to parse, and then refused for its method.
    const slow = `{"jsonrpc":"2.0","id":1,"method":"none","params":[${'9007199254740993,'.repeat(20_000)}1]}`;
    for (const socket of sockets) socket.send(slow);
    honest.send('{"jsonrpc":"2.0","id":1,"method":"health"}');
    await Promise.all(answers);
    expect(order.indexOf('honest')).toBeLessThan(much / 2);
    for (const socket of [...sockets, honest]) socket.terminate();
  });

  it('has its large bodies read a few at a time, independently of other callers', async () => {
    await start({ 'rate.bodies': 1 });
    const body = JSON.stringify({ query: '{ head { height } }' }) + ' '.repeat(100_000);
    const begin = (caller: keyof typeof tokens) => {
      const headers = { ...headersOf(caller), 'content-length': body.length };
      const request = createRequest(`${url}/graphql`, { method: 'POST', headers, agent: false });
      request.write(body.slice(0, 50_000));
      return request;
    };
    const answered: string[] = [];
    const answer = async (request: ReturnType<typeof begin>, name: string): Promise<void> => {
      const [response] = await once(request, 'response');
      answered.push(`${name} ${response.statusCode}`);
      response.resume();
    };
    const first = begin('hostile');
    const firstAnswer = answer(first, 'first');
    // The server has started with the first body when it responds to a later request.
    expect((await ask('hostile', { query: '{ head { height } }' })).status).toBe(200);
    const second = begin('hostile');
    second.end(body.slice(50_000));
    const secondAnswer = answer(second, 'second');
    const other = begin('honest');
    other.end(body.slice(50_000));
    await answer(other, 'other');
    expect((await ask('hostile', { query: '{ head { height } }' })).status).toBe(200);
    expect(answered).toEqual(['other 200']);
    first.end(body.slice(50_000));
    await Promise.all([firstAnswer, secondAnswer]);
    expect(answered).toEqual(['other 200', 'first 200', 'second 200']);
    // A client that disconnects releases its slot for the next one.
    const third = begin('hostile');
    third.on('error', () => undefined);
    const left = new Promise((resolve) => third.once('close', resolve));
    expect((await ask('hostile', { query: '{ head { height } }' })).status).toBe(200);
    third.destroy();
    await left;
    const fourth = begin('hostile');
    fourth.end(body.slice(50_000));
    await answer(fourth, 'fourth');
    expect(answered.at(-1)).toBe('fourth 200');
  });
});
