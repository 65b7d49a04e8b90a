import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startStack } from '../../support/stack.ts';
import { send } from '../../support/wire.ts';
import { base64, hashOf, type RpcChain, startRpcChain, transfer } from './rpcChain.ts';

let rpc: RpcChain;

beforeEach(async () => {
  rpc = await startRpcChain({ client: { learnsRoots: false } }, { nodes: 2 });
});

afterEach(async () => {
  expect(rpc.stack.masked).toEqual([]);
  await rpc.close();
});

/** The calls that the nodes received since `reset`, without those that the server makes on its own. */
const calls = (): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { counters } of rpc.chain.devnet.nodes) {
    for (const { method } of counters.log) if (!/^(status|subscribe)$/.test(method)) counts[method] = (counts[method] ?? 0) + 1;
  }
  return counts;
};
const reset = (): void => {
  for (const { counters } of rpc.chain.devnet.nodes) counters.reset();
};

/** A member of a response, by its path. */
const field = (json: JsonObject, ...path: string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((value, name) => (value as JsonObject | undefined)?.[name], json);

describe('the calls of nodes that reads cause', () => {
  it('blocks that the server has received cause no call in either dialect', async () => {
    await expect.poll(() => rpc.stack.client.head.stats().isSubscribed).toBe(true);
    const tx = transfer(rpc.chain, 5);
    await rpc.call('/', 'broadcast_tx_sync', { tx: base64(tx) });
    const height = await rpc.commit();
    await rpc.commit();
    reset();
    const hash = `0x${hashOf(tx)}`;
    for (const base of ['', '/comet']) {
      for (const target of ['block', 'block_results', 'header', 'commit']) {
        const { status, json } = await rpc.get(`${base}/${target}?height=${height}`);
        expect([status, JSON.stringify(json)]).toEqual([200, expect.stringContaining(`"height":"${height}"`)]);
      }
      expect((await rpc.get(`${base}/tx?hash=${hash}`)).json.result).toMatchObject({ height: `${height}`, hash: hashOf(tx) });
    }
    expect(calls()).toEqual({});
    // The response equals that of a node.
    for (const target of ['block', 'block_results', 'header', 'commit']) {
      const own = await send(`${rpc.chain.node.url}/${target}?height=${height}`);
      expect((await rpc.get(`/comet/${target}?height=${height}`)).body).toBe(own.body);
    }
  });

  it('a result at a height is read once and cached', async () => {
    while (rpc.chain.devnet.height < 5n) await rpc.commit();
    // A server that starts later and has no past blocks in memory.
    const late = await startStack([rpc.chain.node.url], { client: { learnsRoots: false } });
    await late.client.head.ready();
    reset();
    const ask = (target: string) => send(`${late.server.url}${target}`);
    const targets = ['block', 'block_results', 'header', 'commit', 'validators', 'consensus_params'].map(
      (method) => `${method}?height=2`,
    );
    targets.push('blockchain?minHeight=1&maxHeight=3', 'genesis_chunked?chunk=0');
    for (const target of targets) {
      await Promise.all([...Array(5)].flatMap(() => [ask(`/${target}`), ask(`/comet/${target}`)]));
      await ask(`/${target}`);
    }
    const expected = targets.map((target) => [target.split('?')[0], 1]);
    expect(calls()).toEqual(Object.fromEntries(expected));
    await late.close();
  });

  it.each(['net_info', 'abci_info', 'num_unconfirmed_txs'])(
    '%s is read for each call, once for concurrent calls',
    async (live) => {
      reset();
      let open = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      for (const node of rpc.chain.devnet.nodes) node.faults.gate = gate;
      let arrived = 0;
      const count = (message: unknown): void => {
        if ((message as { request: IncomingMessage }).request.url === `/${live}`) arrived += 1;
      };
      diagnostics.subscribe('http.server.request.start', count);
      const first = [...Array(5)].map(() => rpc.get(`/${live}`));
      await expect.poll(() => [arrived, calls()[live]]).toEqual([5, 1]);
      diagnostics.unsubscribe('http.server.request.start', count);
      // The last request joins the call of the first one in this turn of the event loop.
      await new Promise(setImmediate);
      open();
      await Promise.all(first);
      await rpc.get(`/${live}`);
      expect(calls()).toEqual({ [live]: 2 });
    },
  );

  it('an absent object is read again', async () => {
    reset();
    for (let times = 0; times < 2; times++) {
      expect((await rpc.get('/comet/block_by_hash?hash=0xAB')).json.result).toMatchObject({ block: null });
      expect((await rpc.get('/comet/tx?hash=0xAB')).status).toBe(500);
    }
    expect(calls()).toEqual({ block_by_hash: 2, tx: 2 });
  });

  it('a state query is shared by both dialects and GraphQL: one call', async () => {
    reset();
    const height = rpc.chain.devnet.height;
    const { address } = rpc.chain.accounts[0]!;
    const document = `{ at(height: "${height}") { account(address: "${address}") { balance(denom: "nhash") { amount } } } }`;
    const { body } = await rpc.stack.ask(document);
    expect(body.errors).toBeUndefined();
    const [asked] = rpc.chain.devnet.nodes
      .flatMap(({ counters }) => counters.log)
      .filter((call) => call.method === 'abci_query');
    const before = calls().abci_query;
    const { path, data } = asked!.params as JsonObject;
    const comet = await rpc.call('/comet', 'abci_query', { path, data, height: `${height}`, prove: false });
    const documented = await rpc.call('/', 'abci_query', { path, data: `0x${data}` });
    const [value, shown] = [comet, documented].map(({ json }) => field(json, 'result', 'response', 'value'));
    expect(Buffer.from(String(value), 'base64').toString('hex').toUpperCase()).toBe(shown);
    expect(calls().abci_query).toBe(before);
  });

  it.runIf(runsAll)(
    'the absence of an object at a height is shared as well: one call for both dialects, REST and GraphQL',
    async () => {
      const height = rpc.chain.devnet.height;
      const [path, data] = ['/cosmos.group.v1.Query/Proposal', '08e707'];
      const pinned = { 'x-cosmos-block-height': `${height}` };
      reset();
      for (let time = 1; time <= 2; time += 1) {
        const comet = await rpc.call('/comet', 'abci_query', { path, data, height: `${height}`, prove: false });
        expect(field(comet.json, 'result', 'response')).toMatchObject({
          code: 6,
          log: 'load proposal: not found: unknown request',
          height: `${height}`,
        });
        const documented = await rpc.call('/', 'abci_query', { path, data: `0x${data}`, height: `${height}` });
        expect(field(documented.json, 'result', 'response')).toMatchObject({ code: '6', height: `${height}` });
        expect((await rpc.get('/cosmos/group/v1/proposal/999', pinned)).status).toBe(404);
        expect((await rpc.get('/rest/cosmos/group/v1/proposal/999', pinned)).status).toBe(500);
        const { body } = await rpc.stack.ask(`{ at(height: "${height}") { proposal(id: 999) { id title } } }`);
        expect(body).toMatchObject({ data: { at: { proposal: null } } });
      }
      const asked = rpc.chain.devnet.nodes.flatMap(({ counters }) => counters.log).map(({ params }) => params as JsonObject);
      expect(asked.filter((params) => params.path === path)).toHaveLength(1);
    },
  );

  it('a query without a fixed height is sent each time, whatever height the request specifies', async () => {
    const height = `${rpc.chain.devnet.height}`;
    const none = { code: 0, log: '', info: '', index: '0', key: null, proofOps: null, codespace: '' };
    const paths = [
      '/cosmos.base.tendermint.v1beta1.Service/GetLatestBlock',
      '/cosmos.tx.v1beta1.Service/GetTx',
      '/provenance.flatfees.v1.Query/CalculateTxFees',
      '/provenance.msgfees.v1.Query/CalculateTxFees',
      '/store/group/subspace',
    ];
    for (const path of paths) {
      reset();
      for (const value of ['AQ==', 'Ag==']) {
        for (const { faults } of rpc.chain.devnet.nodes) {
          faults.forge = ({ method }, result) => (method === 'abci_query' ? { response: { ...none, height, value } } : result);
        }
        const answer = await rpc.call('/comet', 'abci_query', { path, data: '', height, prove: false });
        expect(field(answer.json, 'result', 'response', 'value')).toBe(value);
      }
      expect(calls().abci_query).toBe(2);
    }
  });
});

describe('pinning: the newest block is the head', () => {
  it('whichever node responds, at any height', async () => {
    await expect.poll(() => rpc.stack.client.head.stats().isSubscribed).toBe(true);
    const { nodes } = rpc.chain.devnet;
    // From now on, the server receives no blocks, while the nodes continue.
    for (const node of nodes) node.faults.silentSockets = true;
    const height = `${rpc.chain.devnet.height}`;
    await rpc.chain.devnet.commit();
    for (const root of ['/', '/comet']) {
      const [status, info, block, params] = await Promise.all(
        ['status', 'abci_info', 'block', 'consensus_params'].map((method) => rpc.call(root, method)),
      );
      expect(field(status!.json, 'result', 'sync_info', 'latest_block_height')).toBe(height);
      expect(field(status!.json, 'result', 'sync_info', 'latest_block_hash')).toBe(
        field(block!.json, 'result', 'block_id', 'hash'),
      );
      expect(field(info!.json, 'result', 'response', 'last_block_height')).toBe(height);
      expect(field(block!.json, 'result', 'block', 'header', 'height')).toBe(height);
      expect(field(params!.json, 'result', 'block_height')).toBe(`${BigInt(height) + 1n}`);
      const chain = await rpc.call(root, 'blockchain', { minHeight: '1', maxHeight: '9' });
      expect(field(chain.json, 'result', 'last_height')).toBe(height);
    }
    const hash = field((await rpc.get('/abci_info')).json, 'result', 'response', 'last_block_app_hash');
    const results = await rpc.get(`/comet/block_results?height=${height}`);
    expect(
      Buffer.from(String(field(results.json, 'result', 'app_hash')), 'base64')
        .toString('hex')
        .toUpperCase(),
    ).toBe(hash);
  });

  it.runIf(runsAll)('the reported height can be read before the first block event', async () => {
    const [node] = rpc.chain.devnet.nodes;
    node!.faults.silentSockets = true;
    const late = await startStack([node!.url]);
    await late.client.head.ready();
    for (const path of [
      ['status', 'sync_info', 'latest_block_height'],
      ['abci_info', 'response', 'last_block_height'],
    ]) {
      await rpc.chain.devnet.commit();
      const { body } = await send(`${late.server.url}/comet/${path[0]}`);
      const height = field(JSON.parse(body).result, ...path.slice(1));
      expect(Number(height)).toBeGreaterThan(0);
      const block = await send(`${late.server.url}/comet/block?height=${height}`);
      expect([block.status, JSON.parse(block.body).result?.block.header.height]).toEqual([200, height]);
    }
    await late.close();
  });
});

describe('failure', () => {
  it('a node that returns another block or lags behind is not used', async () => {
    while (rpc.chain.devnet.height < 4n) await rpc.commit();
    const late = await startStack(rpc.chain.devnet.nodes.map(({ url }) => url));
    await late.client.head.ready();
    const [first] = rpc.chain.devnet.nodes;
    first!.faults.forge = (call, result) =>
      call.method === 'validators' ? { ...(result as JsonObject), block_height: '1' } : result;
    for (let height = 1; height <= 4; height++) {
      const { status, body } = await send(`${late.server.url}/comet/validators?height=${height}`);
      expect([status, JSON.parse(body).result.block_height]).toEqual([200, `${height}`]);
    }
    await late.close();
  });

  it('nodes that are down: 503 without their addresses; cached results are still returned', async () => {
    const height = rpc.chain.devnet.height;
    await rpc.get(`/block?height=${height}`);
    await rpc.get(`/comet/block?height=${height}`);
    for (const node of rpc.chain.devnet.nodes) await node.stop();
    for (const [target, isComet] of [
      ['/net_info', false],
      ['/comet/net_info', true],
    ] as const) {
      const { status, json, body } = await rpc.get(target);
      const text = isComet ? (json.error as JsonObject).data : json.error;
      expect([status, text]).toEqual([503, expect.stringMatching(/^The (node|connection)/)]);
      if (isComet) expect(json.error).toMatchObject({ code: -32603, message: 'Internal error' });
      expect(body).not.toMatch(/127\.0\.0\.1|localhost|:\d{4,5}/);
    }
    expect((await rpc.call('/comet', 'net_info')).status).toBe(503);
    expect((await rpc.get(`/block?height=${height}`)).status).toBe(200);
    expect((await rpc.get(`/comet/block?height=${height}`)).status).toBe(200);
  });

  it('a node that never responds: 504 at the deadline of the request', async () => {
    const slow = await startStack([rpc.chain.node.url], { server: { limits: { 'request.deadline': 100 } } });
    await slow.client.head.ready();
    rpc.chain.node.faults.answer = (asked) => (asked.some(({ method }) => method === 'net_info') ? 'never' : undefined);
    for (const target of ['/net_info', '/comet/net_info']) expect((await send(`${slow.server.url}${target}`)).status).toBe(504);
    rpc.chain.node.faults.answer = undefined;
    await slow.close();
  });

  it.runIf(runsAll)('a chain that has never responded: 503 in bounded time', async () => {
    const lost = await startStack(['http://127.0.0.1:1']);
    const [root, comet] = await Promise.all([
      send(`${lost.server.url}/block`),
      send(`${lost.server.url}/comet`, { method: 'POST', body: '{"id":1,"method":"block","params":{}}' }),
    ]);
    expect([root!.status, comet!.status]).toEqual([503, 503]);
    await lost.close();
  });

  it('the responses of calls with the same id are in order', async () => {
    const batch = ['health', 'dump_consensus_state', 'health'].map((method) => ({ id: '', method, params: {} }));
    const { body } = await rpc.post('/comet', JSON.stringify(batch));
    const answers = JSON.parse(body) as JsonObject[];
    expect(answers.map(({ id, result }) => [id, Object.keys(result as JsonObject)])).toEqual([
      ['', []],
      ['', ['round_state', 'peers']],
      ['', []],
    ]);
  });

  it('an invalid call of a batch fails alone', async () => {
    const batch = [
      { id: 1, method: 'block', params: { height: '1' } },
      { id: 2, method: 'block', params: { height: 'x' } },
      { id: 3, method: 'nope', params: {} },
    ];
    const { status, body } = await rpc.post('/comet', JSON.stringify(batch));
    const [good, bad, none] = JSON.parse(body) as JsonObject[];
    expect([status, 'result' in good!, bad!.error, none!.error]).toMatchObject([
      200,
      true,
      { code: -32602 },
      { code: -32601, message: 'Method not found' },
    ]);
  });
});
