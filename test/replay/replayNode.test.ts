import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { type QueryRow, type RpcRow, readRecording } from '../recordings/recordings.ts';
import { runsAll, some } from '../support/atRandom.ts';
import { createReplayNode, type ReplayNode } from './replayNode.ts';

async function post(node: ReplayNode, body: JsonValue): Promise<{ status: number; body: JsonValue }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(node.url, { method: 'POST', body: text });
  const answer = await response.text();
  return { status: response.status, body: answer === '' ? '' : JSON.parse(answer) };
}

async function ask(node: ReplayNode, method: string, params: JsonObject): Promise<JsonObject> {
  return (await post(node, { jsonrpc: '2.0', id: 1, method, params })).body as JsonObject;
}

async function askRow(node: ReplayNode, { path, request, height, prove }: QueryRow): Promise<JsonValue | undefined> {
  const { result } = await ask(node, 'abci_query', { path, data: request, height, prove });
  return (result as JsonObject | undefined)?.response;
}

// 571 is the height of the row that requests the newest height.
const node = await createReplayNode({ head: 571n });
const atRpcHead = await createReplayNode({ head: 1105n });
const pruned = await createReplayNode({ head: 1342n, earliestState: 1332n });
afterAll(() => Promise.all([node.close(), atRpcHead.close(), pruned.close()]));

describe('abci_query', () => {
  const queries = readRecording('queries');
  const pages = queries.filter(
    ({ requestJson, path }) => path.startsWith('/cosmos.group.') && requestJson.pagination !== undefined,
  );

  it.each(pages.map((row) => [row.name, row] as const))('cuts the page of "%s" from the whole list', async (_, row) => {
    expect(await askRow(node, row)).toEqual(row.response);
  });

  it('returns every recorded response', async () => {
    for (const row of some(queries, 3)) expect(await askRow(node, row), row.name).toEqual(row.response);
    expect(node.unrecorded).toEqual([]);
  });

  it('returns a row only at its own height, and records requests without a row', async () => {
    const { error } = await ask(node, 'abci_query', { path: '/cosmos.group.v1.Query/Proposal', data: '0803', height: '59' });
    const what = '/cosmos.group.v1.Query/Proposal {"proposalId":"3"} @59';
    expect(error).toEqual({ code: -32603, message: 'Internal error', data: `not recorded: ${what}` });
    expect(node.unrecorded).toEqual([what]);
  });

  it('reads the newest height by default', async () => {
    await using early = await createReplayNode({ head: 26n });
    const row = queries.find(({ name }) => name === 'Proposal Pay dave @26')!;
    expect(await askRow(early, { ...row, height: '0' })).toEqual(row.response);
    expect(await askRow(early, { ...row, height: '58' })).toMatchObject({ code: 26, height: '0' });
  });
});

describe('JSON-RPC', () => {
  /** Rows that the replay node does not return, with the reason. */
  const skipped: readonly [RegExp, string][] = [
    [/^(check_tx|broadcast_)/, 'they change the node, so that the response is not repeatable'],
    [/while pending$/, 'the mempool changes'],
    [/^empty body$/, 'an HTML page'],
    [/^(batch with junk|broken json)$/, "an error text of Go's decoder"],
    [/^body too large$/, 'the body was not recorded: tested below'],
  ];
  const rows = readRecording('rpc').filter(({ via, name }) => via === 'POST /' && !skipped.some(([which]) => which.test(name)));

  it.each(some(rows, 6).map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const { status, body } = await post(atRpcHead, row.request ?? '');
    expect({ status, body }).toEqual({ status: row.status, body: row.response });
  });

  it('refuses a body that is too large like the node', async () => {
    const row = readRecording('rpc').find(({ name }) => name === 'body too large') as RpcRow;
    expect(await post(atRpcHead, ' '.repeat(1_000_100))).toEqual({ status: row.status, body: row.response });
  });

  it.runIf(runsAll)('has the results and the commit of every block in chain.json', async () => {
    for (const { height, block, block_results } of readRecording('chain')) {
      expect((await ask(node, 'block', { height })).result).toEqual(block);
      expect((await ask(node, 'block_results', { height })).result).toEqual(block_results);
      const { result } = await ask(node, 'header_by_hash', { hash: block.block_id.hash });
      expect(result).toEqual({ header: block.block.header });
    }
  });

  it('reports the configured head', async () => {
    const { result } = await ask(node, 'status', {});
    expect(result).toMatchObject({ sync_info: { latest_block_height: '571' }, node_info: { network: 'testing' } });
    const { error } = await ask(node, 'block', { height: '572' });
    expect(error).toMatchObject({ data: 'height 572 must be less than or equal to the current blockchain height 571' });
  });

  it('records calls and batches', async () => {
    node.reset();
    await post(node, [
      { jsonrpc: '2.0', id: 1, method: 'health', params: {} },
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'abci_query',
        params: { path: '/cosmos.group.v1.Query/TallyResult', data: '0803', height: '58' },
      },
    ]);
    await ask(node, 'health', {});
    expect(node.batches).toEqual([2, 1]);
    expect(node.calls.map(({ method, path, request, height }) => [method, path, request, height])).toEqual([
      ['health', undefined, undefined, undefined],
      ['abci_query', '/cosmos.group.v1.Query/TallyResult', { proposalId: '3' }, 58n],
      ['health', undefined, undefined, undefined],
    ]);
    node.reset();
    expect([node.calls, node.batches]).toEqual([[], []]);
  });
});

describe('a pruned node', () => {
  const rows = readRecording('pruned').filter(
    ({ via, name }) =>
      via === 'POST /' && !/^(status|query before|blockchain|commit|validators|consensus_params|block_by_hash)/.test(name),
  );

  it.each(some(rows, 6).map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const { status, body } = await post(pruned, row.request ?? '');
    expect({ status, body }).toEqual({ status: row.status, body: row.response });
  });
});

describe('the socket', () => {
  it('confirms a subscription, and sends a recorded event on request', async () => {
    await using early = await createReplayNode({ head: 26n });
    const socket = new WebSocket(`${early.url.replace('http', 'ws')}/websocket`);
    const frames: JsonObject[] = [];
    socket.on('message', (data) => frames.push(JSON.parse(String(data))));
    const next = async (): Promise<JsonObject> => {
      while (frames.length === 0) await once(socket, 'message');
      return frames.shift()!;
    };
    await once(socket, 'open');
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'subscribe', params: { query: "tm.event='NewBlock'" } }));
    await early.subscribed();
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
    early.emitNewBlock(27n);
    expect(await next()).toMatchObject({
      id: 7,
      result: {
        query: "tm.event='NewBlock'",
        data: { type: 'tendermint/event/NewBlock', value: { block: { header: { height: '27' } } } },
      },
    });
    expect(early.head).toBe(27n);
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 8, method: 'subscribe', params: { query: "tm.event='NewBlock'" } }));
    expect(await next()).toMatchObject({ id: 8, error: { data: 'already subscribed' } });
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'health', params: {} }));
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 'x', result: {} });
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'unsubscribe', params: { query: "tm.event='NewBlock'" } }));
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 9, result: {} });
    socket.close();
  });
});
