import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DevnetNode } from '../../../../packages/devnet/src/node/node.ts';
import { type Client, createClient } from '../../../../src/chain/client.ts';
import { decodeAbciReply } from '../../../../src/chain/rpc/rpcErrors.ts';
import { type FallbackTransport, fallback } from '../../../../src/chain/transports/fallback.ts';
import { http } from '../../../../src/chain/transports/http.ts';
import { type AnswerEvidence, comparedText, isCompared } from '../../../../src/chain/transports/quorum.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/chain/wire/json.ts';
import { QueryTotalSupplyRequestSchema } from '../../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { createCalls } from '../../../../src/start/primary.ts';
import { createLinkedTransport, type PrimaryLink } from '../../../../src/start/worker.ts';
import { startChain, type TestChain } from '../../../support/chain.ts';
import { asIs, code } from '../fallback/fallbackSetup.ts';

const supplyPath = '/cosmos.bank.v1beta1.Query/TotalSupply';
const supplyRequest = toBinary(QueryTotalSupplyRequestSchema, create(QueryTotalSupplyRequestSchema));

let chain: TestChain;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  chain = await startChain({ nodes: 3 });
  for (let block = 0; block < 5; block += 1) await chain.devnet.commit();
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  for (const node of chain.devnet.nodes) {
    node.heal();
    node.counters.reset();
  }
});

afterAll(() => chain.devnet.close());

/** A transport over nodes of the chain, and the evidence that it has reported. */
function over(quorum: number, nodes: readonly DevnetNode[] = chain.devnet.nodes) {
  const evidence: AnswerEvidence[] = [];
  const transport = fallback(
    nodes.map(({ url }) => http(url)),
    { quorum, probeInterval: 60_000, onEvidence: (one) => evidence.push(one) },
  );
  closing.push(() => transport.close());
  return { transport, evidence };
}

/** Makes a node replace every text in the results of a method. */
function lie(node: DevnetNode | undefined, of: string, from: string, to: string): void {
  node!.faults.forge = ({ method }, result) =>
    method === of ? (JSON.parse(JSON.stringify(result).replaceAll(from, to)) as JsonValue) : result;
}

/** Makes a node answer queries with this value. */
function lieInQueries(node: DevnetNode | undefined, value: string): void {
  node!.faults.forge = ({ method }, result) => {
    if (method !== 'abci_query' || !isJsonObject(result) || !isJsonObject(result.response)) return result;
    return { response: { ...result.response, value } };
  };
}

const results = (transport: FallbackTransport, height = 4n): Promise<JsonValue> =>
  transport.call('block_results', { height: height.toString() }, { height, decode: asIs });

function supply(transport: FallbackTransport, height = 4n): Promise<string> {
  const params = {
    path: supplyPath,
    data: Buffer.from(supplyRequest).toString('hex'),
    height: height.toString(),
    prove: false,
  };
  const decode = (result: JsonValue) => Buffer.from(decodeAbciReply(result, height).value ?? []).toString('base64');
  return transport.call('abci_query', params, { height, decode });
}

/** How often each node was called with a method. */
const calls = (method: string): number[] => chain.devnet.nodes.map(({ counters }) => counters.byMethod[method] ?? 0);

const healths = (transport: FallbackTransport): string[] => transport.nodes().map(({ health }) => health);

