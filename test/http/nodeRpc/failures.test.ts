import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { converse } from '../../devnet/node/conversation.ts';
import { type RpcAnswer, type RpcChain, startRpcChain } from './rpcChain.ts';

let rpc: RpcChain;
const reports: { readonly error: unknown; readonly requestId: string }[] = [];

beforeEach(async () => {
  reports.length = 0;
  rpc = await startRpcChain({ server: { report: (error, requestId) => reports.push({ error, requestId }) } });
});

afterEach(() => rpc.close());

/** The error text of a failed call in either dialect. */
function textOf({ json }: Pick<RpcAnswer, 'json'>): unknown {
  const { error } = json;
  return typeof error === 'string' ? error : (error as { data: string }).data;
}

describe('an unexpected error', () => {
  const failure = new Error('secret');

  it.each(['/', '/comet'])('is masked at %s, and reported with the id of the request', async (root) => {
    Object.assign(rpc.stack.client.broadcaster, { check: () => Promise.reject(failure) });
    const answer = await rpc.call(root, 'check_tx', { tx: 'AQID' }, { 'x-request-id': 'mine' });
    expect(textOf(answer)).toMatch(/^Internal server error\. The log has the cause under the request id/);
    expect(answer.headers['x-request-id']).toBe('mine');
    expect(reports).toEqual([{ error: failure, requestId: 'mine' }]);
    const conversation = await converse(`${rpc.url}${root === '/' ? '' : root}`, { headers: { 'x-request-id': 'socket' } });
    conversation.send({ id: 1, method: 'check_tx', params: { tx: 'AQID' } });
    const [frame] = await conversation.received(1);
    conversation.socket.terminate();
    // The id of its first call, as in the log.
    expect(textOf({ json: JSON.parse(frame!) })).toMatch(/^Internal server error/);
    expect(reports[1]).toEqual({ error: failure, requestId: 'socket-1' });
  });
});

describe('deeply nested arguments', () => {
  it.each(['/', '/comet'])('are rejected at %s for every argument', async (root) => {
    const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (const params of [`{"height":${nested}}`, `[${nested}]`, nested]) {
      const answer = await rpc.post(root, `{"jsonrpc":"2.0","id":1,"method":"block","params":${params}}`);
      expect(textOf(answer)).toBe('error unmarshaling request: exceeded max depth');
    }
    expect(reports).toEqual([]);
  });
});

describe('evidence that is nested too deeply', () => {
  it.each(['/', '/comet'])('is rejected at %s without a call of a node', async (root) => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const asked = (depth: number) =>
      rpc.post(root, `{"jsonrpc":"2.0","id":1,"method":"broadcast_evidence","params":{"evidence":${nested(depth)}}}`);
    const before = rpc.chain.node.counters.byMethod.broadcast_evidence;
    for (const depth of [33, 60]) expect(textOf(await asked(depth))).toMatch(/`evidence` must be nested at most 32 deep/);
    expect(textOf(await asked(50_000))).toMatch(/exceeded max depth/);
    expect(reports).toEqual([]);
    expect(rpc.chain.node.counters.byMethod.broadcast_evidence).toBe(before);
    await asked(32);
    expect(rpc.chain.node.counters.byMethod.broadcast_evidence).toBe((before ?? 0) + 1);
  });
});
