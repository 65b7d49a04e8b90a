import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { createStoreRoots, type StoreRoots } from '../../../src/chain/roots/storeRoots.ts';
import { fallback } from '../../../src/chain/transports/fallback.ts';
import { type HttpTransport, http } from '../../../src/chain/transports/http.ts';
import { asObject, type JsonValue, objectAt, textAt } from '../../../src/chain/wire/json.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../../support/chain.ts';

let chain: TestChain;
let transport: HttpTransport;
let roots: StoreRoots;
/** The stores whose proofs were requested, by the HTTP request that they came in. */
let requests: Map<number, string[]>;
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  chain = await startChain({ bare: true, nodes: 2 });
  transport = http(chain.node.url);
  roots = createStoreRoots({ transport });
  requests = new Map();
  for (const node of chain.devnet.nodes) {
    node.onCall = ({ method, params, batch }) => {
      if (method !== 'abci_query') return;
      const [, , store = ''] = textAt(asObject(params, 'params'), 'path').split('/');
      requests.set(batch, [...(requests.get(batch) ?? []), store].sort());
    };
  }
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await transport.close();
  await chain.devnet.close();
});

/** The requests since the last call: the stores of each batch. */
function seenRequests(): string[][] {
  const seen = [...requests.values()];
  requests.clear();
  return seen;
}

/** The app hash in the header at a height. */
async function headerHash(height: bigint): Promise<string> {
  const decode = (result: JsonValue): string => textAt(objectAt(asObject(result, 'header'), 'header'), 'app_hash');
  return transport.call('header', { height: height.toString() }, { decode });
}

/** The app hash after a block, by its own result. */
async function resultHash(height: bigint): Promise<string> {
  const decode = (result: JsonValue): string => textAt(asObject(result, 'block_results'), 'app_hash');
  const hash = await transport.call('block_results', { height: height.toString() }, { decode });
  return Buffer.from(hash, 'base64').toString('hex').toUpperCase();
}

/** Makes a block and learns its roots. Returns its height. */
async function nextBlock(): Promise<bigint> {
  return learnt(await chain.devnet.commit());
}

async function learnt(height: bigint): Promise<bigint> {
  expect(await roots.learn({ height, appHash: await resultHash(height) })).toBe(true);
  return height;
}

/** A block with a transfer, whose roots are learnt. Returns its height. */
async function blockWithTransfer(): Promise<bigint> {
  const [from, to] = chain.accounts;
  const amount = [{ denom: 'nhash', amount: '1' }];
  await chain.run(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount }));
  return learnt(chain.devnet.height);
}

/** Makes a node return the proof at another height, with the height of the request. */
function forgeHeight(node: DevnetNode, earlier: (height: bigint) => bigint): void {
  node.faults.forge = ({ method, params }, result) => {
    if (method !== 'abci_query') return result;
    const { path, data, height } = asObject(params, 'params');
    const asked = BigInt(String(height));
    const answer = chain.devnet.application.query({
      path: String(path),
      data: Buffer.from(String(data), 'hex'),
      height: earlier(asked),
      prove: true,
      latestHeight: asked,
      earliestHeight: 1n,
    });
    const ops = (answer.proofOps ?? []).map(({ type, key, data: bytes }) => ({
      type,
      key: Buffer.from(key).toString('base64'),
      data: Buffer.from(bytes).toString('base64'),
    }));
    return { response: { ...objectAt(asObject(result, 'result'), 'response'), proofOps: { ops } } };
  };
}

