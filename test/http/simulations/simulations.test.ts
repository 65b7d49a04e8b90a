import { SimulateRequest } from 'cosmjs-types/cosmos/tx/v1beta1/service';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { NodeCall } from '../../../packages/devnet/src/node/faults/faults.ts';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { createSimulationNode, type SimulationNode, type SimulationRules } from '../../../src/chain/simulation/simulations.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { createCalls } from '../../../src/start/primary.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { ways } from './ways.ts';

/** The recorded transaction whose contract loops for ever. */
const loopRow = readRecording('simulations').find(({ name }) => name.startsWith('A8'));
const loop = SimulateRequest.decode(Buffer.from(loopRow?.request.params?.data ?? '', 'hex')).txBytes;

let issuer: TestIssuer;
let chain: TestChain;
let stack: Stack;
let plain: Uint8Array;

beforeAll(async () => {
  issuer = await startIssuer();
  return () => issuer.close();
});

afterEach(async () => {
  for (const node of chain.devnet.nodes) node.heal();
  await stack.close();
  await chain.devnet.close();
});

/** Starts a server over the first nodes of a chain. `own` of its nodes serve simulations alone, over the RPC or REST. */
async function start(rules: SimulationRules = {}, { nodes = 1, own }: { nodes?: number; own?: 'RPC' | 'REST' } = {}) {
  chain = await startChain({ bare: true, nodes: nodes + (own === undefined ? 0 : 1) });
  const last = nodeAt(nodes + (own === undefined ? -1 : 0));
  const url = own === 'REST' ? await last.serveRest() : last.url;
  const node: SimulationNode | undefined =
    own &&
    createSimulationNode({
      ...{ url, timeout: 5_000, connectTimeout: 2_000, maxAnswerBytes: 1_000_000 },
      chainId: () => stack.client.head.current()?.chainId,
    });
  stack = await startStack(
    chain.devnet.nodes.slice(0, nodes).map((each) => each.url),
    {
      upstream: { probeInterval: 100 },
      server: { auth: authenticatorOf(issuer), admin: { host: '127.0.0.1', port: 0 } },
      client: { simulation: { node, ...rules } },
    },
  );
  await stack.client.head.ready();
  const [from, to] = [chain.accounts[8], chain.accounts[9]];
  if (from === undefined || to === undefined) throw new Error('no accounts');
  const send = { fromAddress: from.address, toAddress: to.address, amount: [{ denom: 'nhash', amount: '1' }] };
  plain = chain.sign(from, [any(MsgSendSchema, send)]);
}

function nodeAt(index: number): DevnetNode {
  const node = chain.devnet.nodes[index];
  if (node === undefined) throw new Error('no node');
  return node;
}

const simulates = ({ method, params }: NodeCall): boolean =>
  /simulat|CalculateTxFees|ABCIQuery/i.test(`${method} ${JSON.stringify(params)}`);
/** The simulations that a node received. */
const simulationsAt = (node: DevnetNode): number => node.counters.log.filter(simulates).length;

let subjects = 0;
const tokenOf = (scope: string): Promise<string> => issuer.sign({ scope, sub: `caller ${subjects++}` });

/** Tries every way in, and returns those whose answer does not match. */
async function unlike(scope: string, tx: Uint8Array, expected: RegExp): Promise<readonly string[]> {
  const token = await tokenOf(scope);
  const answers = await Promise.all(
    Object.entries(ways).map(async ([name, way]) => ({ name, ...(await way(stack.server.url, token, tx)) })),
  );
  return answers.filter(({ text }) => !expected.test(text)).map(({ name, text }) => `${name}: ${text.slice(0, 300)}`);
}

/** The development chain describes neither of these, and a real one does: another refusal, before anything is called. */
const undescribed = /must be a Query method that the chain describes|"Not found\."|Not Implemented|the query cannot be live/;
const or = (...texts: readonly RegExp[]): RegExp => new RegExp(texts.map(({ source }) => source).join('|'));

const fees = (tx: Uint8Array): string =>
  `{ calculateTxFees(tx: "0x${Buffer.from(tx).toString('hex')}") { estimatedGas totalFees { denom } } }`;
async function ask(scope: string, query: string) {
  const { body } = await stack.ask(query, {}, { authorization: `Bearer ${await tokenOf(scope)}` });
  return { data: body.data as Record<string, never> | null, code: body.errors?.[0]?.extensions.code, errors: body.errors };
}

