import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FieldDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHead } from '../../../src/chain/blocks/head.ts';
import {
  createDescriptorCache,
  createDescriptors,
  type DescriptorCache,
  type Descriptors,
} from '../../../src/chain/descriptors/descriptors.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { readDescriptors } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';

const closing: (() => unknown)[] = [];
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stele-test-'));
  closing.push(() => rm(directory, { recursive: true }));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Makes descriptors like a process that has just started. */
function start(
  url: string,
  options: { cache?: DescriptorCache; checkInterval?: number; retryWait?: number } = {},
): Descriptors {
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

/** Removes a file from a set of descriptors. */
function without(bytes: Uint8Array, name: string): Uint8Array {
  const set = fromBinary(FileDescriptorSetSchema, bytes);
  const file = set.file.filter((each) => each.name !== name);
  expect(file).toHaveLength(set.file.length - 1);
  return toBinary(FileDescriptorSetSchema, { ...set, file });
}

/** Makes the bytes of one message in a set of descriptors invalid. Names and sizes stay valid. */
function damaged(bytes: Uint8Array): Uint8Array {
  const set = fromBinary(FileDescriptorSetSchema, bytes);
  const whole = toBinary(FileDescriptorSetSchema, set);
  const mark = Buffer.from('damaged_here');
  const [file] = set.file.filter(({ messageType }) => messageType.length > 0);
  const [message] = file!.messageType;
  message!.field = [create(FieldDescriptorProtoSchema, { jsonName: mark.toString() })];
  const spoilt = Buffer.from(toBinary(FileDescriptorSetSchema, set));
  const at = spoilt.indexOf(mark);
  // The length before the text now exceeds the field that contains it.
  spoilt[at - 1] = 0x7f;
  expect(spoilt.equals(whole)).toBe(false);
  return spoilt;
}

/** How often the node sent its descriptors. */
function sent({ calls }: ReplayNode): number {
  return calls.filter(({ path }) => path?.endsWith('/FileDescriptors')).length;
}

describe('the descriptors of a chain', () => {
  it('are read once for all callers, on first use', async () => {
    const node = await replay();
    const descriptors = start(node.url);
    expect([descriptors.loaded(), sent(node)]).toEqual([undefined, 0]);
    const pools = await Promise.all(Array.from({ length: 10 }, () => descriptors.pool()));
    expect(new Set(pools).size).toBe(1);
    expect(pools[0]!.message('provenance.exchange.v1.Order')).toBeDefined();
    expect(await descriptors.pool()).toBe(descriptors.loaded());
    expect(sent(node)).toBe(1);
  });

  it('are read from disk at the next start, and from the node if the file is damaged', async () => {
    const node = await replay();
    const cache = createDescriptorCache(directory);
    await start(node.url, { cache }).pool();
    const kept = (await readdir(directory)).find((name) => name.endsWith('.sha256'))!;
    const before = await stat(join(directory, kept));
    const again = await start(node.url, { cache }).pool();
    expect([again.message('cosmos.group.v1.Proposal')?.fields.length, sent(node)]).toEqual([14, 1]);
    // The node confirms the file later.
    await expect.poll(() => sent(node)).toBe(2);
    await expect.poll(async () => (await stat(join(directory, kept))).ino, { timeout: 10_000 }).not.toBe(before.ino);

    const bytes = (await readdir(directory)).find((name) => name.endsWith('.binpb'))!;
    await writeFile(join(directory, bytes), 'something else');
    await start(node.url, { cache }).pool();
    expect(sent(node)).toBe(3);
    await start(node.url, { cache }).pool();
    expect(sent(node)).toBe(3);
  });

  it.runIf(runsAll)(
    'on disk are replaced if the application was built again with other types and the same version',
    async () => {
      const node = await replay();
      const cache = createDescriptorCache(directory);
      let [chainId, version] = ['', ''];
      const put: DescriptorCache['put'] = (chain, ofApplication, bytes) => {
        [chainId, version] = [chain, ofApplication];
        return cache.put(chain, ofApplication, bytes);
      };
      await start(node.url, { cache: { ...cache, put } }).pool();
      const all = (await cache.get(chainId, version))!;
      await cache.put(chainId, version, without(all, 'provenance/exchange/v1/query.proto'));
      const orders = 'provenance.exchange.v1.QueryGetOrderRequest';
      const descriptors = start(node.url, { cache });
      const replaced = new Promise<void>((resolve) => {
        descriptors.onReplaced(() => descriptors.loaded()?.message(orders) && resolve());
      });
      expect((await descriptors.pool()).message(orders)).toBeUndefined();
      await replaced;
      expect(descriptors.loaded()?.message(orders)).toBeDefined();
      expect(Buffer.from((await cache.get(chainId, version))!).equals(all)).toBe(true);
      expect(sent(node)).toBe(2);
    },
  );

  it('work without a disk', async () => {
    const node = await replay();
    await writeFile(join(directory, 'file'), '');
    const cache = createDescriptorCache(join(directory, 'file'));
    expect((await start(node.url, { cache }).pool()).services.length).toBeGreaterThan(50);
  });
});

describe('descriptors that cannot be read', () => {
  let chain: TestChain;
  beforeEach(async () => {
    chain = await startChain({ bare: true });
    closing.push(() => chain.devnet.close());
  });

  const called = (): number =>
    chain.node.counters.log.filter(({ params }) => JSON.stringify(params ?? null).includes('FileDescriptors')).length;

  it('because the nodes do not serve them fail, without a new call each time', async () => {
    chain.node.faults.call = ({ params }) =>
      JSON.stringify(params ?? null).includes('FileDescriptors')
        ? { abci: { code: 6, codespace: 'sdk', log: 'unknown query path: unknown request' } }
        : undefined;
    const descriptors = start(chain.node.url);
    const refusal = { code: 'ABCI_QUERY_FAILED', cause: { response: { log: 'unknown query path: unknown request' } } };
    for (let time = 0; time < 3; time += 1) await expect(descriptors.pool()).rejects.toMatchObject(refusal);
    expect(called()).toBe(1);
  });

  it('because of an error are read again', async () => {
    const descriptors = start(chain.node.url);
    chain.node.faults.call = ({ method }) =>
      method === 'abci_info' ? { rpc: { code: -32603, message: 'Internal error', data: 'not now' } } : undefined;
    await expect(descriptors.pool()).rejects.toMatchObject({ code: 'RPC_ERROR' });
    chain.node.heal();
    await descriptors.pool().catch(() => undefined);
    expect(called()).toBe(1);
  });

  it('are not stored on disk for an application without a version', async () => {
    chain.node.faults.forge = ({ method }, result) =>
      method === 'abci_info' ? { response: { ...(result as { response: JsonObject }).response, version: '' } } : result;
    const cache = createDescriptorCache(directory);
    await start(chain.node.url, { cache }).pool();
    await start(chain.node.url, { cache }).pool();
    expect([called(), await readdir(directory)]).toEqual([2, []]);
  });

  it.each<[string, () => Uint8Array]>(
    some(
      [
        ['are empty', () => new Uint8Array()],
        ['lack a file that another one imports', () => without(readDescriptors(), 'cosmos/base/v1beta1/coin.proto')],
        ['do not parse', () => damaged(readDescriptors())],
      ],
      3,
    ),
  )('because %s are kept neither in memory nor on disk, and are read again after a while', async (_, spoil) => {
    const good = Buffer.from(readDescriptors()).toString('base64');
    let value = Buffer.from(spoil()).toString('base64');
    chain.node.faults.forge = ({ params }, result) =>
      JSON.stringify(params ?? null).includes('FileDescriptors')
        ? { response: { ...(result as { response: JsonObject }).response, code: 0, value } }
        : result;
    const cache = createDescriptorCache(directory);
    const patient = start(chain.node.url, { cache, retryWait: 60_000 });
    for (let time = 0; time < 3; time += 1)
      await expect(patient.pool()).rejects.toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
    expect([called(), patient.loaded(), await readdir(directory)]).toEqual([1, undefined, []]);
    const descriptors = start(chain.node.url, { cache, retryWait: 1 });
    await expect(descriptors.pool()).rejects.toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
    value = good;
    await expect.poll(() => descriptors.pool().catch(() => undefined)).toBeDefined();
    expect(descriptors.loaded()?.message('cosmos.base.v1beta1.Coin')).toBeDefined();
    expect(await readdir(directory)).toHaveLength(2);
  });

  it('because the nodes do not serve them are those of the disk, if it has some of the same version', async () => {
    let version = '';
    chain.node.faults.forge = ({ method }, result) => {
      if (method === 'abci_info') version = String((result as { response: JsonObject }).response.version);
      return result;
    };
    chain.node.faults.call = ({ params }) =>
      JSON.stringify(params ?? null).includes('FileDescriptors')
        ? { abci: { code: 6, codespace: 'sdk', log: 'unknown query path: unknown request' } }
        : undefined;
    await expect(start(chain.node.url).pool()).rejects.toMatchObject({ code: 'ABCI_QUERY_FAILED' });
    const cache = createDescriptorCache(directory);
    await cache.put(chain.devnet.chainId, version, readDescriptors());
    const before = called();
    const descriptors = start(chain.node.url, { cache });
    const pool = await descriptors.pool();
    await expect.poll(() => called() - before).toBe(1);
    expect(await descriptors.pool()).toBe(pool);
    expect(called() - before).toBe(1);
  });

  it.runIf(runsAll)('because the file on disk lacks a file are replaced by those of the node', async () => {
    const value = Buffer.from(readDescriptors()).toString('base64');
    let version = '';
    chain.node.faults.forge = ({ method, params }, result) => {
      const { response } = result as { response: JsonObject };
      if (method === 'abci_info') version = String(response.version);
      return JSON.stringify(params ?? null).includes('FileDescriptors')
        ? { response: { ...response, code: 0, value } }
        : result;
    };
    await start(chain.node.url).pool();
    const cache = createDescriptorCache(directory);
    const incomplete = without(readDescriptors(), 'cosmos/base/v1beta1/coin.proto');
    await cache.put(chain.devnet.chainId, version, incomplete);
    const before = called();
    const pool = await start(chain.node.url, { cache }).pool();
    expect([called() - before, pool.message('cosmos.base.v1beta1.Coin')?.name]).toEqual([1, 'Coin']);
    const kept = await cache.get(chain.devnet.chainId, version);
    expect(Buffer.from(kept!).equals(readDescriptors())).toBe(true);
  });

  it.runIf(runsAll)('are read again for a new application version; the old ones serve meanwhile', async () => {
    const value = Buffer.from(readDescriptors()).toString('base64');
    const serve = (version: string, served = value): void => {
      chain.node.faults.forge = ({ method, params }, result) => {
        const { response } = result as { response: JsonObject };
        if (method === 'abci_info') return { response: { ...response, version } };
        return JSON.stringify(params ?? null).includes('FileDescriptors')
          ? { response: { ...response, code: 0, value: served } }
          : result;
      };
    };
    serve('v1.0.0');
    const descriptors = start(chain.node.url, { checkInterval: 0 });
    const first = await descriptors.pool();
    expect(await descriptors.pool()).toBe(first);
    expect(called()).toBe(1);
    // Other bytes with the same types: an unknown field at the end.
    serve('v1.0.1', Buffer.concat([readDescriptors(), Buffer.from([0x78, 1])]).toString('base64'));
    expect(await descriptors.pool()).toBe(first);
    // Each call reads the version in the background. The first call after that returns the new descriptors.
    await expect.poll(async () => (await descriptors.pool()) === first).toBe(false);
    expect(called()).toBe(2);
  });
});
