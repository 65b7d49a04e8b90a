import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createDevnet, type Devnet } from '../../../../packages/devnet/src/devnet.ts';
import { converse } from '../../../devnet/node/conversation.ts';
import { createTinyApplication, tinyTx } from '../../../devnet/node/tinyApplication.ts';
import { runsAll } from '../../../support/atRandom.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../../support/issuer.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { openSocket } from '../../../support/wire.ts';

let devnet: Devnet;
let issuer: TestIssuer;
let stack: Stack;
let url: string;

beforeAll(async () => {
  devnet = await createDevnet({ application: createTinyApplication(), blockTime: 'manual' });
  await devnet.commit();
  issuer = await startIssuer();
  stack = await startStack([devnet.nodes[0]!.url], { server: { auth: authenticatorOf(issuer) } });
  ({ url } = stack.server);
  await stack.client.head.ready();
});

afterAll(async () => {
  await stack.close();
  await issuer.close();
  await devnet.close();
});

afterEach(async () => {
  await expect.poll(() => stack.server.nodeEvents().subscribers).toBe(0);
  expect(stack.masked).toEqual([]);
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

const bases = ['/comet', ''] as const;

describe.each(bases)('at %s/websocket', (base) => {
  it('T12: accepts a token in the header or as the password of `token`, and nothing else', async () => {
    const token = await issuer.sign();
    const path = `${base}/websocket`;
    for (const headers of [bearer(token), basic('token', token)]) {
      const { socket, received, send } = await converse(`${url}${base}`, { headers });
      send({ id: 1, method: 'health', params: {} });
      expect(await received(1)).toHaveLength(1);
      socket.terminate();
    }
    for (const headers of [{}, basic('user', token), basic('token', ''), basic('token', `${token}x`), bearer(`${token}x`)])
      expect(await openSocket(url, { path, headers })).toBe(401);
    expect(await openSocket(url, { path: `${path}?access_token=${token}` })).toBe(401);
    expect(await openSocket(url, { path: `${path}?access_token=${token}`, headers: bearer(token) })).toBe(400);
    expect(await openSocket(url, { path, headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] } })).toBe(400);
  });

  it('T12: reports a missing token in its own format', async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${base}/websocket`);
    socket.on('error', () => undefined);
    const [, response] = await once(socket, 'unexpected-response');
    let body = '';
    for await (const chunk of response) body += chunk;
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    const text = 'A valid bearer token is required.';
    expect(JSON.parse(body)).toEqual({
      jsonrpc: '2.0',
      error: base === '' ? text : { code: -32001, message: 'Unauthenticated', data: text },
    });
  });

  it('T11: rejects pages of other sites, whatever their token', async () => {
    const headers = { ...bearer(await issuer.sign()), origin: 'https://elsewhere.example' };
    expect(await openSocket(url, { path: `${base}/websocket`, headers })).toBe(403);
  });

  it('T19: subscribing needs the scope `read`, and broadcasting `broadcast`', async () => {
    const tx = Buffer.from(tinyTx('carl', 0)).toString('base64');
    const ask = async (scope: string, method: string, params: object): Promise<unknown> => {
      const conversation = await converse(`${url}${base}`, { headers: bearer(await issuer.sign({ scope })) });
      conversation.send({ id: 1, method, params });
      const { error } = await conversation.next(({ id }) => id === 1);
      conversation.socket.close();
      await conversation.closed;
      return error;
    };
    const lacking = (scope: string) => {
      const text = `A token with the scope \`${scope}\` is required.`;
      return base === '' ? text : { code: -32003, message: 'Forbidden', data: text };
    };
    const query = "tm.event='NewBlock'";
    expect(await ask('broadcast', 'subscribe', { query })).toEqual(lacking('read'));
    expect(await ask('read', 'subscribe', { query })).toBe(base === '' ? '' : undefined);
    expect(await ask('read', 'broadcast_tx_sync', { tx })).toEqual(lacking('broadcast'));
  });

  it('T22: no error on a socket contains its token', async () => {
    const token = await issuer.sign();
    const conversation = await converse(`${url}${base}`, { headers: basic('token', token) });
    conversation.send('{');
    conversation.send({ id: 1, method: token, params: { query: token } });
    conversation.send({ id: 2, method: 'subscribe', params: { query: `${token}` } });
    const frames = await conversation.received(3);
    // The last error contains the position in the query, not the query.
    expect(frames.join()).not.toContain(token.split('.')[2]);
    conversation.socket.close();
  });
});

it.runIf(runsAll)('T21: closes with 1008 when the token expires and sends nothing more; other sockets continue', async () => {
  const exp = Math.floor(Date.now() / 1000) + 4;
  const query = "tm.event='NewBlockHeader'";
  const [short, long] = await Promise.all([issuer.sign({ exp }), issuer.sign()]);
  const begin = (headers: Record<string, string>) => Promise.all(bases.map((base) => converse(`${url}${base}`, { headers })));
  const [ending, going] = await Promise.all([begin(bearer(short)), begin(basic('token', long))]);
  const all = [...ending, ...going];
  for (const conversation of all) conversation.send({ id: 1, method: 'subscribe', params: { query } });
  await Promise.all(all.map(({ received }) => received(1)));
  await devnet.commit();
  await Promise.all(all.map(({ received }) => received(2)));
  for (const { closed } of ending) expect(await closed).toBe(1008);
  const late = Date.now() - exp * 1000;
  expect(late).toBeGreaterThanOrEqual(0);
  expect(late).toBeLessThan(5_000);
  await devnet.commit();
  await Promise.all(going.map(({ received }) => received(3)));
  for (const { frames } of ending) expect(frames).toHaveLength(2);
  expect(stack.server.nodeEvents().subscribers).toBe(bases.length);
  for (const { socket } of going) socket.close();
});
