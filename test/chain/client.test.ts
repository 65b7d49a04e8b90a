import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommittedBlock } from '../../src/chain/blocks/committedBlock.ts';
import { type Client, createClient } from '../../src/chain/client.ts';
import { createSharedCache } from '../../src/chain/memory/memoryBudget.ts';
import { readKeyText, sizeOfEntry } from '../../src/chain/state/stateEntries.ts';
import { http } from '../../src/chain/transports/http.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { QueryGroupInfoRequestSchema, QueryGroupInfoResponseSchema } from '../../src/proto/cosmos/group/v1/query_pb.js';
import { any, startChain, type TestChain } from '../support/chain.ts';

const path = '/cosmos.group.v1.Query/GroupInfo';
const group = (id: bigint): Uint8Array =>
  toBinary(QueryGroupInfoRequestSchema, create(QueryGroupInfoRequestSchema, { groupId: id }));

let chain: TestChain;
const clients: Client[] = [];

async function clientOver(): Promise<Client> {
  const client = createClient({
    transport: http(chain.node.url, { timeout: 1000 }),
    learnsRoots: false,
  });
  clients.push(client);
  await client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  chain.node.counters.reset();
  return client;
}

const queries = (): number => chain.node.counters.byMethod.abci_query ?? 0;

beforeEach(async () => {
  chain = await startChain();
  await chain.devnet.commit();
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await chain.devnet.close();
});

describe('state', () => {
  it('is read once for each height and request, and concurrent reads are joined', async () => {
    const client = await clientOver();
    const [one, same, other] = await Promise.all([1n, 1n, 2n].map((id) => client.at(2n).query(path, group(id))));
    expect(queries()).toBe(2);
    expect(fromBinary(QueryGroupInfoResponseSchema, one!).info?.id).toBe(1n);
    expect(same).toEqual(one);
    expect(fromBinary(QueryGroupInfoResponseSchema, other!).info?.id).toBe(2n);
    await client.at(2n).query(path, group(1n));
    expect(queries()).toBe(2);
    await client.at(1n).query(path, group(1n));
    expect(queries()).toBe(3);
  });

  const missing = {
    code: 'ABCI_QUERY_FAILED',
    facts: { abciCode: 6, codespace: 'sdk', log: 'group: not found: unknown request' },
  };

  it('caches that an object does not exist at a height, and no other refusal', async () => {
    const client = await clientOver();
    const errors: unknown[] = [];
    for (let time = 1; time <= 3; time += 1) {
      const error: unknown = await client
        .at(2n)
        .query(path, group(99n))
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject(missing);
      errors.push((error as Error).cause);
    }
    expect(queries()).toBe(1);
    // The errors are equal to the last member.
    expect(errors[2]).toEqual(errors[0]);
    expect(errors[0]).toMatchObject({ response: { code: 6, height: '2', codespace: 'sdk', value: null } });
    await expect(client.at(1n).query(path, group(99n))).rejects.toMatchObject(missing);
    await expect(client.at(2n).query(path, group(98n))).rejects.toMatchObject(missing);
    expect(queries()).toBe(3);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a refusal of the node itself, without a height', { height: '0' }],
    ['a refusal for another height', { height: '1' }],
    ['a refusal of another codespace', { codespace: 'undefined' }],
    ['code 38, which means a pruned height', { code: 38 }],
    ['an invalid request', { code: 18, log: 'decoding bech32 failed: invalid separator index -1: invalid request' }],
    ['a transient error', { code: 6, log: 'rpc error: code = ResourceExhausted desc = out of gas: unknown request' }],
    ['a very long log', { code: 6, log: `${'x'.repeat(2000)}: not found: unknown request` }],
  ])('does not cache %s', async (_, changed) => {
    const client = await clientOver();
    chain.node.faults.forge = (_call, result) => {
      const { response } = JSON.parse(JSON.stringify(result)) as { response: object };
      return { response: { ...response, ...changed } } as never;
    };
    await expect(client.at(2n).query(path, group(99n))).rejects.toMatchObject({ code: 'ABCI_QUERY_FAILED' });
    await expect(client.at(2n).query(path, group(99n))).rejects.toMatchObject({ code: 'ABCI_QUERY_FAILED' });
    expect(queries()).toBe(2);
  });

  it('does not cache refusals that are not about the height', async () => {
    const client = await clientOver();
    chain.node.faults.forge = () =>
      ({ response: { code: 22, codespace: 'sdk', log: 'tx not found: key not found', height: '2', value: null } }) as never;
    for (let time = 1; time <= 2; time += 1) {
      const reads = client.at(2n).query('/cosmos.tx.v1beta1.Service/GetTx', group(1n));
      await expect(reads).rejects.toMatchObject({ facts: { abciCode: 22 } });
      expect(queries()).toBe(time);
    }
  });

  it('does not cache an invalid response', async () => {
    const client = await clientOver();
    chain.node.faults.answer = 'garbage';
    await expect(client.at(2n).query(path, group(1n))).rejects.toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
    chain.node.heal();
    expect(fromBinary(QueryGroupInfoResponseSchema, await client.at(2n).query(path, group(1n))).info?.id).toBe(1n);
  });

  it('distinguishes a pruned height, a future height and a response for another height', async () => {
    const client = await clientOver();
    await expect(client.at(77n).query(path, group(1n))).rejects.toMatchObject({
      code: 'HEIGHT_NOT_YET_AVAILABLE',
      facts: { height: 77n },
    });
    chain.node.prune(2n);
    await expect(client.at(1n).query(path, group(1n))).rejects.toMatchObject({ code: 'HEIGHT_PRUNED', facts: { height: 1n } });
    const key = Buffer.from('00000000000000000001', 'hex');
    await expect(client.at(1n).store('group', { key })).rejects.toMatchObject({ code: 'HEIGHT_PRUNED' });
    chain.node.faults.forge = (_call, result) => JSON.parse(JSON.stringify(result).replace('"height":"2"', '"height":"1"'));
    await expect(client.at(2n).query(path, group(1n))).rejects.toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
  });

  it('reads the raw store by key', async () => {
    const client = await clientOver();
    const key = Buffer.from('00000000000000000001', 'hex');
    const { value } = await client.at(2n).store('group', { key });
    const answer = await client.at(2n).query(path, group(1n));
    // The store holds the encoded GroupInfo that the response contains as field 1 (docs/chain.md, "Keys of stores").
    expect(Buffer.from(answer).subarray(-value!.length)).toEqual(Buffer.from(value!));
    expect(await client.at(2n).store('group', { key: Buffer.from('000000000000000000ff', 'hex') })).toEqual({
      value: undefined,
      proofOps: [],
    });
    const reads = queries();
    await client.at(2n).store('group', { key });
    expect(queries()).toBe(reads);
  });

  it('rejects at once for a caller that aborts, and continues for the others', async () => {
    const client = await clientOver();
    const released: { release?: () => void } = {};
    chain.node.faults.gate = new Promise<void>((resolve) => {
      released.release = resolve;
    });
    const leaving = new AbortController();
    const left = client.at(2n, leaving.signal).query(path, group(1n));
    const stays = client.at(2n, new AbortController().signal).query(path, group(1n));
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    released.release!();
    expect(fromBinary(QueryGroupInfoResponseSchema, await stays).info?.id).toBe(1n);
  });
});

