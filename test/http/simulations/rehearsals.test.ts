import type { Any } from '@bufbuild/protobuf/wkt';
import { afterEach, describe, expect, it } from 'vitest';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { createSimulationNode, type SimulationNode } from '../../../src/chain/simulation/simulations.ts';
import { MsgMultiSendSchema, MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgExecuteContractSchema } from '../../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import { runsAll, sizeOf } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, proposal, submitProposal, type TestGroup } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
let a: WalletAccount;

afterEach(async () => {
  for (const node of chain.devnet.nodes) node.heal();
  await stack.close();
  await chain.devnet.close();
});

interface Options {
  readonly own?: boolean;
  readonly contracts?: boolean;
  readonly perMinute?: number;
  /** The deadline of a simulation, in ms. */
  readonly deadline?: number;
}

/** Starts a server over one node, and with `own` a second node for simulations alone. */
async function start({ own = true, contracts = false, perMinute = 60, deadline = 300 }: Options = {}): Promise<void> {
  chain = await startChain({ nodes: own ? 2 : 1 });
  const node: SimulationNode | undefined = own
    ? createSimulationNode({
        ...{ url: nodeAt(1).url, timeout: 5_000, connectTimeout: 2_000, maxAnswerBytes: 10_000_000 },
        chainId: () => stack.client.head.current()?.chainId,
      })
    : undefined;
  stack = await startStack([nodeAt(0).url], {
    client: { simulation: { node, deadline }, rehearsesContracts: contracts },
    server: { limits: { 'rehearsal.perMinute': perMinute } },
  });
  const [one, other] = chain.accounts.slice(5) as [WalletAccount, WalletAccount];
  a = one;
  group = await createGroup(chain, [
    [one, '1'],
    [other, '1'],
  ]);
  await chain.run(a, send(a.address, group.policy, '10000'));
}

function nodeAt(index: number): DevnetNode {
  const node = chain.devnet.nodes[index];
  if (node === undefined) throw new Error('no node');
  return node;
}

const send = (from: string, to: string, amount: string): Any =>
  any(MsgSendSchema, { fromAddress: from, toAddress: to, amount: [{ denom: 'nhash', amount }] });
const pay = (amount = '1'): Any => send(group.policy, a.address, amount);
const loop = (): Any =>
  any(MsgExecuteContractSchema, { sender: group.policy, contract: a.address, msg: Buffer.from('{"cpu_loop":{}}') });

const simulationsAt = (node: DevnetNode): number =>
  node.counters.log.filter(({ method, params }) => /simulate/i.test(`${method} ${JSON.stringify(params)}`)).length;

async function rehearsalOf(id: bigint): Promise<{ outcome: string; cause: string | null; reason: string | null }> {
  await expect.poll(() => stack.client.head.current()?.height, { interval: 5 }).toBe(chain.devnet.height);
  const { body } = await stack.ask(`{ proposal(id: "${id}") { rehearsal { outcome cause reason } } }`);
  expect(body.errors).toBeUndefined();
  return (body.data as { proposal: { rehearsal: { outcome: string; cause: string | null; reason: string | null } } }).proposal
    .rehearsal;
}

/** What the reads of another caller cost: the calls to the node that serves them, CPU time and the 99th percentile of their times in ms. */
interface OtherReads {
  readonly calls: number;
  readonly cpu: number;
  readonly p99: number;
  readonly blocks: number;
}

/** The blocks of each measurement. The 99th percentile says something only over the full number. */
const rounds = sizeOf({ full: 800, ci: 20, own: 20 });

/** Reads of another caller, five at each new height. */
async function readsOfOthers(): Promise<OtherReads> {
  const first = chain.devnet.height;
  const times: number[] = [];
  const [calls, cpu] = [nodeAt(0).counters.log.length, process.cpuUsage()];
  for (let index = 0; index < rounds; index += 1) {
    await chain.devnet.commit();
    await expect.poll(() => stack.client.head.current()?.height, { interval: 2 }).toBe(chain.devnet.height);
    await Promise.all(
      [1, 2, 3, 4, 5].map(async (number) => {
        const start = performance.now();
        const { body } = await stack.ask(
          `{ n${number}: group(id: "${group.id}") { totalWeight } groupPolicy(address: "${group.policy}") { version } }`,
        );
        times.push(performance.now() - start);
        expect(body.errors).toBeUndefined();
      }),
    );
  }
  const { user, system } = process.cpuUsage(cpu);
  return {
    calls: nodeAt(0).counters.log.length - calls,
    cpu: (user + system) / 1000,
    p99: times.toSorted((a, b) => a - b).at(Math.floor(times.length * 0.99) - 1) ?? 0,
    blocks: Number(chain.devnet.height - first),
  };
}