describe('a quorum of two of three nodes', () => {
  it('asks two nodes and no third, and gives what both gave', async () => {
    const { transport, evidence } = over(2);
    const alone = await http(chain.node.url).call('block_results', { height: '4' }, { decode: asIs });
    for (const { counters } of chain.devnet.nodes) counters.reset();
    expect(await results(transport)).toEqual(alone);
    expect(calls('block_results').toSorted()).toEqual([0, 1, 1]);
    expect(transport.quorums()).toEqual({ AGREED: 1, OUTVOTED: 0, UNDECIDED: 0, TOO_FEW: 0 });
    expect(evidence).toEqual([]);
  });

  it('outvotes a node that lies in block results, puts it aside and reports both answers', async () => {
    const truth = await results(over(1).transport);
    const [liar] = chain.devnet.nodes;
    lie(liar, 'block_results', '"mode"', '"mood"');
    const { transport, evidence } = over(2);
    expect(await results(transport)).toEqual(truth);
    expect(calls('block_results').at(-1)).toBe(1);
    expect(healths(transport)).toEqual(['EJECTED', 'HEALTHY', 'HEALTHY']);
    expect(transport.nodes().map(({ differences }) => differences)).toEqual([1, 0, 0]);
    expect(transport.quorums().OUTVOTED).toBe(1);
    expect(evidence).toMatchObject([
      { kind: 'OUTVOTED', nodes: ['node-1'], method: 'block_results', height: 4n, params: { height: '4' } },
    ]);
    expect(JSON.stringify(evidence[0]!.received)).toContain('mood');
    expect(evidence[0]!.other).toEqual({ nodes: ['node-2', 'node-3'], received: truth });
    // The liar is not asked while it is put aside.
    liar!.counters.reset();
    await results(transport, 3n);
    expect(liar!.counters.byMethod.block_results).toBeUndefined();
  });

  it('outvotes a node that lies in a computed query, at a height that stays the same', async () => {
    const truth = await supply(over(1).transport);
    const { transport, evidence } = over(2);
    await chain.devnet.commit();
    lieInQueries(chain.devnet.nodes[1], 'AAAA');
    expect(await supply(transport)).toBe(truth);
    expect(evidence).toMatchObject([
      { kind: 'OUTVOTED', nodes: ['node-2'], height: 4n, params: { path: supplyPath, height: '4' } },
    ]);
  });

  it('outvotes a node that refuses what others answer', async () => {
    const truth = await supply(over(1).transport);
    const { transport, evidence } = over(2);
    chain.devnet.nodes[0]!.faults.call = ({ method }) =>
      method === 'abci_query' ? { abci: { code: 22, codespace: 'sdk', log: 'not found' } } : undefined;
    expect(await supply(transport)).toBe(truth);
    expect(evidence).toMatchObject([{ nodes: ['node-1'] }]);
  });

  it('refuses what two nodes refuse', async () => {
    const { transport } = over(2);
    for (const node of chain.devnet.nodes.slice(0, 2))
      node.faults.call = ({ method }) =>
        // The text of a refusal is not compared.
        method === 'abci_query' ? { abci: { code: 22, codespace: 'sdk', log: `not found ${node.url}` } } : undefined;
    expect(await code(supply(transport))).toBe('ABCI_QUERY_FAILED');
    expect(transport.quorums().AGREED).toBe(1);
  });

  it('counts a node that finds something else in its index, and does not put it aside', async () => {
    const { transport, evidence } = over(2);
    const search = { query: 'tx.height = 1', prove: false, page: '1', per_page: '1' };
    lie(chain.devnet.nodes[0], 'tx_search', '"total_count":"0"', '"total_count":"7"');
    const found = await transport.call('tx_search', search, { height: 4n, decode: asIs });
    expect(found).toMatchObject({ total_count: '0' });
    expect(transport.nodes().map(({ differences }) => differences)).toEqual([1, 0, 0]);
    expect(healths(transport)).toEqual(['HEALTHY', 'HEALTHY', 'HEALTHY']);
    expect(evidence).toEqual([]);
  });

  it('waits for a node that does not have the block yet', async () => {
    const { transport } = over(2, chain.devnet.nodes.slice(0, 2));
    await transport.handles();
    chain.devnet.nodes[1]!.lag(1);
    const height = await chain.devnet.commit();
    await transport.call('status', {}, { decode: asIs });
    const late = results(transport, height);
    await expect.poll(() => calls('block_results')[1], { interval: 1 }).toBeGreaterThan(0);
    chain.devnet.nodes[1]!.heal();
    expect(await late).toMatchObject({ height: height.toString() });
  });

  it('is not asked for a proof, for a simulation or for the state of a node', async () => {
    const { transport } = over(2);
    await transport.handles();
    for (const { counters } of chain.devnet.nodes) counters.reset();
    await transport.call(
      'abci_query',
      { path: '/store/bank/key', data: '00', height: '4', prove: true },
      { height: 4n, decode: asIs },
    );
    await transport.call('num_unconfirmed_txs', {}, { decode: asIs });
    await transport.call('abci_query', { path: '/app/simulate', data: '', height: '0', prove: false }, { decode: asIs });
    expect(calls('abci_query').reduce((sum, count) => sum + count)).toBe(2);
    expect(calls('num_unconfirmed_txs').reduce((sum, count) => sum + count)).toBe(1);
    expect(transport.quorums().AGREED).toBe(0);
  });
});