describe('blocks', () => {
  it('known to the head need no call, and older ones need one', async () => {
    const client = await clientOver();
    const height = await chain.devnet.commit();
    await client.head.waitFor(height, { milliseconds: 30_000 });
    chain.node.counters.reset();
    const newest = await client.block(height);
    expect(newest.header).toMatchObject({ height, chainId: chain.devnet.chainId });
    expect(chain.node.counters.calls).toBe(0);
    const [first, again] = await Promise.all([client.block(1n), client.block(1n)]);
    expect(first.header.height).toBe(1n);
    expect(again).toBe(first);
    await client.block(1n);
    expect(chain.node.counters.byMethod).toEqual({ block: 1 });
  });
});

describe('the block log', () => {
  it('also serves single blocks and their transactions without a call', async () => {
    const client = await clientOver();
    const [from, to] = chain.accounts;
    await chain.submit(
      from!,
      any(MsgSendSchema, {
        fromAddress: from!.address,
        toAddress: to!.address,
        amount: [{ denom: 'nhash', amount: '5' }],
      }),
    );
    const height = await chain.devnet.commit();
    const seen: CommittedBlock[] = [];
    for await (const block of client.blocks.from(0n)) {
      seen.push(block);
      if (block.header.height === height) break;
    }
    chain.node.counters.reset();
    for (const block of seen) expect(await client.block(block.header.height)).toBe(block);
    const transaction = seen.at(-1)!.transactions[0]!;
    expect(client.blocks.transaction(transaction.hash)).toEqual({ block: seen.at(-1), transaction });
    expect(chain.node.counters.calls).toBe(0);
  });
});

describe('the cache of responses', () => {
  it('is bounded in bytes and evicts the least recently used response', () => {
    const cache = createSharedCache(12_000).add(sizeOfEntry);
    const key = (height: bigint): string => readKeyText({ chain: 'c', height, path: '/p', request: new Uint8Array() });
    const put = (height: bigint, bytes: number): void =>
      cache.set(key(height), { answer: new Uint8Array(bytes), decoded: undefined });
    for (let height = 1n; height <= 4n; height += 1n) put(height, 2000);
    expect(cache.get(key(1n))?.answer).toHaveLength(2000);
    put(5n, 2000);
    expect(cache.get(key(2n))).toBeUndefined();
    expect(cache.get(key(1n))?.answer).toHaveLength(2000);
    put(6n, 20_000);
    expect(cache.get(key(6n))).toBeUndefined();
  });
});
