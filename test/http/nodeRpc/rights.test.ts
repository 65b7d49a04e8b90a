import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rpcMethods, socketMethods, unsafeMethods } from '../../../src/chain/rpc/methods.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { base64, type RpcChain, startRpcChain, transfer } from './rpcChain.ts';

let issuer: TestIssuer;
let rpc: RpcChain;

beforeAll(async () => {
  issuer = await startIssuer();
  rpc = await startRpcChain({ server: { auth: authenticatorOf(issuer), limits: { 'rate.points': 60, 'rate.burst': 100 } } });
});

afterAll(async () => {
  await rpc.close();
  await issuer.close();
});

let subjects = 0;
/** Each token has its own subject, and therefore its own points. */
const bearer = async (scope: string): Promise<{ authorization: string }> => ({
  authorization: `Bearer ${await issuer.sign({ scope, sub: `caller ${subjects++}` })}`,
});

const errorAt = (root: string, code: number, message: string, text: unknown): unknown =>
  root === '/' ? text : { code, message, data: text };

describe.each(['/', '/comet'])('authorization at %s', (root) => {
  it('no token: 401 in the format of the surface', async () => {
    for (const answer of [await rpc.call(root, 'health'), await rpc.get(root === '/' ? '/health' : '/comet/health')]) {
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      const error = errorAt(root, -32001, 'Unauthenticated', 'A valid bearer token is required.');
      expect(answer.json).toEqual({ jsonrpc: '2.0', error });
    }
  });

  it.each(['broadcast_tx_sync', 'broadcast_tx_async', 'broadcast_tx_commit', 'broadcast_evidence'])(
    'T19: %s needs the scope broadcast',
    async (method) => {
      const tx = base64(transfer(rpc.chain, 5));
      const { status, headers, json } = await rpc.call(root, method, { tx }, await bearer('read introspect'));
      expect([status, headers['www-authenticate']]).toEqual([403, 'Bearer error="insufficient_scope", scope="broadcast"']);
      const text = 'A token with the scope `broadcast` is required.';
      expect(json).toEqual({ jsonrpc: '2.0', id: 1, error: errorAt(root, -32003, 'Forbidden', text) });
      expect(rpc.chain.node.mempool.txs).toHaveLength(0);
    },
  );

  it('T19: all other methods need only the scope read', async () => {
    const sends = /^broadcast_/;
    const sendsAlone = await bearer('broadcast');
    const reads = await bearer('read');
    const methods = Object.keys(rpcMethods).filter((name) => !sends.test(name));
    for (const method of methods) {
      expect([method, (await rpc.call(root, method, {}, sendsAlone)).status]).toEqual([method, 403]);
      expect([method, (await rpc.call(root, method, {}, reads)).status]).not.toEqual([method, 403]);
    }
  });

  it('abci_query cannot broadcast, which would bypass the limit of broadcasts', async () => {
    const path = '/cosmos.tx.v1beta1.Service/BroadcastTx';
    rpc.chain.node.counters.reset();
    for (const scope of ['read', 'read broadcast']) {
      const { status } = await rpc.call(root, 'abci_query', { path, data: '' }, await bearer(scope));
      expect(status).toBe(root === '/' ? 400 : 403);
    }
    expect(rpc.chain.node.counters.byMethod.abci_query).toBeUndefined();
  });

  it('T53: unsafe methods and WebSocket methods do not exist over HTTP', async () => {
    const all = await bearer('read broadcast introspect');
    for (const method of [...unsafeMethods, ...Object.keys(socketMethods)]) {
      const { status, json } = await rpc.call(root, method, {}, all);
      const error = root === '/' ? 'Method not found' : { code: -32601, message: 'Method not found' };
      expect([status, json.error]).toEqual([200, error]);
      expect((await rpc.get(`${root === '/' ? '' : root}/${method}`, all)).status).toBe(404);
    }
  });

  it('T8: a batch of 11 calls is rejected, and one of 10 costs a point for each call', async () => {
    const caller = await bearer('read');
    const batch = (size: number): string =>
      JSON.stringify([...Array(size)].map((_, id) => ({ id, method: 'health', params: {} })));
    const text = 'batch request exceeds maximum (10) allowed number of requests';
    const refused = await rpc.post(root, batch(11), caller);
    expect(refused.json).toEqual({ jsonrpc: '2.0', error: errorAt(root, -32600, 'Invalid Request', text) });
    const statuses: number[] = [];
    for (let times = 0; times < 11; times++) statuses.push((await rpc.post(root, batch(10), caller)).status);
    // 100 points, of which the rejected batch took one. A few are refilled in the meantime.
    expect(statuses).toEqual([...Array(9).fill(200), 429, 429]);
    const over = await rpc.post(root, batch(10), caller);
    const limit = expect.stringMatching(/^The limit rate\.points of 60 is reached\. Retry in \d+ s\.$/);
    expect(over.json).toEqual({ jsonrpc: '2.0', error: errorAt(root, -32005, 'Limit exceeded', limit) });
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('searches cost more', async () => {
    const caller = await bearer('read');
    const statuses: number[] = [];
    const params = { query: 'tx.height=1' };
    for (let times = 0; times < 11; times++) statuses.push((await rpc.call(root, 'tx_search', params, caller)).status);
    expect(statuses).toEqual([...Array(9).fill(200), 429, 429]);
  });
});