describe('a quorum that is not reached', () => {
  it('is NODE_INCONSISTENT with the height, and evidence against neither node', async () => {
    const { transport, evidence } = over(2, chain.devnet.nodes.slice(0, 2));
    lie(chain.devnet.nodes[0], 'block_results', '"mode"', '"mood"');
    await expect(results(transport)).rejects.toMatchObject({ code: 'NODE_INCONSISTENT', facts: { height: 4n } });
    expect(healths(transport)).toEqual(['HEALTHY', 'HEALTHY']);
    expect(transport.quorums().UNDECIDED).toBe(1);
    expect(evidence).toMatchObject([{ kind: 'UNDECIDED', nodes: ['node-2'], other: { nodes: ['node-1'] } }]);
  });

  it('is NODE_UNREACHABLE with both numbers if too few nodes answer', async () => {
    const { transport } = over(3);
    await transport.handles();
    for (const node of chain.devnet.nodes.slice(1)) node.faults.answer = 'reset';
    await expect(results(transport)).rejects.toMatchObject({
      code: 'NODE_UNREACHABLE',
      facts: { quorum: 3, available: 1 },
      message: '3 nodes must give the same answer, and only 1 had one.',
    });
    expect(transport.quorums().TOO_FEW).toBe(1);
  });

  it('fails for a worker as well, which gets the answer of neither node', async () => {
    const { transport } = over(2, chain.devnet.nodes.slice(0, 2));
    const client = createClient({ transport, learnsRoots: false });
    closing.push(() => client.close());
    await client.head.ready();
    lieInQueries(chain.devnet.nodes[1], 'AAAA');
    const params = { path: supplyPath, data: '', height: '4', prove: false };
    const args = { method: 'abci_query', params, height: 4n, node: undefined, maySimulate: undefined };
    expect(await code(createCalls(client)(args, AbortSignal.timeout(10_000)))).toBe('NODE_INCONSISTENT');
  });

  it('of a request to a worker is asked for by the primary', async () => {
    const { transport } = over(1);
    const primary = createClient({ transport, learnsRoots: false });
    closing.push(() => primary.close());
    const { height } = await primary.head.ready();
    const run = createCalls(primary);
    const nothing = (): (() => undefined) => () => undefined;
    const link: PrimaryLink = {
      ask: (name, args) =>
        Reflect.apply(name === 'call' ? run : nothing, undefined, [structuredClone(args), new AbortController().signal]),
      on: nothing,
      tell: nothing,
      isOpen: () => true,
    };
    const linked = createLinkedTransport(link);
    const worker = createClient({ transport: linked, head: primary.head, learnsRoots: false });
    for (const { counters } of chain.devnet.nodes) counters.reset();
    await worker.at(height).query(supplyPath, supplyRequest);
    expect(calls('abci_query').toSorted()).toEqual([0, 0, 1]);
    let believed = 0;
    const agreed = worker.withQuorum(3, () => {
      believed += 1;
    });
    await agreed.at(height).query(supplyPath, supplyRequest);
    expect(calls('abci_query').toSorted()).toEqual([1, 1, 2]);
    await agreed.call('block_results', { height: '2' }, { height: 2n });
    expect(calls('block_results')).toEqual([1, 1, 1]);
    expect(believed).toBe(0);
    await agreed.call('num_unconfirmed_txs');
    expect(believed).toBe(1);
  });

  it('of one call is that of the call: more nodes than the default', async () => {
    const { transport } = over(1);
    lie(chain.devnet.nodes[0], 'block_results', '"mode"', '"mood"');
    const height = 4n;
    const three = transport.call('block_results', { height: '4' }, { height, quorum: 3, decode: asIs });
    expect(await code(three)).toBe('NODE_INCONSISTENT');
    expect(calls('block_results')).toEqual([1, 1, 1]);
  });
});