describe('without a node for simulations', () => {
  it.runIf(runsAll)('no way in simulates for a token without a scope for it, and no node is called', async () => {
    await start();
    for (const tx of [loop, plain])
      expect(await unlike('read', tx, or(/needs a token with the scope `broadcast` or `simulate`/, undescribed))).toEqual([]);
    expect(simulationsAt(chain.node)).toBe(0);
    expect(chain.node.isHeld).toBe(false);
  });

  it.runIf(runsAll)('no way in executes a contract, whatever the scopes', async () => {
    await start();
    expect(await unlike('read broadcast simulate', loop, or(/executes a contract/, undescribed))).toEqual([]);
    expect(simulationsAt(chain.node)).toBe(0);
    const { errors } = await ask('read simulate', fees(loop));
    expect(errors?.[0]?.extensions).toEqual({
      code: 'SIMULATION_DISABLED',
      reason: 'CONTRACT',
      type: 'cosmwasm.wasm.v1.MsgExecuteContract',
    });
  });

  it.each(some(['read broadcast', 'read simulate'], 2))(
    'every way in simulates a plain transaction for a token with %s',
    async (scope) => {
      // All of them wait for one another.
      await start({ deadline: 30_000 });
      // The development chain serves neither the former query service nor the nested query.
      const answered = /estimatedGas|estimated_gas|gas_info|"code": ?"?0|"code":6|unknown query path|"value":"[A-Za-z0-9+/]{8}/;
      expect(await unlike(scope, plain, or(answered, undescribed))).toEqual([]);
      expect(simulationsAt(chain.node)).toBeGreaterThan(20);
      const { data } = await ask(scope, fees(plain));
      expect(data?.calculateTxFees).toEqual({ estimatedGas: expect.stringMatching(/^\d+$/), totalFees: [{ denom: 'nhash' }] });
    },
  );

  it('the limits are the given ones, and the message says which node simulates more', async () => {
    await start({ bytes: 100 });
    const { code, errors } = await ask('read simulate', fees(plain));
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('--simulation-node'),
      extensions: { reason: 'TOO_LARGE', max: 100 },
    });
    expect(code).toBe('SIMULATION_DISABLED');
  });

  it('the paths of other services are refused, and those of reads are not', async () => {
    await start();
    const path = (name: string) => ask('read broadcast simulate', `{ abciQuery(path: "${name}", data: "") { code log } }`);
    for (const name of ['/cosmos.tx.v1beta1.Service/Later', '/some.other.v1.Service/Run', '/cosmos.bank.v1beta1.Msg/Send'])
      expect((await path(name)).errors?.[0]?.extensions).toEqual({ code: 'SIMULATION_DISABLED', reason: 'PATH' });
    for (const name of ['/cosmos.bank.v1beta1.Query/Params', '/no.such.Query/Method', '/cosmos.tx.v1beta1.Service/GetTx'])
      expect((await path(name)).code).toBeUndefined();
  });

  it('the processes of one machine have one door', async () => {
    await start();
    const params = { path: '/app/simulate', data: Buffer.from(plain).toString('hex'), height: '0', prove: false };
    const call = createCalls(stack.client);
    const asked = { method: 'abci_query', params, height: undefined, node: undefined };
    const { signal } = new AbortController();
    // Equal calls of several workers are joined, but not with those of callers with other rights.
    const [refused, answer] = await Promise.allSettled([
      call({ ...asked, maySimulate: undefined }, signal),
      call({ ...asked, maySimulate: true }, signal),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'SIMULATION_DISABLED' } });
    expect(answer).toMatchObject({ status: 'fulfilled', value: { response: { code: 0 } } });
    await expect(call({ ...asked, node: 'node-1', maySimulate: true }, signal)).rejects.toMatchObject({
      code: 'SIMULATION_DISABLED',
    });
  });
});

