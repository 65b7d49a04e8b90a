import { afterEach, describe, expect, it } from 'vitest';
import { createApplication } from '../../packages/devnet/src/app/application.ts';
import { createDevnet, type Devnet } from '../../packages/devnet/src/devnet.ts';
import { runsAll } from '../support/atRandom.ts';
import { sharedGenesis } from '../support/genesis.ts';

/** One time for all chains, so that they share the state of the genesis. */
const genesisTime = BigInt(Date.now()) * 1_000_000n;

const open: Devnet[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((devnet) => devnet.close()));
});

async function start(options: { admin?: boolean; blockTime?: number | 'manual' } = {}): Promise<Devnet> {
  const application = createApplication(sharedGenesis());
  const devnet = await createDevnet({ nodes: 2, blockTime: 'manual', genesisTime, admin: true, application, ...options });
  open.push(devnet);
  return devnet;
}

interface Reply {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly data: string };
}

async function rpc(devnet: Devnet, node: number, method: string, params: unknown = {}): Promise<Reply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(devnet.nodes[node]!.url, { method: 'POST', body, headers: { connection: 'close' } });
  return (await response.json()) as Reply;
}

async function heightOf(devnet: Devnet, node: number): Promise<string> {
  const { result } = await rpc(devnet, node, 'status');
  return (result!.sync_info as { latest_block_height: string }).latest_block_height;
}

/** Waits until the node responds, or until it does not. */
async function until(devnet: Devnet, node: number, up: boolean): Promise<void> {
  for (;;) {
    const isUp = await rpc(devnet, node, 'health').then(
      () => true,
      () => false,
    );
    if (isUp === up) return;
  }
}

describe('the admin method of a devnet', () => {
  it.runIf(runsAll)('creates blocks, and keeps one node behind until it is healed', async () => {
    const devnet = await start();
    const state = await rpc(devnet, 0, 'devnet', { node: 1, lag: 2, commit: 3 });
    expect(state.result).toMatchObject({ height: '4', halted: true, nodes: [{ height: '4' }, { height: '2' }] });
    expect([await heightOf(devnet, 0), await heightOf(devnet, 1)]).toEqual(['4', '2']);
    await rpc(devnet, 0, 'devnet', { node: 1, heal: true });
    expect(await heightOf(devnet, 1)).toBe('4');
  });

  it('sets and clears faults of the node that receives the call, which responds despite its faults', async () => {
    const devnet = await start();
    const { result } = await rpc(devnet, 1, 'devnet', { faults: { answer: 'badGateway', delay: 1, noIndex: true } });
    expect(result!.nodes).toMatchObject([
      { faults: { answer: null, delay: 0, noIndex: false } },
      { faults: { answer: 'badGateway', delay: 1, noIndex: true } },
    ]);
    const refused = await fetch(devnet.nodes[1]!.url, { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"health"}' });
    expect([refused.status, await refused.text()]).toEqual([502, expect.stringContaining('<html>')]);
    expect((await rpc(devnet, 0, 'health')).result).toEqual({});
    await rpc(devnet, 1, 'devnet', { faults: { answer: null } });
    expect((await rpc(devnet, 1, 'health')).result).toEqual({});
    expect(devnet.nodes[1]!.counters.log.some(({ method }) => method === 'devnet')).toBe(false);
  });

  it('halts and resumes the whole chain', async () => {
    const devnet = await start({ blockTime: 20 });
    const { result } = await rpc(devnet, 0, 'devnet', { halt: true });
    const { height } = result as { height: string };
    // Exactly three blocks, at intervals of an hour of chain time.
    const made = await rpc(devnet, 0, 'devnet', { commit: 3, elapse: 3_600_000 });
    expect(made.result).toMatchObject({ halted: true, height: String(Number(height) + 3) });
    expect((await rpc(devnet, 0, 'devnet', { halt: false })).result).toMatchObject({ halted: false });
    while (Number(await heightOf(devnet, 0)) < Number(height) + 5);
  });

  it('restarts a node on its port, closes its sockets, and prunes it', async () => {
    const devnet = await start();
    await rpc(devnet, 0, 'devnet', { commit: 5, prune: { height: 4, blocks: true }, closeSockets: true });
    expect((await rpc(devnet, 0, 'block', { height: '2' })).error?.data).toContain('not available, lowest height is 4');
    await rpc(devnet, 0, 'devnet', { node: 0, restart: 5 });
    await until(devnet, 0, false);
    await until(devnet, 0, true);
  });

  it.each([
    [{ node: 2 }, 'node: must be from 0 to 1'],
    [{ lag: -1 }, 'lag'],
    [{ nod: 1 }, 'nod'],
    [{ faults: { answer: 'slow' } }, 'faults.answer'],
    [{ commit: 100_000 }, 'commit'],
    [[], 'params'],
  ])('rejects %j with the name of the parameter, and changes nothing', async (params, name) => {
    const devnet = await start();
    const { error } = await rpc(devnet, 0, 'devnet', params);
    expect(error).toMatchObject({ code: -32602, data: expect.stringContaining(name) });
    expect(devnet.height).toBe(1n);
  });

  it('exists only if it is enabled, and only over POST', async () => {
    const devnet = await start({ admin: false });
    expect((await rpc(devnet, 0, 'devnet', { commit: 1 })).error?.code).toBe(-32601);
    const other = await start();
    expect((await fetch(`${other.nodes[0]!.url}/devnet?commit=1`)).status).toBe(404);
    expect([devnet.height, other.height]).toEqual([1n, 1n]);
  });
});