describe('the events of a block', () => {
  let client: Client;

  async function follow(quorum: number) {
    const { transport, evidence } = over(quorum);
    client = createClient({ transport, learnsRoots: false });
    closing.push(() => client.close());
    await client.head.ready();
    await expect.poll(() => client.head.stats().isSubscribed, { interval: 2 }).toBe(true);
    return { transport, evidence };
  }

  /** The newest block of the log once it has this height. */
  async function blockOf(height: bigint) {
    for await (const block of client.blocks.from(height - 1n)) return block;
    throw new Error('no block');
  }

  it('are those that two nodes have, if the node of the subscription lies in them', async () => {
    const { transport, evidence } = await follow(2);
    const liar = chain.devnet.nodes.find(({ sockets }) => sockets > 0);
    liar!.faults.forgeBlock = (block) => ({
      ...block,
      result: {
        ...block.result,
        events: [{ type: 'forged', attributes: [{ key: 'amount', value: '1', index: true }] }],
      },
    });
    const height = await chain.devnet.commit();
    const { events } = await blockOf(height);
    expect(events.length).toBeGreaterThan(0);
    expect(events.map(({ type }) => type)).not.toContain('forged');
    expect(transport.nodes().filter(({ health }) => health === 'EJECTED')).toHaveLength(1);
    expect(evidence).toMatchObject([{ kind: 'OUTVOTED', method: 'block_results', height }]);
    expect(JSON.stringify(evidence[0]!.received)).toContain('forged');
  });

  it('cost one call for each further node and block, and are equal to the results by height', async () => {
    const { evidence } = await follow(2);
    for (const { counters } of chain.devnet.nodes) counters.reset();
    for (let block = 0; block < 3; block += 1) await client.head.waitFor(await chain.devnet.commit(), { milliseconds: 10_000 });
    expect(calls('block_results').reduce((sum, count) => sum + count)).toBe(3);
    expect(evidence).toEqual([]);
  });
});

describe('what is compared', () => {
  const event = (index: boolean, value = '0') => ({ type: 'a', attributes: [{ key: 'k', value, index }] });
  const resultsWith = (...events: readonly JsonObject[]): JsonObject => ({
    height: '4',
    txs_results: [{ code: 0, data: null, log: 'a', info: 'b', gas_used: '5', events: [...events], codespace: '' }],
    finalize_block_events: null,
  });
  const textOf = (result: JsonObject): string => comparedText('block_results', result);

  it('leaves out texts of logs, the flag of the index and members without a value', () => {
    const same: JsonObject = {
      finalize_block_events: [],
      txs_results: [{ code: 0, log: 'other', gas_used: '5', gas_wanted: '0', events: [event(false)] }],
      height: '4',
    };
    expect(textOf(same)).toBe(textOf(resultsWith(event(true))));
  });

  it.each<[string, JsonObject]>([
    ['an attribute', resultsWith(event(true, '1'))],
    ['an attribute without a value', resultsWith(event(true, ''))],
    ['one event more', resultsWith(event(true), event(true))],
    ['no event', resultsWith()],
  ])('differs by %s', (_, other) => {
    expect(textOf(other)).not.toBe(textOf(resultsWith(event(true))));
  });

  it.each<[string, JsonObject, bigint | undefined, boolean]>([
    ['abci_query', { path: '/a.Query/B', height: '4', prove: false }, 4n, true],
    ['abci_query', { path: '/a.Query/B', height: '4', prove: true }, 4n, false],
    ['abci_query', { path: '/cosmos.tx.v1beta1.Service/Simulate', height: '4' }, 4n, false],
    ['abci_query', { path: '/store/bank/subspace', height: '4' }, 4n, false],
    ['abci_query', { path: '/a.Query/B', height: '0' }, undefined, false],
    ['tx', { hash: 'AA==' }, undefined, true],
    ['status', {}, undefined, false],
    ['broadcast_tx_sync', {}, undefined, false],
  ])('%s %j at %s: %s', (method, params, height, expected) => {
    expect(isCompared(method, params, height)).toBe(expected);
  });
});
