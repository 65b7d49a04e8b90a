import { createHash } from 'node:crypto';
import { iavlSpec, ics23, tendermintSpec, verifyMembership, verifyNonMembership } from '@confio/ics23';
import { describe, expect, it } from 'vitest';
import { chainStores } from '../../../packages/devnet/src/app/keepers/stores.ts';
import { bytesOf, keyOf } from '../../../packages/devnet/src/app/state/bytes.ts';
import { createStore } from '../../../packages/devnet/src/app/state/store.ts';
import { decodeSimpleProof } from '../../../src/chain/roots/storeRoots.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { fc, runsAll } from '../../support/atRandom.ts';
import { createChain, message } from './harness.ts';

interface ProofOp {
  readonly type: string;
  readonly key: Uint8Array;
  readonly data: Uint8Array;
}

/**
 * Verifies both operations with @confio/ics23: the value of a key, or its absence if `value` is null, under the store's root, and
 * the root under the app hash. Returns the root.
 */
function verify(
  ops: readonly ProofOp[] | null,
  appHash: Uint8Array,
  store: string,
  key: Uint8Array,
  value: Uint8Array | null,
): string {
  const [iavl, simple] = ops!;
  expect(ops!.map(({ type, key: of }) => [type, keyOf(of)])).toEqual([
    ['ics23:iavl', keyOf(key)],
    ['ics23:simple', store],
  ]);
  const rootProof = ics23.CommitmentProof.decode(simple!.data);
  const root = rootProof.exist!.value!;
  expect(verifyMembership(rootProof, tendermintSpec, appHash, bytesOf(store), root), `the root of ${store}`).toBe(true);
  const own = decodeSimpleProof(simple!.data, store);
  expect([own.appHash, own.root]).toEqual([Buffer.from(appHash).toString('hex'), Buffer.from(root).toString('hex')]);
  const keyProof = ics23.CommitmentProof.decode(iavl!.data);
  const neighbours = [keyProof.nonexist?.left, keyProof.nonexist?.right].filter((each) => each != null);
  if (value !== null) expect(verifyMembership(keyProof, iavlSpec, root, key, value)).toBe(true);
  else if (neighbours.length === 0) expect(own.root).toBe(createHash('sha256').digest('hex'));
  // The library rejects every entry with an empty value. Such entries occur on the chain too.
  else if (neighbours.every((each) => each.value?.length)) {
    expect(verifyNonMembership(keyProof, iavlSpec, root, key), `absence in ${store}`).toBe(true);
  }
  return own.root;
}

describe('proofs of the devnet', () => {
  it('of every store lead to the app hash after the block, and show which stores a block changes', () => {
    const chain = createChain({});
    const [from, to] = chain.accounts;
    const rootsAfter = (appHash: Uint8Array): ReadonlyMap<string, string> =>
      new Map(
        chainStores.map((store) => {
          const { proofOps, key, value } = chain.raw(`/store/${store}/key`, Uint8Array.of(255), 0n, true);
          return [store, verify(proofOps, appHash, store, key!, value)];
        }),
      );
    const changed = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] =>
      chainStores.filter((store) => a.get(store) !== b.get(store));
    chain.block();
    const first = rootsAfter(chain.block().appHash);
    const idle = rootsAfter(chain.block().appHash);
    expect(changed(first, idle)).toEqual(['distribution', 'mint', 'slashing', 'staking']);
    const send = message(MsgSendSchema, {
      fromAddress: from!.address,
      toAddress: to!.address,
      amount: [{ denom: 'nhash', amount: '7' }],
    });
    const { txResults, appHash } = chain.block([chain.sign(from!, [send])]);
    expect(txResults[0]).toMatchObject({ code: 0 });
    expect(changed(idle, rootsAfter(appHash))).toEqual(['acc', 'bank', 'distribution', 'mint', 'slashing', 'staking']);
  });

  it('of stored and absent keys verify at every kept height, and none exists at height 1', () => {
    const chain = createChain({});
    const hashes = Array.from({ length: 3 }, () => chain.block().appHash);
    let absences = 0;
    for (const height of [2n, 3n, 4n]) {
      for (const [store, hex] of [
        ['group', '00000000000000000001'],
        ['group', '20ffffffffffffffff'],
        ['name', '00'],
        ['upgrade', '00'],
      ] as const) {
        const key = Buffer.from(hex, 'hex');
        const { proofOps, value } = chain.raw(`/store/${store}/key`, key, height, true);
        absences += Number(value === null);
        verify(proofOps, hashes[Number(height) - 2]!, store, Uint8Array.from(key), value);
      }
    }
    expect(absences).toBe(9);
    expect(chain.raw('/store/group/key', Uint8Array.of(255), 1n, true)).toMatchObject({
      proofOps: null,
      log: 'cannot query with proof when height <= 1; please provide a valid height: invalid request',
    });
    expect(chain.raw('/store/group/key', Uint8Array.of(255), 2n, false)).toMatchObject({ code: 0, proofOps: null });
  });

  it.runIf(runsAll)(
    'verify for any history of writes and deletions, and a store gets another root exactly when something is written to it',
    () => {
      const key = fc.string({
        unit: fc.constantFrom('\x00', 'a', '\xff'),
        minLength: 1,
        maxLength: 2,
      });
      const write = fc.record({ store: fc.constantFrom('a', 'b'), key, remove: fc.boolean() });
      fc.assert(
        fc.property(
          fc.array(fc.array(write, { maxLength: 12 }), { maxLength: 8 }),
          fc.array(key, { maxLength: 6 }),
          (blocks, probes) => {
            const store = createStore(['a', 'b', 'c']);
            let roots: Record<string, string> = {};
            for (const [height, writes] of blocks.entries()) {
              const branch = store.branch();
              // One operation for each key, all with the same value: an equal value is a write too, as on the chain.
              const last = new Map(writes.map((each) => [`${each.store}/${each.key}`, each]));
              const written = new Set<string>();
              for (const { store: name, key: at, remove } of last.values()) {
                if (!remove || branch.get(name, at) !== undefined) written.add(name);
                if (remove) branch.delete(name, at);
                else branch.set(name, at, Buffer.from('value'));
              }
              const appHash = store.commit(BigInt(height), branch);
              const state = store.at(BigInt(height))!;
              const now: Record<string, string> = {};
              for (const name of ['a', 'b', 'c']) {
                for (const probe of ['\xff\xff\xff', ...probes]) {
                  now[name] = verify(state.prove(name, probe), appHash, name, bytesOf(probe), state.get(name, probe) ?? null);
                }
                if (height > 0) expect(now[name] !== roots[name], name).toBe(written.has(name));
              }
              roots = now;
            }
          },
        ),
        { numRuns: 25 },
      );
    },
  );
});
