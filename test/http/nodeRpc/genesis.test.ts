import { afterAll, describe, expect, it } from 'vitest';
import { startStack } from '../../support/stack.ts';
import { type RpcChain, startRpcChain } from './rpcChain.ts';

const rpc: RpcChain = await startRpcChain();
await rpc.commit();
await rpc.commit();
afterAll(() => rpc.close());

const large = 'genesis response is large, please use the genesis_chunked API instead';

describe('genesis', () => {
  it.each(['', '/comet'])('a small one is served at %s/genesis, and is cacheable for a day', async (base) => {
    const { status, headers, json } = await rpc.get(`${base}/genesis`);
    const chunk = (await rpc.get(`${base}/genesis_chunked?chunk=0`)).json.result;
    const document: unknown = JSON.parse(Buffer.from(String(chunk?.data), 'base64').toString());
    expect([status, headers['cache-control'], json.result]).toEqual([200, 'private, max-age=86400', { genesis: document }]);
    expect((await rpc.call(base === '' ? '/' : base, 'genesis', {})).json.result).toEqual(json.result);
  });

  it("a node's error for one of several chunks is passed on in both dialects", async () => {
    rpc.chain.node.faults.call = ({ method }) =>
      method === 'genesis' ? { rpc: { code: -32603, message: 'Internal error', data: large } } : undefined;
    const other = await startStack([rpc.chain.node.url]);
    const answers = ['', '/comet'].map(async (base) => {
      const response = await fetch(`${other.server.url}${base}/genesis`);
      return [response.status, response.headers.get('cache-control'), ((await response.json()) as { error: unknown }).error];
    });
    expect(await Promise.all(answers)).toEqual([
      [500, 'no-store', large],
      [500, 'no-store', { code: -32603, message: 'Internal error', data: large }],
    ]);
    await other.close();
    rpc.chain.node.faults.call = undefined;
  });

  it('one larger than `upstream.answer` gets the same error', async () => {
    rpc.chain.node.faults.forge = ({ method }, result) =>
      method === 'genesis' ? { ...(result as object), padding: 'x'.repeat(200_000) } : result;
    const other = await startStack([rpc.chain.node.url], { upstream: { maxAnswerBytes: 100_000 } });
    const response = await fetch(`${other.server.url}/genesis`);
    expect([response.status, await response.json()]).toMatchObject([500, { error: large }]);
    rpc.chain.node.faults.forge = undefined;
    await other.close();
  });
});

describe('x-cosmos-block-height: 0 is the latest height', () => {
  it.each([
    ['/block', 'x-cosmos-block-height'],
    ['/cosmos/group/v1/groups', 'x-cosmos-block-height'],
    ['/rest/cosmos/group/v1/groups', 'grpc-metadata-x-cosmos-block-height'],
    ['/v1/holders/nhash', 'x-cosmos-block-height'],
    ['/graphql?query={latestBlock{height}}', 'x-cosmos-block-height'],
  ])('%s', async (target, header) => {
    const answers = await Promise.all(
      [{}, { 'x-cosmos-block-height': '0' }, { 'x-cosmos-block-height': '000' }].map((headers) =>
        fetch(`${rpc.url}${target}`, { headers: { ...headers, 'apollo-require-preflight': 'true' } }),
      ),
    );
    const newest = String(rpc.stack.client.head.current()?.height);
    for (const answer of answers) {
      expect([answer.status, answer.headers.get(header)]).toEqual([200, newest]);
      // The request specifies no height, so the response is not cacheable.
      expect(answer.headers.get('cache-control') ?? '').not.toContain('immutable');
    }
  });
});