describe('roots by height', () => {
  it('cost one batch of two proofs for a block without changes, and one proof more for each store in use that changed', async () => {
    await nextBlock();
    expect(seenRequests()).toEqual([['acc', 'metadata']]);
    // These stores are in use from now on, so the next block learns them.
    expect(roots.rootsAt(2n, ['group', 'bank'])).toBeUndefined();
    await nextBlock();
    expect(seenRequests()).toEqual([
      ['acc', 'metadata'],
      ['bank', 'group'],
    ]);
    await nextBlock();
    seenRequests();
    const idle = await nextBlock();
    expect(seenRequests()).toEqual([['acc', 'metadata']]);
    const transfer = await blockWithTransfer();
    expect(seenRequests()).toEqual([['acc', 'metadata'], ['bank']]);
    expect(roots.rootsAt(transfer, ['group', 'acc'])?.[0]).toBe(roots.rootsAt(idle, ['group'])?.[0]);
    expect(roots.rootsAt(transfer, ['bank'])).not.toEqual(roots.rootsAt(idle, ['bank']));
    expect(roots.stats().changes.get('bank')).toBe(1);
    expect(roots.stats().changes.get('group')).toBeUndefined();
  });

  it('equal those of a proof of each store', async () => {
    const stores = ['acc', 'attribute', 'bank', 'group', 'metadata', 'name', 'registry', 'staking', 'upgrade'];
    await nextBlock();
    roots.rootsAt(2n, stores);
    for (const make of [nextBlock, blockWithTransfer, nextBlock, nextBlock, blockWithTransfer]) {
      const height = await make();
      const known = roots.rootsAt(height, stores)!;
      const own = createStoreRoots({ transport, probes: stores });
      await own.learn({ height, appHash: await resultHash(height) });
      expect(known, `height ${height}`).toEqual(own.rootsAt(height, stores));
    }
  });

  it('are not learnt for a store that the application does not have', async () => {
    await nextBlock();
    expect(roots.rootsAt(2n, ['tokenfactory', 'acc'])).toBeUndefined();
    await nextBlock();
    seenRequests();
    const height = await nextBlock();
    expect(seenRequests()).toEqual([['acc', 'metadata']]);
    expect(roots.rootsAt(height, ['tokenfactory', 'acc'])).toBeUndefined();
    expect(roots.rootsAt(height, ['acc'])).toHaveLength(1);
  });

  it('are no longer learnt for a store some blocks after its last use, and are kept for a number of heights', async () => {
    roots = createStoreRoots({ transport, blocksAfterUse: 2, heights: 3 });
    await nextBlock();
    roots.rootsAt(2n, ['registry']);
    await nextBlock();
    await nextBlock();
    expect(seenRequests().flat()).toContain('registry');
    await nextBlock();
    const last = await nextBlock();
    expect(seenRequests().flat()).not.toContain('registry');
    expect([last, roots.stats().heights]).toEqual([6n, 3]);
    expect(roots.rootsAt(3n, ['acc'])).toBeUndefined();
    expect(roots.rootsAt(4n, ['acc'])).toHaveLength(1);
  });

  it('are unknown where a node returns no proof: height 1, pruned state, a refusal, and no proof operations', async () => {
    expect(await roots.learn({ height: 1n, appHash: await resultHash(1n) })).toBe(false);
    for (let blocks = 0; blocks < 5; blocks++) await chain.devnet.commit();
    chain.node.prune(4n);
    expect(await roots.learn({ height: 2n, appHash: await resultHash(2n) })).toBe(false);
    chain.node.faults.call = ({ method }) =>
      method === 'abci_query' ? { abci: { code: 1, codespace: 'proxy', log: 'proofs are disabled' } } : undefined;
    expect(await roots.learn({ height: 5n, appHash: await resultHash(5n) })).toBe(false);
    chain.node.faults.call = undefined;
    chain.node.faults.forge = ({ method }, result) =>
      method === 'abci_query' ? { response: { ...objectAt(asObject(result, 'result'), 'response'), proofOps: null } } : result;
    expect(await roots.learn({ height: 6n, appHash: await resultHash(6n) })).toBe(false);
    expect([1n, 2n, 5n, 6n].map((height) => roots.rootsAt(height, ['acc']))).toEqual(Array(4).fill(undefined));
    expect(roots.stats()).toMatchObject({ learnt: 0, heights: 0 });
  });
});

