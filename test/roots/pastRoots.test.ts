import { describe, expect, it } from 'vitest';
import { createRandom } from '../../packages/devnet/src/app/runtime/random.ts';
import { createStore, type VersionedStore } from '../../packages/devnet/src/app/state/store.ts';
import { createPastRoots } from '../../src/chain/roots/pastRoots.ts';
import type { CallOptions, Transport } from '../../src/chain/transports/transport.ts';
import type { HeadBlock } from '../../src/chain/wire/block.ts';
import type { JsonObject } from '../../src/chain/wire/json.ts';
import { fc, rounds, runsAll } from '../support/atRandom.ts';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

/** A node that has nothing but the states of a store and the headers after them. */
function nodeOf(
  store: VersionedStore,
  hashes: readonly Uint8Array[],
  tamper: (appHash: Uint8Array) => Uint8Array = (hash) => hash,
) {
  const counts = { proofs: 0, headers: 0 };
  const respond = (method: string, params: JsonObject): JsonObject => {
    const height = BigInt(String(params.height));
    if (method === 'header') {
      counts.headers += 1;
      const appHash = Buffer.from(tamper(hashes[Number(height) - 1]!)).toString('hex');
      const id = { hash: '', parts: { total: 0, hash: '' } };
      const texts = Object.fromEntries(
        ['last_commit', 'data', 'validators', 'next_validators', 'consensus', 'last_results', 'evidence'].map((name) => [
          `${name}_hash`,
          '',
        ]),
      );
      const header = {
        version: { block: '11' },
        chain_id: 'c',
        height: String(height),
        time: '2026-01-01T00:00:00Z',
        last_block_id: id,
      };
      return { header: { ...header, ...texts, app_hash: appHash, proposer_address: '' } };
    }
    counts.proofs += 1;
    const name = String(params.path).split('/')[2]!;
    const ops = store
      .at(height)!
      .prove(name, '\u00ff')
      .map(({ type, key, data }) => ({ type, key: base64(key), data: base64(data) }));
    return { response: { code: 0, log: '', height: String(height), value: null, key: null, codespace: '', proofOps: { ops } } };
  };
  const transport = {
    call: async (method: string, params: JsonObject, { decode }: CallOptions<unknown>) => decode(respond(method, params)),
  } as Pick<Transport, 'call'> as Transport;
  const newest = (): HeadBlock => ({ height: BigInt(hashes.length) }) as HeadBlock;
  return { counts, roots: createPastRoots({ transport, newest }) };
}

/** The heights after `after` at which one of the stores changes, as the search finds them one after another. */
async function allChanges(
  { roots }: ReturnType<typeof nodeOf>,
  names: readonly string[],
  after: bigint,
  to: bigint,
): Promise<bigint[]> {
  const heights: bigint[] = [];
  for (let height: bigint | undefined = after; height !== undefined; ) {
    height = await roots.nextChange(names, height, to);
    if (height !== undefined) heights.push(height);
  }
  return heights;
}

describe('the search of changes', () => {
  it.runIf(runsAll)(
    'finds the 40 changes of a store in 100,000 blocks with less than 1,000 roots, and again with none',
    async () => {
      const heights = 100_000;
      const random = createRandom(1);
      const store = createStore(['group', 'upgrade', 'bank']);
      const changed = new Set<bigint>();
      while (changed.size < 40) changed.add(3n + BigInt(random.below(heights - 5)));
      const hashes: Uint8Array[] = [];
      for (let height = 0n; height < heights; height += 1n) {
        const branch = store.branch();
        if (height === 0n)
          for (const key of ['a', 'b', 'c']) for (const name of ['group', 'upgrade', 'bank']) branch.set(name, key, bytes(key));
        // Another store changes at every block.
        branch.set('bank', 'a', bytes(String(height)));
        if (changed.has(height)) branch.set('group', `key${random.below(20)}`, bytes('same'));
        hashes.push(store.commit(height, branch));
      }
      const node = nodeOf(store, hashes);
      const found = await allChanges(node, ['group', 'upgrade'], 2n, BigInt(heights) - 2n);
      expect(found).toEqual([...changed].sort((a, b) => (a < b ? -1 : 1)));
      const { proofs } = node.counts;
      process.stdout.write(`${heights} blocks, ${found.length} changes: ${proofs} roots, ${node.counts.headers} headers\n`);
      expect(proofs).toBeLessThan(1_000);
      await allChanges(node, ['group', 'upgrade'], 2n, BigInt(heights) - 2n);
      expect(node.counts.proofs).toBe(proofs);
    },
  );

  it('finds every write to stores of any size, also one that another write takes back', async () => {
    const names = ['one', 'three', 'two'];
    const write = fc.record({
      store: fc.constantFrom(...names),
      key: fc.constantFrom('a', 'b', 'c'),
      isDeletion: fc.boolean(),
    });
    const blocks = fc.array(fc.option(fc.array(write, { maxLength: 2 }), { freq: 2, nil: [] }), {
      minLength: 10,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(blocks, fc.array(fc.nat(59), { maxLength: 5 }), async (each, early) => {
        const store = createStore(names);
        const hashes: Uint8Array[] = [];
        const trees: string[] = [];
        // A store with many keys, one with few, and one that begins empty.
        for (const [index, writes] of [[], [], ...each].entries()) {
          const branch = store.branch();
          if (index === 0) for (const key of ['a', 'b', 'x', 'y', 'z']) branch.set('three', key, bytes(key));
          for (const { store: name, key, isDeletion } of writes)
            if (isDeletion) branch.delete(name, key);
            else branch.set(name, key, bytes('v'));
          hashes.push(store.commit(BigInt(index), branch));
          trees.push(
            names.map((name) => [...store.at(BigInt(index))!.entries(name, '')].map(({ key }) => key).join()).join(' '),
          );
        }
        const to = BigInt(hashes.length) - 2n;
        const node = nodeOf(store, hashes);
        // What is known before must not matter.
        for (const height of early) if (BigInt(height) + 2n <= to) await node.roots.learn(names, BigInt(height) + 2n);
        const found = new Set(await allChanges(node, names, 2n, to));
        for (let height = 3n; height <= to; height += 1n) {
          const isChanged = trees[Number(height)] !== trees[Number(height) - 1];
          if (isChanged) expect(found, `the change at ${height}`).toContain(height);
          const hasSameHash = Buffer.compare(hashes[Number(height)]!, hashes[Number(height) - 1]!) === 0;
          if (hasSameHash) expect(found, `no change at ${height}`).not.toContain(height);
        }
      }),
      { numRuns: rounds(200) },
    );
  });

  it('refuses a proof that does not lead to the next header', async () => {
    const store = createStore(['group']);
    const hashes = [0n, 1n, 2n, 3n].map((height) => {
      const branch = store.branch();
      branch.set('group', 'a', bytes(String(height)));
      return store.commit(height, branch);
    });
    const { roots } = nodeOf(store, hashes, (hash) => Uint8Array.from(hash, (byte) => byte ^ 1));
    await expect(roots.nextChange(['group'], 2n, 2n + 1n)).rejects.toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
  });
});
