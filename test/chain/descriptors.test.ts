import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDescriptorCache, type DescriptorCache } from '../../src/chain/descriptorCache.ts';
import { createDescriptors, type Descriptors } from '../../src/chain/descriptors.ts';
import { createHead } from '../../src/chain/head.ts';
import type { JsonObject } from '../../src/chain/json.ts';
import { http } from '../../src/chain/transports/http.ts';
import { readDescriptors } from '../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../replay/replayNode.ts';
import { startChain, type TestChain } from '../support/chain.ts';

const closing: (() => unknown)[] = [];
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stele-test-'));
  closing.push(() => rm(directory, { recursive: true }));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Descriptors as a process has them that has just started. */
function start(url: string, options: { cache?: DescriptorCache; checkInterval?: number } = {}): Descriptors {
  const transport = http(url);
  const head = createHead({ transport });
  closing.push(() => {
    head.close();
    return transport.close();
  });
  return createDescriptors({ head, transport, ...options });
}

async function replay(): Promise<ReplayNode> {
  const node = await createReplayNode();
  closing.push(() => node.close());
  return node;
}

/** How often the node sent its descriptors. */
function sent({ calls }: ReplayNode): number {
  return calls.filter(({ path }) => path?.endsWith('/FileDescriptors')).length;
}

describe('the descriptors of a chain', () => {
  it('are read once, however many ask, and not before', async () => {
    const node = await replay();
    const descriptors = start(node.url);
    expect([descriptors.loaded(), sent(node)]).toEqual([undefined, 0]);
    const pools = await Promise.all(Array.from({ length: 10 }, () => descriptors.pool()));
    expect(new Set(pools).size).toBe(1);
    expect(pools[0]!.message('provenance.exchange.v1.Order')).toBeDefined();
    expect(await descriptors.pool()).toBe(descriptors.loaded());
    expect(sent(node)).toBe(1);
  });

  it('come from the disk at the next start, and from the node again when the disk is wrong', async () => {
    const node = await replay();
    const cache = createDescriptorCache(directory);
    await start(node.url, { cache }).pool();
    const again = await start(node.url, { cache }).pool();
    expect([again.message('cosmos.group.v1.Proposal')?.fields.length, sent(node)]).toEqual([14, 1]);

    const kept = (await readdir(directory)).find((name) => name.endsWith('.binpb'))!;
    await writeFile(join(directory, kept), 'something else');
    await start(node.url, { cache }).pool();
    expect(sent(node)).toBe(2);
    await start(node.url, { cache }).pool();
    expect(sent(node)).toBe(2);
  });

  it('need no disk', async () => {
    const node = await replay();
    await writeFile(join(directory, 'file'), '');
    const cache = createDescriptorCache(join(directory, 'file'));
    expect((await start(node.url, { cache }).pool()).services.length).toBeGreaterThan(50);
  });
});

describe('descriptors in trouble', () => {
  let chain: TestChain;
  beforeEach(async () => {
    chain = await startChain({ bare: true });
    closing.push(() => chain.devnet.close());
  });

  const asked = (): number =>
    chain.node.counters.log.filter(({ params }) => JSON.stringify(params ?? null).includes('FileDescriptors')).length;

  it('that the nodes do not serve fail, and are not asked for at every turn', async () => {
    chain.node.faults.call = ({ params }) =>
      JSON.stringify(params ?? null).includes('FileDescriptors')
        ? { abci: { code: 6, codespace: 'sdk', log: 'unknown query path: unknown request' } }
        : undefined;
    const descriptors = start(chain.node.url);
    const refusal = { code: 'ABCI_QUERY_FAILED', cause: { response: { log: 'unknown query path: unknown request' } } };
    for (let time = 0; time < 3; time += 1) await expect(descriptors.pool()).rejects.toMatchObject(refusal);
    expect(asked()).toBe(1);
  });

  it('that could not be had are asked for again', async () => {
    const descriptors = start(chain.node.url);
    chain.node.faults.call = ({ method }) =>
      method === 'abci_info' ? { rpc: { code: -32603, message: 'Internal error', data: 'not now' } } : undefined;
    await expect(descriptors.pool()).rejects.toMatchObject({ code: 'RPC_ERROR' });
    chain.node.heal();
    await descriptors.pool().catch(() => undefined);
    expect(asked()).toBe(1);
  });

  it('are not kept on the disk of an application that does not say its version', async () => {
    chain.node.faults.forge = ({ method }, result) =>
      method === 'abci_info' ? { response: { ...(result as { response: JsonObject }).response, version: '' } } : result;
    const cache = createDescriptorCache(directory);
    await start(chain.node.url, { cache }).pool();
    await start(chain.node.url, { cache }).pool();
    expect([asked(), await readdir(directory)]).toEqual([2, []]);
  });

  it('are read again when the application has another version; the old ones serve meanwhile', async () => {
    const value = Buffer.from(readDescriptors()).toString('base64');
    const serve = (version: string): void => {
      chain.node.faults.forge = ({ method, params }, result) => {
        const { response } = result as { response: JsonObject };
        if (method === 'abci_info') return { response: { ...response, version } };
        return JSON.stringify(params ?? null).includes('FileDescriptors')
          ? { response: { ...response, code: 0, value } }
          : result;
      };
    };
    serve('v1.0.0');
    const descriptors = start(chain.node.url, { checkInterval: 0 });
    const first = await descriptors.pool();
    expect(await descriptors.pool()).toBe(first);
    expect(asked()).toBe(1);
    serve('v1.0.1');
    expect(await descriptors.pool()).toBe(first);
    // Each who asks has the version asked in the background; the first behind that has the new ones.
    await expect.poll(() => descriptors.pool()).not.toBe(first);
    expect(asked()).toBe(2);
  });
});
