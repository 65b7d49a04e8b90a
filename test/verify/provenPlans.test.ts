import { expect, it } from 'vitest';
import { hashHeader } from '../../packages/verify/src/header.ts';
import {
  createPartialTree,
  equalBytes,
  type PartialTree,
  ProofError,
  readStoreRoot,
  verifyBefore,
  verifyKey,
  verifySigned,
} from '../../packages/verify/src/index.ts';
import type { HeldReads } from '../../packages/verify/src/plans/index.ts';
import { recording } from '../recordings/recording.ts';
import { runsAll } from '../support/atRandom.ts';
import { bytesOf, type ChainRow, lightBlockOf, trustAt } from './bundles.ts';
import { answerOf, answerText, type PlanQuery, recordedText } from './planWorld.ts';

interface ProvenRow {
  /** In hex. */
  readonly key: string;
  /** In base64; null if the key is absent. */
  readonly value: string | null;
  readonly iavl: string;
}

interface ProvenRange {
  readonly store: string;
  readonly prefix: string;
  readonly entries: readonly ProvenRow[];
  readonly start: string;
  readonly end: Omit<ProvenRow, 'key'>;
}

interface Bundle {
  readonly chainId: string;
  /** The block at the height of the reads, and the next one, whose header has the app hash. */
  readonly blocks: readonly [Pick<ChainRow, 'commit' | 'validators'>, Pick<ChainRow, 'commit' | 'validators'>];
  readonly simple: Readonly<Record<string, string>>;
  readonly keys: readonly (ProvenRow & { readonly store: string })[];
  readonly ranges: readonly ProvenRange[];
  readonly queries: readonly PlanQuery[];
}

const bundle = recording<Bundle>('plan-proofs');
const blocks = bundle.blocks.map(lightBlockOf);
const appHash = blocks[1]!.header.appHash;
const keyOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

/** The tree of a store with these proofs. */
function treeOf(store: string, ...proofs: readonly string[]): PartialTree {
  const top = readStoreRoot(bytesOf(bundle.simple[store] ?? ''), store);
  expect(equalBytes(top.appHash, appHash)).toBe(true);
  const tree = createPartialTree(top.root);
  for (const proof of proofs) tree.insert(bytesOf(proof));
  return tree;
}

/** Reads of a bundle. What it does not prove throws. */
function provenReads({ keys, ranges, simple }: Pick<Bundle, 'keys' | 'ranges' | 'simple'>): HeldReads {
  const unproven = () => new ProofError('NOT_PROVEN', 'The bundle has no proof of a read.');
  return {
    get(store, key) {
      const row = keys.find((one) => one.store === store && equalBytes(keyOf(one.key), key));
      if (row === undefined) throw unproven();
      const value = row.value === null ? undefined : bytesOf(row.value);
      verifyKey({ store, key, value, iavl: bytesOf(row.iavl), simple: bytesOf(simple[store] ?? '') }, appHash);
      return value ?? null;
    },
    range(store, prefix) {
      const range = ranges.find((one) => one.store === store && equalBytes(keyOf(one.prefix), prefix));
      if (range === undefined) throw unproven();
      const tree = treeOf(store, range.start, ...range.entries.map(({ iavl }) => iavl), range.end.iavl);
      const { rows, isComplete } = tree.range(prefix);
      if (!isComplete) throw unproven();
      return rows;
    },
  };
}

const context = { prefix: 'tp', time: blocks[0]!.header.time };

it('Recorded answers follow from reads that are proven to a header which the validators signed', async () => {
  const [before, next] = blocks;
  await verifySigned(next!, { ...trustAt(next!), chainId: bundle.chainId });
  verifyBefore(next!.header, { height: before!.header.height, hash: hashHeader(before!.header) });

  const reads = provenReads(bundle);
  for (const query of bundle.queries)
    expect([query.path, answerText(answerOf(query, reads, context))]).toEqual([query.path, recordedText(query)]);
  expect(bundle.queries).toHaveLength(49);
});

it.runIf(runsAll)('A range without one of its proofs has the same rows as before, or is not complete', () => {
  let tries = 0;
  let incomplete = 0;
  for (const { entries, store, prefix, start, end } of bundle.ranges) {
    const rows = entries.map(({ key, value }) => [keyOf(key), bytesOf(value ?? '')]);
    const proofs = [start, ...entries.map(({ iavl }) => iavl), end.iavl];
    for (const left of proofs.keys()) {
      tries++;
      const range = treeOf(store, ...proofs.toSpliced(left, 1)).range(keyOf(prefix));
      if (!range.isComplete) incomplete++;
      expect(range.rows).toEqual(range.isComplete ? rows : rows.slice(0, range.rows.length));
    }
  }
  expect([tries, incomplete]).toEqual([169, 102]);
});

it('No answer follows from a changed value, or from an absence that is not proven', () => {
  for (const row of bundle.keys) {
    const value = row.value === null ? 'AAAA' : null;
    const keys = bundle.keys.map((one) => (one === row ? { ...row, value } : one));
    expect(() => provenReads({ ...bundle, keys }).get(row.store, keyOf(row.key))).toThrow(ProofError);
  }
});
