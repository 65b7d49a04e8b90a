import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BoundedCache, createSharedCache } from '../../../src/chain/memory/memoryBudget.ts';
import type { StateRoots } from '../../../src/chain/roots/stateRoots.ts';
import { createStateReader, Dependencies, type StateReader } from '../../../src/chain/state/state.ts';
import {
  type Decoder,
  encodedQuery,
  packed,
  readKeyText,
  type StateEntry,
  sizeOfEntry,
} from '../../../src/chain/state/stateEntries.ts';
import { type HttpTransport, http } from '../../../src/chain/transports/http.ts';
import { QueryGroupInfoRequestSchema, QueryGroupInfoResponseSchema } from '../../../src/proto/cosmos/group/v1/query_pb.js';
import { startChain, type TestChain } from '../../support/chain.ts';

const path = '/cosmos.group.v1.Query/GroupInfo';
const group = (id: bigint): Uint8Array =>
  toBinary(QueryGroupInfoRequestSchema, create(QueryGroupInfoRequestSchema, { groupId: id }));

interface Named {
  readonly id: bigint;
  readonly admins: readonly { readonly address: string }[];
}

/** Counts how often it decodes. A group that does not exist is null. */
function createCounter(): Decoder<[], Named | null> & { decoded: number } {
  return {
    decoded: 0,
    decode(response) {
      this.decoded += 1;
      const { info } = fromBinary(QueryGroupInfoResponseSchema, response);
      return { id: info!.id, admins: [{ address: info!.admin }] };
    },
    refused: () => null,
  };
}

let chain: TestChain;
let transport: HttpTransport;
let cache: Pick<BoundedCache<unknown>, 'counts'>;
/** The roots and block times by height. */
let known: Map<bigint, { readonly key: string; readonly time: bigint }>;
const roots: Pick<StateRoots, 'keyAt' | 'timeAt' | 'settled'> = {
  keyAt: (height) => known.get(height)?.key,
  timeAt: (height) => known.get(height)?.time,
  settled: () => undefined,
};

beforeEach(async () => {
  chain = await startChain();
  while (chain.devnet.height < 4n) await chain.devnet.commit();
  transport = http(chain.node.url, { timeout: 1000 });
  known = new Map([2n, 3n].map((height) => [height, { key: 'same', time: height }]));
  chain.node.counters.reset();
});

afterEach(async () => {
  await transport.close();
  await chain.devnet.close();
});

function readerOf(state = memory(1_000_000)): StateReader {
  return createStateReader({ transport, chain: () => 'c', cache: state, roots });
}

function memory(bytes: number): BoundedCache<StateEntry> {
  const added = createSharedCache(bytes).add(sizeOfEntry);
  cache = added;
  return added;
}