describe('a node that lies about roots', () => {
  it('is not believed if its proofs do not lead to the app hash of the block: a root of an earlier height', async () => {
    const idle = await nextBlock();
    roots.rootsAt(idle, ['bank']);
    await nextBlock();
    forgeHeight(chain.node, (height) => height - 1n);
    const height = await chain.devnet.commit();
    expect(await roots.learn({ height, appHash: await resultHash(height) })).toBe(false);
    expect(roots.rootsAt(height, ['bank'])).toBeUndefined();
    expect(roots.stats()).toMatchObject({ failed: 1 });
  });

  it('fails when the next header repeats the app hash, and another node proves the roots', async () => {
    const [liar, honest] = chain.devnet.nodes;
    const nodes = fallback([http(liar!.url, { alias: 'liar' }), http(honest!.url, { alias: 'honest' })]);
    ends.push(() => nodes.close());
    roots = createStoreRoots({ transport: nodes });
    forgeHeight(liar!, (height) => (height > 2n ? height - 1n : height));
    await nodes.handles();
    await nextBlock();
    const height = await chain.devnet.commit();
    expect(await roots.learn({ height, appHash: await resultHash(height) })).toBe(false);
    expect(nodes.nodes().map(({ alias, lastErrorCode }) => [alias, lastErrorCode])).toEqual([
      ['liar', undefined],
      ['honest', undefined],
    ]);
    const next = await chain.devnet.commit();
    expect(roots.confirm({ height: next, appHash: await headerHash(next) })).toBe(true);
    await expect.poll(() => roots.rootsAt(height, ['acc'])).toHaveLength(1);
    expect(nodes.nodes().map(({ alias, lastErrorCode }) => [alias, lastErrorCode])).toEqual([
      ['liar', 'NODE_INVALID_RESPONSE'],
      ['honest', undefined],
    ]);
  });

  it('loses everything that was learnt when the next header has another app hash, and the listeners are called', async () => {
    const refuted: bigint[] = [];
    roots.onDropped((height) => refuted.push(height));
    const before = await nextBlock();
    // The result of this block has a forged app hash, with proofs that lead to it: those of the block before.
    const height = await chain.devnet.commit();
    expect(roots.confirm({ height, appHash: await headerHash(height) })).toBe(true);
    forgeHeight(chain.node, () => before);
    expect(await roots.learn({ height, appHash: await resultHash(before) })).toBe(true);
    expect(roots.rootsAt(height, ['acc'])).toHaveLength(1);
    chain.node.faults.forge = undefined;
    const next = await chain.devnet.commit();
    expect(roots.confirm({ height: next, appHash: await headerHash(next) })).toBe(false);
    expect(refuted).toEqual([height]);
    expect([before, height].map((at) => roots.rootsAt(at, ['acc']))).toEqual([undefined, undefined]);
    await learnt(next);
    expect(roots.rootsAt(next, ['acc'])).toHaveLength(1);
  });

  it('has its roots dropped if the header that could confirm them was missed', async () => {
    const dropped: bigint[] = [];
    roots.onDropped((at) => dropped.push(at));
    const height = await nextBlock();
    await chain.devnet.commit();
    const later = await chain.devnet.commit();
    expect(roots.rootsAt(height, ['acc'])).toHaveLength(1);
    roots.confirm({ height: later, appHash: await headerHash(later) });
    expect(roots.rootsAt(height, ['acc'])).toBeUndefined();
    expect(dropped).toEqual([height]);
  });

  it('cannot have its roots used if they arrive after the header that refutes them, while true ones count as confirmed', async () => {
    const before = await nextBlock();
    const height = await chain.devnet.commit();
    const next = await chain.devnet.commit();
    for (const at of [height, next]) roots.confirm({ height: at, appHash: await headerHash(at) });
    await learnt(height);
    const later = await chain.devnet.commit();
    roots.confirm({ height: later, appHash: await headerHash(later) });
    expect(roots.rootsAt(height, ['acc'])).toHaveLength(1);
    forgeHeight(chain.node, () => before);
    expect(await roots.learn({ height: next, appHash: await resultHash(before) })).toBe(false);
    expect(roots.rootsAt(next, ['acc'])).toBeUndefined();
  });

  it('cannot have a late proof counted after a reset', async () => {
    const height = await chain.devnet.commit();
    const appHash = await resultHash(height);
    let release = (): void => undefined;
    chain.node.faults.gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const learning = roots.learn({ height, appHash });
    roots.clear();
    release();
    expect(await learning).toBe(false);
    expect(roots.rootsAt(height, ['acc'])).toBeUndefined();
  });
});
