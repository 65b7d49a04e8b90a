import { expect, it } from 'vitest';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { isChainError } from '../../../src/chain/base/errors.ts';
import { parseTime } from '../../../src/chain/base/time.ts';
import type { Broadcast } from '../../../src/chain/transactions/broadcaster.ts';
import type { TxUpdate } from '../../../src/chain/transactions/resend.ts';
import { http } from '../../../src/chain/transports/http.ts';
import { arrayAt, asObject, intAt, objectAt } from '../../../src/chain/wire/json.ts';
import { runsAll, seed } from '../../support/atRandom.ts';
import { type BroadcasterSetup, hashOf, setUp } from './broadcasterSetup.ts';

/** A thousand in CI. */
const sends = 1_000;
const lanes = 40;

/** What happens to a transaction at the first node that gets it. */
const faults = ['none', 'drop', 'hold', 'cut', 'reset', 'kill', 'forget'] as const;
type Fault = (typeof faults)[number];

interface Plan {
  readonly index: number;
  readonly fault: Fault;
  readonly how: 'sync' | 'commit' | 'submit';
  /** Milliseconds until it expires. */
  readonly life: number;
  /** Whether another process sends the same bytes at the same time. */
  readonly isTwice: boolean;
}

/** Pseudo-random integers below a bound (mulberry32). */
function createRandom(start: number): (bound: number) => number {
  let state = start;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

function planOf(index: number): Plan {
  const random = createRandom(seed + index * 7919);
  const pick = <T>(all: readonly T[]): T => all[random(all.length)]!;
  return {
    index,
    fault: pick(faults),
    how: pick(['sync', 'commit', 'submit']),
    life: pick([60, 200, 60_000, 60_000]),
    isTwice: random(4) === 0,
  };
}

/** Injects the fault of each transaction when it arrives for the first time. */
function inject(
  { nodes, client, chain }: BroadcasterSetup,
  plans: ReadonlyMap<string, Fault>,
): { readonly settled: () => Promise<void> } {
  const begun = new Set<string>();
  let down: Promise<void> | undefined;
  const nextBlock = (): Promise<unknown> => client.head.waitFor(chain.devnet.height + 1n, { milliseconds: 30_000 });

  /** The fault of a call, once. */
  function begin(call: { readonly method: string; readonly params: unknown }): Fault {
    if (call.method !== 'broadcast_tx_sync') return 'none';
    const { tx } = call.params as { tx: string };
    if (begun.has(tx)) return 'none';
    begun.add(tx);
    return plans.get(tx) ?? 'none';
  }

  async function restart(node: DevnetNode): Promise<void> {
    await node.stop();
    await nextBlock();
    await node.start();
    down = undefined;
  }

  for (const node of nodes) {
    const underWay = new Map<string, Fault>();
    const faultOf = (params: unknown): Fault => underWay.get((params as { tx: string }).tx) ?? 'none';
    node.faults.answer = (calls) => {
      const fault = begin(calls[0]!);
      if (fault === 'none') return undefined;
      underWay.set((calls[0]!.params as { tx: string }).tx, fault);
      return fault === 'cut' || fault === 'reset' ? fault : undefined;
    };
    node.onCall = async ({ method, params }) => {
      if (method === 'broadcast_tx_sync' && faultOf(params) === 'hold') await nextBlock();
    };
    node.faults.call = ({ method, params }) => {
      if (method !== 'broadcast_tx_sync') return undefined;
      node.faults.dropTransactions = faultOf(params) === 'drop';
      node.faults.withholdTransactions = faultOf(params) === 'kill';
      return undefined;
    };
    node.faults.forge = ({ method, params }, result) => {
      if (method !== 'broadcast_tx_sync') return result;
      const fault = faultOf(params);
      underWay.delete((params as { tx: string }).tx);
      [node.faults.dropTransactions, node.faults.withholdTransactions] = [false, false];
      if (fault === 'kill') down ??= restart(node);
      if (fault === 'forget') node.mempool.flush();
      return result;
    };
  }
  return { settled: async () => down };
}

type Outcome = Broadcast | TxUpdate | { readonly error: unknown };

async function send(
  { client: { broadcaster } }: Pick<BroadcasterSetup, 'client'>,
  how: Plan['how'],
  tx: Uint8Array,
): Promise<Outcome> {
  try {
    if (how !== 'submit') return await broadcaster[how](tx);
    let last: TxUpdate | undefined;
    for await (const update of broadcaster.submit(tx)) last = update;
    return last!;
  } catch (error) {
    return { error };
  }
}

/** Where each transaction is in the chain, by its hash, read from a node: height and code. */
async function readLedger({ url, height }: DevnetNode): Promise<Map<string, { height: bigint; code: number }[]>> {
  const node = http(url, { timeout: 5_000 });
  const found = new Map<string, { height: bigint; code: number }[]>();
  const one = async (height: bigint): Promise<void> => {
    const params = { height: `${height}` };
    const [txs, results] = await Promise.all([
      node.call('block', params, {
        decode: (json) => arrayAt(objectAt(objectAt(asObject(json, 'block'), 'block'), 'data'), 'txs'),
      }),
      node.call('block_results', params, { decode: (json) => asObject(json, 'results').txs_results ?? [] }),
    ]);
    for (const [index, tx] of txs.entries()) {
      const hash = hashOf(Buffer.from(String(tx), 'base64'));
      const code = intAt(asObject((results as never[])[index]!, 'result'), 'code');
      found.set(hash, [...(found.get(hash) ?? []), { height, code }]);
    }
  };
  for (let at = 1n; at <= height; at += 1n) await one(at);
  await node.close();
  return found;
}

/** Why an outcome contradicts the chain. undefined if it does not. */
function contradiction(
  outcome: Outcome,
  inChain: readonly { readonly height: bigint; readonly code: number }[],
): string | undefined {
  const [first] = inChain;
  const isExecuted = inChain.some(({ code }) => code === 0);
  if (inChain.length > 1) return 'in several blocks';
  if ('error' in outcome) {
    const { error } = outcome;
    if (!isChainError(error, 'COMMIT_TIMEOUT')) return `failed: ${String(error)}`;
    return error.message.includes('timeout has passed') && isExecuted ? 'expired, but executed' : undefined;
  }
  const { inclusion } = outcome;
  const state = 'status' in outcome ? outcome.status : outcome.stage;
  if (inclusion !== null) {
    const { code } = inclusion.transaction.result;
    if (inclusion.height !== first?.height || code !== first.code) return 'included, but elsewhere';
    if ('status' in outcome && (code === 0) !== (state === 'COMMITTED')) return `${state} with code ${code}`;
    return undefined;
  }
  // After its timeout, a node refuses it with the code that a block gives it if another node still had it.
  const isLate = 'checkTx' in outcome && outcome.checkTx?.code === 42 && first?.code === 42;
  if (state === 'REJECTED' && inChain.length > 0 && !isLate) return 'rejected, but included';
  return state === 'EXPIRED' && isExecuted ? 'expired, but executed' : undefined;
}

it.runIf(runsAll)(`${sends} unordered transactions with faults: no final state is wrong`, { timeout: 180_000 }, async () => {
  const setup = await setUp({ nodes: 3, blockTime: 50, broadcaster: { commitWait: 2_000, grace: 500 } });
  const { client, chain, nodes, transfer } = setup;
  const other = await setup.anotherClient();
  const faultsOf = new Map<string, Fault>();
  const { settled } = inject(setup, faultsOf);
  const results: { readonly plan: Plan; readonly hash: string; readonly outcome: Outcome }[] = [];

  async function run(plan: Plan): Promise<void> {
    const timeout = parseTime(client.head.current()!.time) + BigInt(plan.life) * 1_000_000n + BigInt(plan.index);
    const tx = transfer(1, plan.index % 8, { unordered: true, sequence: 0n, timeout });
    faultsOf.set(Buffer.from(tx).toString('base64'), plan.fault);
    const hash = hashOf(tx);
    const first = [send(setup, plan.how, tx), ...(plan.isTwice ? [send({ client: other }, plan.how, tx)] : [])];
    for (const outcome of await Promise.all(first)) results.push({ plan, hash, outcome });
    // A client that retries gets the same outcome.
    results.push({ plan, hash, outcome: await send({ client: other }, 'sync', tx) });
  }

  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let index = lane; index < sends; index += lanes) await run(planOf(index));
    }),
  );
  await settled();
  await client.head.waitFor(chain.devnet.height + 5n, { milliseconds: 30_000 });
  chain.devnet.halt();
  const ledger = await readLedger(nodes.at(-1)!);

  const seen = new Map<string, number>();
  const wrong = results.flatMap(({ plan, hash, outcome }) => {
    const state = 'error' in outcome ? 'COMMIT_TIMEOUT' : 'status' in outcome ? outcome.status : outcome.stage;
    seen.set(state, (seen.get(state) ?? 0) + 1);
    const why = contradiction(outcome, ledger.get(hash) ?? []);
    return why === undefined ? [] : [`${why}: ${JSON.stringify(plan)}`];
  });
  expect(wrong).toEqual([]);
  // The faults have had their effects. Few sends may have none that expires in a mempool.
  expect(Object.fromEntries(seen)).toMatchObject({
    ACCEPTED: expect.any(Number),
    COMMITTED: expect.any(Number),
    EXECUTION_FAILED: expect.any(Number),
    INCLUDED: expect.any(Number),
    REJECTED: expect.any(Number),
  });
});