describe('a value in memory', () => {
  it('is returned at once, decoded once, and the same at every height with the same roots', async () => {
    const [reader, decoder] = [readerOf(), createCounter()];
    const first = reader.at(2n).read({ path, request: group(1n) }, decoder, []);
    expect(first).toBeInstanceOf(Promise);
    const value = await first;
    expect(value).toMatchObject({ id: 1n });
    expect(reader.at(2n).read({ path, request: group(1n) }, decoder, [])).toBe(value);
    expect(reader.at(3n).read({ path, request: group(1n) }, decoder, [])).toBe(value);
    expect(decoder.decoded).toBe(1);
    expect(chain.node.counters.calls).toBe(1);
    // The roots at this height are unknown.
    expect(reader.at(4n).read({ path, request: group(1n) }, decoder, [])).toBeInstanceOf(Promise);
  });

  it('is decoded once for reads that wait for one response', async () => {
    const [reader, decoder] = [readerOf(), createCounter()];
    const reads = [2n, 2n, 2n].map((height) => reader.at(height).read({ path, request: group(1n) }, decoder, []));
    const values = await Promise.all(reads);
    expect(new Set(values).size).toBe(1);
    expect(decoder.decoded).toBe(1);
  });

  it('is decoded once for equal responses at heights whose roots are unknown', async () => {
    const [reader, decoder, query] = [readerOf(), createCounter(), encodedQuery(path, group(1n))];
    const value = await reader.at(2n).read(query, decoder, []);
    expect(await reader.at(4n).read(query, decoder, [])).toBe(value);
    expect(await reader.at(1n).read(query, decoder, [])).toBe(value);
    expect(chain.node.counters.calls).toBe(3);
    expect(decoder.decoded).toBe(1);
  });

  it('is that of its own height if the last response to the query was another one', async () => {
    const [state, decoder, query] = [memory(100_000), createCounter(), encodedQuery(path, group(1n))];
    const reader = readerOf(state);
    await reader.at(4n).read(query, decoder, []);
    const last = { answer: packed({ value: groupResponse(7n), validUntil: null }), decoded: undefined };
    state.set(readKeyText({ chain: 'c', height: 4n, ...query }), last);
    expect(reader.at(4n).read(query, decoder, [])).toMatchObject({ id: 7n });
    expect(await reader.at(1n).read(query, decoder, [])).toMatchObject({ id: 1n });
    expect(reader.at(4n).read(query, decoder, [])).toMatchObject({ id: 7n });
  });

  it('is frozen at any depth', async () => {
    const reader = readerOf();
    const value = (await reader.at(2n).read({ path, request: group(1n) }, createCounter(), []))!;
    expect([value, value.admins, value.admins[0]].every(Object.isFrozen)).toBe(true);
  });

  it('is noted like a response of the node', async () => {
    const [reader, decoder] = [readerOf(), createCounter()];
    const [cold, warm] = [new Dependencies(), new Dependencies()];
    await reader.at(2n, undefined, cold).read({ path, request: group(1n) }, decoder, []);
    reader.at(3n, undefined, warm).read({ path, request: group(1n) }, decoder, []);
    const stores = ['group', 'upgrade'];
    const named = [{ name: `${path}?${Buffer.from(group(1n)).toString('base64')}`, stores }];
    expect(warm.carried()).toEqual({ stores, validUntil: null, reads: 1, named });
    expect(cold.carried()).toEqual(warm.carried());
  });

  it('makes an operation depend on the height if its method is not carried', async () => {
    const key = { chain: 'c', height: 2n, path: '/cosmos.group.v1.Query/Unknown', request: group(1n) };
    const state = memory(100_000);
    state.set(readKeyText(key), { answer: packed({ value: groupResponse(7n), validUntil: null }), decoded: undefined });
    const dependencies = new Dependencies();
    const value = readerOf(state).at(2n, undefined, dependencies).read(key, createCounter(), []);
    expect(value).toMatchObject({ id: 7n });
    expect(dependencies.carried()).toBeUndefined();
  });

  it('is not returned from the block on whose time it expires, and carries its expiry before', async () => {
    const state = memory(100_000);
    const key = { chain: 'c', height: 2n, roots: 'same', path, request: group(1n) };
    state.set(readKeyText(key), { answer: packed({ value: groupResponse(7n), validUntil: 3n }), decoded: undefined });
    const dependencies = new Dependencies();
    const early = readerOf(state)
      .at(2n, undefined, dependencies)
      .read({ path, request: group(1n) }, createCounter(), []);
    expect(early).toMatchObject({ id: 7n });
    expect(dependencies.carried()).toMatchObject({ validUntil: 3n });
    const late = readerOf(state)
      .at(3n)
      .read({ path, request: group(1n) }, createCounter(), []);
    expect(await late).toMatchObject({ id: 1n });
  });

  it('is null at once for an object that does not exist, and the operation depends on the height', async () => {
    const [reader, decoder] = [readerOf(), createCounter()];
    expect(await reader.at(2n).read({ path, request: group(99n) }, decoder, [])).toBeNull();
    const dependencies = new Dependencies();
    expect(reader.at(2n, undefined, dependencies).read({ path, request: group(99n) }, decoder, [])).toBeNull();
    expect(dependencies.carried()).toBeUndefined();
    expect(chain.node.counters.calls).toBe(1);
  });

  it('is not returned to a caller that left', async () => {
    const [reader, decoder] = [readerOf(), createCounter()];
    await reader.at(2n).read({ path, request: group(1n) }, decoder, []);
    const signal = AbortSignal.abort(new Error('left'));
    await expect(reader.at(2n, signal).read({ path, request: group(1n) }, decoder, [])).rejects.toThrow('left');
  });
});

function groupResponse(id: bigint): Uint8Array {
  return toBinary(QueryGroupInfoResponseSchema, create(QueryGroupInfoResponseSchema, { info: { id, admin: 'tp1' } }));
}

describe('the memory of decoded values', () => {
  it('is part of the bound, and a value that does not fit is decoded again but not read again', async () => {
    const large: Decoder<[], string> = { decode: () => 'x'.repeat(20_000), refused: () => '' };
    const roomy = readerOf(memory(200_000));
    await roomy.at(2n).read({ path, request: group(1n) }, large, []);
    expect(cache.counts().bytes).toBeGreaterThan(20_000);

    const narrow = readerOf(memory(40_000));
    await narrow.at(2n).read({ path, request: group(1n) }, large, []);
    expect(cache.counts()).toMatchObject({ entries: 1 });
    expect(cache.counts().bytes).toBeLessThan(1_000);
    expect(narrow.at(3n).read({ path, request: group(1n) }, large, [])).toHaveLength(20_000);
    expect(chain.node.counters.calls).toBe(2);
  });
});

describe('failures', () => {
  it('of the decoder reject, make the operation depend on the height, and are not kept', async () => {
    const broken: Decoder<[], Named> = {
      decode: () => {
        throw new Error('malformed');
      },
      refused: () => {
        throw new Error('not asked');
      },
    };
    const [reader, decoder] = [readerOf(), createCounter()];
    await reader.at(2n).read({ path, request: group(1n) }, decoder, []);
    const dependencies = new Dependencies();
    const failed = reader.at(2n, undefined, dependencies).read({ path, request: group(1n) }, broken, []);
    await expect(failed).rejects.toThrow('malformed');
    expect(dependencies.carried()).toBeUndefined();
    expect(reader.at(2n).read({ path, request: group(1n) }, decoder, [])).toMatchObject({ id: 1n });
    await expect(reader.at(4n).read({ path, request: group(1n) }, broken, [])).rejects.toThrow('malformed');
  });
});