/** Reads state, blocks and probes as others do while simulations hang. Fails if any of them takes over five seconds: a simulation holds a real node until it is killed. */
async function othersRead(): Promise<void> {
  const height = await chain.devnet.commit();
  await stack.client.head.waitFor(height, { milliseconds: 5_000 });
  const startedAt = performance.now();
  const { data } = await ask(
    'read',
    `{ head { height } groups { nodes { id } } block(height: "${height}") { header { height } } }`,
  );
  expect(data?.head).toEqual({ height: `${height}` });
  expect((await fetch(`${stack.server.url}/livez`)).status).toBe(200);
  expect((await fetch(`${stack.server.adminUrl}/readyz`)).status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
}

describe('every way in with a node for simulations', () => {
  const owners = [
    ['RPC', 0],
    ['RPC', 1],
    ['REST', 0],
    ['REST', 1],
  ] as const;
  it.each(some(owners, 6))('simulates there for everybody, over %s, while node %i is a block behind', async (own, lagging) => {
    await start({ deadline: 30_000 }, { own });
    const answered = /estimatedGas|estimated_gas|gas_info|"code": ?"?0|"code":6|unknown query path|"value":"[A-Za-z0-9+/]{8}/;
    // The node for simulations is a block behind the server, or ahead of it.
    nodeAt(lagging).freeze();
    const height = await chain.devnet.commit();
    if (lagging === 1) await stack.client.head.waitFor(height, { milliseconds: 5_000 });
    // REST has no route for raw queries of the application.
    const overRpcOnly = /over RPC only/;
    const unserved = await unlike('read', plain, or(answered, undescribed, ...(own === 'REST' ? [overRpcOnly] : [])));
    expect(unserved).toEqual([]);
    expect(simulationsAt(nodeAt(0))).toBe(0);
    expect(simulationsAt(nodeAt(1))).toBeGreaterThan(20);
  });

  it.runIf(runsAll)('lets one transaction that never ends pass, and no other node is called', async () => {
    await start({ deadline: 300 }, { own: 'RPC' });
    expect(
      await unlike(
        'read',
        loop,
        // Some wait for the node exactly as long as the first one may take.
        or(/did not respond within 300 ms|simulation-node did not end one and is left alone|are busy with other/, undescribed),
      ),
    ).toEqual([]);
    expect([simulationsAt(nodeAt(0)), simulationsAt(nodeAt(1))]).toEqual([0, 1]);
    await othersRead();
  });
});

it('a plain transaction goes to another node while the node for simulations is down', async () => {
  await start({}, { own: 'RPC' });
  await nodeAt(1).stop();
  expect((await ask('read', fees(plain))).code).toBe('NODE_UNREACHABLE');
  expect(simulationsAt(nodeAt(0))).toBe(0);
  expect((await ask('read simulate', fees(plain))).code).toBeUndefined();
  expect(simulationsAt(nodeAt(0))).toBe(1);
});

describe.each(some(['RPC', 'REST'] as const, 2))('with a node for simulations, over %s', (own) => {
  it('it simulates contracts for everybody, and nothing of it reaches the other nodes', async () => {
    await start({}, { own });
    const { data } = await ask('read', fees(plain));
    expect(data?.calculateTxFees).toEqual({ estimatedGas: expect.stringMatching(/^\d+$/), totalFees: [{ denom: 'nhash' }] });
    expect(simulationsAt(nodeAt(0))).toBe(0);
    expect(simulationsAt(nodeAt(1))).toBe(1);
    const refused = await ask('read', '{ calculateTxFees(tx: "0x0011") { estimatedGas } }');
    expect(refused.code).toBe('ABCI_QUERY_FAILED');
  });

  it.runIf(runsAll)('one that never ends: blocks and the reads of others go on, the node is left alone and named', async () => {
    const hung: string[] = [];
    await start({ deadline: 300, pause: 60_000, onHang: (alias) => hung.push(alias) }, { own });
    const looping = ask('read', fees(loop));
    const before = nodeAt(1).height;
    await vi.waitFor(() => expect(simulationsAt(nodeAt(1))).toBe(1), { interval: 2 });
    // Another one waits for it.
    const waiting = ask('read', fees(plain));
    await othersRead();
    expect(await looping).toMatchObject({ code: 'NODE_TIMEOUT', errors: [{ extensions: { milliseconds: 300 } }] });
    expect(await waiting).toMatchObject({ code: 'NODE_UNREACHABLE', errors: [{ extensions: { sent: false } }] });
    await othersRead();
    expect(nodeAt(1).isHeld).toBe(own === 'RPC');
    expect(nodeAt(1).height > before).toBe(own === 'REST');
    expect(hung).toEqual(['simulation-node']);
    // It is not called again, and a plain transaction goes to another node.
    const { code, errors } = await ask('read', fees(loop));
    expect(code).toBe('NODE_UNREACHABLE');
    expect(errors?.[0]?.message).toContain('simulation-node did not end one and is left alone');
    expect(simulationsAt(nodeAt(1))).toBe(1);
    expect((await ask('read simulate', fees(plain))).code).toBeUndefined();
    expect(simulationsAt(nodeAt(0))).toBe(1);
    const metrics = await (await fetch(`${stack.server.adminUrl}/metrics`)).text();
    expect(metrics).toContain('stele_simulation_paused{node="simulation-node"} 1');
    expect(metrics).toContain('stele_simulations_total{outcome="TIMEOUT"} 1');
    expect(metrics).not.toContain(new URL(nodeAt(1).url).host);
  });

  it('a caller that leaves does not free the node: nothing ends a simulation', async () => {
    await start({ deadline: 300 }, { own });
    const leaving = new AbortController();
    const body = JSON.stringify({ query: fees(loop) });
    const headers = { authorization: `Bearer ${await tokenOf('read')}`, 'content-type': 'application/json' };
    const left = fetch(`${stack.server.url}/graphql`, { method: 'POST', headers, body, signal: leaving.signal });
    await vi.waitFor(() => expect(simulationsAt(nodeAt(1))).toBe(1), { interval: 2 });
    leaving.abort();
    await expect(left).rejects.toThrow();
    expect((await ask('read', fees(loop))).code).toBe('NODE_UNREACHABLE');
    expect(simulationsAt(nodeAt(1))).toBe(1);
  });

  it('a node of another chain is not used', async () => {
    await start({}, { own });
    nodeAt(1).faults.chainId = 'another';
    const { code, errors } = await ask('read', fees(plain));
    expect(code).toBe('NODE_INVALID_RESPONSE');
    expect(errors?.[0]?.message).toContain('simulation-node belongs to another chain');
    expect(simulationsAt(nodeAt(1))).toBe(0);
  });
});

describe('a node that also serves reads', () => {
  it('is left alone and serves no reads after a simulation that does not end, if there is another', async () => {
    await start({ deadline: 200 }, { nodes: 2 });
    for (const node of chain.devnet.nodes) node.faults.endlessSimulations = true;
    expect((await ask('read simulate', fees(plain))).code).toBe('NODE_TIMEOUT');
    const held = chain.devnet.nodes.findIndex(({ isHeld }) => isHeld);
    nodeAt(1 - held).faults.endlessSimulations = false;
    const { data } = await ask('read', '{ nodes { alias health lastError } }');
    expect(data?.nodes).toContainEqual({ alias: `node-${held + 1}`, health: 'EJECTED', lastError: 'NODE_TIMEOUT' });
    await othersRead();
    expect((await ask('read simulate', fees(plain))).code).toBeUndefined();
  });

  it.runIf(runsAll)('spends a share of its time on simulations', async () => {
    await start({ share: 10 });
    let last = 0;
    const gaps: number[] = [];
    chain.node.onCall = async (call) => {
      if (!simulates(call)) return;
      const now = performance.now();
      if (last > 0) gaps.push(now - last);
      await chain.devnet.commit();
      last = performance.now();
      durations.push(last - now);
    };
    const durations: number[] = [];
    await Promise.all([1, 2, 3].map(() => ask('read simulate', fees(plain))));
    expect(gaps).toHaveLength(2);
    for (const [index, gap] of gaps.entries()) expect(gap).toBeGreaterThan(8 * (durations[index] ?? 0));
  });

  it.runIf(runsAll)('simulates one transaction at a time', async () => {
    await start();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    chain.node.onCall = (call) => (simulates(call) ? gate : undefined);
    const all = [1, 2, 3].map(() => ask('read simulate', fees(plain)));
    await vi.waitFor(() => expect(simulationsAt(chain.node)).toBe(1), { interval: 2 });
    await othersRead();
    expect(simulationsAt(chain.node)).toBe(1);
    open();
    for (const { code } of await Promise.all(all)) expect(code).toBeUndefined();
    expect(simulationsAt(chain.node)).toBe(3);
  });
});

describe('a chain on which nobody else depends', () => {
  it('simulates everything for everybody', async () => {
    await start({ everywhere: true, deadline: 300 });
    expect((await ask('read', fees(plain))).code).toBeUndefined();
    expect((await ask('read', fees(loop))).code).toBe('NODE_TIMEOUT');
    expect(chain.node.isHeld).toBe(true);
  });
});