describe('a rehearsal', () => {
  it.runIf(runsAll)('without a node for simulations is not run, whatever the scopes of the token', async () => {
    await start({ own: false, perMinute: 1 });
    const other = await submitProposal(chain, group, a, { messages: [pay('2')] });
    expect(await rehearsalOf(other)).toMatchObject({ cause: 'NO_NODE' });
    // What no node ran is not counted.
    const id = await submitProposal(chain, group, a, { messages: [pay()] });
    expect(await rehearsalOf(id)).toEqual({
      outcome: 'CANNOT_REHEARSE',
      cause: 'NO_NODE',
      reason: 'This server has no node for simulations. The operator can set --simulation-node.',
    });
    expect(simulationsAt(nodeAt(0))).toBe(0);
  });

  it('runs on the node for simulations only', async () => {
    await start();
    const id = await submitProposal(chain, group, a, { messages: [pay()] });
    expect(await rehearsalOf(id)).toMatchObject({ outcome: 'SUCCEEDS' });
    expect([simulationsAt(nodeAt(0)), simulationsAt(nodeAt(1))]).toEqual([0, 1]);
  });

  it.runIf(runsAll)(
    'of a contract that never ends: it is not tried again, the node is left alone, and the reads of others go on',
    async () => {
      // At the full size, the rehearsal goes on during all reads that are measured beside it.
      await start({ contracts: true, deadline: sizeOf({ full: 4_500, ci: 300 }) });
      const endless = await submitProposal(chain, group, a, { messages: [loop()] });
      const other = await submitProposal(chain, group, a, { messages: [pay()] });
      const quiet = [await readsOfOthers(), await readsOfOthers()];
      nodeAt(1).faults.endlessSimulations = true;
      const running = rehearsalOf(endless);
      const loaded = await readsOfOthers();
      const rehearsal = await running;
      console.log(`reads of others: ${JSON.stringify({ quiet: [...quiet, await readsOfOthers()], loaded })}`);
      expect(rehearsal).toMatchObject({ outcome: 'CANNOT_REHEARSE', cause: 'DID_NOT_END' });
      // The head moves with every block, and the node of the reads gets the same calls.
      expect(loaded.blocks).toBe(rounds);
      expect(loaded.calls).toBeLessThanOrEqual(1.2 * Math.max(...quiet.map(({ calls }) => calls)) + 40);
      expect(await rehearsalOf(other)).toMatchObject({ outcome: 'CANNOT_REHEARSE', cause: 'BUSY' });
      expect(await rehearsalOf(endless)).toMatchObject({ cause: 'DID_NOT_END' });
      expect(simulationsAt(nodeAt(1))).toBe(1);
    },
  );

  it('of a MsgMultiSend of 5,000 outputs: no node gets it', async () => {
    await start();
    const outputs = Array.from({ length: 5_000 }, () => ({ address: a.address, coins: [{ denom: 'nhash', amount: '1' }] }));
    const inputs = [{ address: group.policy, coins: [{ denom: 'nhash', amount: '5000' }] }];
    const fee = { amount: [{ denom: 'nhash', amount: 1_000_000_000n }], gas: 50_000_000n };
    const message = proposal(group, [a], { messages: [any(MsgMultiSendSchema, { inputs, outputs })] });
    const tx = Buffer.from(chain.sign(a, [message], { fee })).toString('base64');
    await fetch(nodeAt(0).url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'broadcast_tx_sync', params: { tx } }),
    });
    await chain.devnet.commit();
    await expect.poll(() => stack.client.head.current()?.height, { interval: 5 }).toBe(chain.devnet.height);
    const { body } = await stack.ask(
      `{ proposalsByGroupPolicy(address: "${group.policy}", first: 1) { nodes { id rehearsal { outcome cause } } } }`,
    );
    expect(body.data).toMatchObject({
      proposalsByGroupPolicy: { nodes: [{ rehearsal: { outcome: 'CANNOT_REHEARSE', cause: 'TOO_LARGE' } }] },
    });
    expect([simulationsAt(nodeAt(0)), simulationsAt(nodeAt(1))]).toEqual([0, 0]);
  });

  it('counts against the budget of its caller if it is run', async () => {
    await start({ perMinute: 2 });
    const ids = [];
    for (const amount of ['1', '2', '3']) ids.push(await submitProposal(chain, group, a, { messages: [pay(amount)] }));
    expect((await Promise.all(ids.slice(0, 2).map(rehearsalOf))).map(({ outcome }) => outcome)).toEqual([
      'SUCCEEDS',
      'SUCCEEDS',
    ]);
    expect(await rehearsalOf(ids[0]!)).toMatchObject({ outcome: 'SUCCEEDS' });
    expect(await rehearsalOf(ids[2]!)).toMatchObject({ outcome: 'CANNOT_REHEARSE', cause: 'BUDGET' });
    expect(simulationsAt(nodeAt(1))).toBe(2);
  });
});
