import { expect, it } from 'vitest';
import { hashHeader } from '../../packages/verify/src/header.ts';
import {
  equalBytes,
  ProofError,
  readStoreRoot,
  verifyBefore,
  verifyKey,
  verifyRange,
  verifySigned,
} from '../../packages/verify/src/index.ts';
import type { HeldReads } from '../../packages/verify/src/plans/index.ts';
import { recording } from '../recordings/recording.ts';
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
      const entries = range.entries.map(({ key, value, iavl }) => ({
        key: keyOf(key),
        value: bytesOf(value ?? ''),
        proof: bytesOf(iavl),
      }));
      const end = {
        value: range.end.value === null ? undefined : bytesOf(range.end.value),
        proof: bytesOf(range.end.iavl),
      };
      const root = verifyRange({ prefix, entries, start: bytesOf(range.start), end });
      const top = readStoreRoot(bytesOf(simple[store] ?? ''), store);
      if (!equalBytes(root, top.root) || !equalBytes(top.appHash, appHash)) throw unproven();
      return entries.map(({ key, value }) => [key, value] as const);
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

/** The reads of a bundle with another list of rows in one of its ranges. */
const withEntries = (range: ProvenRange, entries: readonly ProvenRow[]): HeldReads =>
  provenReads({ ...bundle, ranges: bundle.ranges.map((one) => (one === range ? { ...range, entries } : one)) });

it('No answer follows from a range without one of its rows, or with two rows in each other’s place', () => {
  let tries = 0;
  for (const range of bundle.ranges) {
    const { entries, store } = range;
    const changes = entries.flatMap((_, at) => [
      entries.toSpliced(at, 1),
      ...(at === 0 ? [] : [entries.toSpliced(at - 1, 2, entries[at]!, entries[at - 1]!)]),
    ]);
    for (const change of changes) {
      tries++;
      expect(() => withEntries(range, change).range(store, keyOf(range.prefix), {})).toThrow(ProofError);
    }
  }
  expect(tries).toBeGreaterThan(150);
});

it('No answer follows from a changed value, or from an absence that is not proven', () => {
  for (const row of bundle.keys) {
    const value = row.value === null ? 'AAAA' : null;
    const keys = bundle.keys.map((one) => (one === row ? { ...row, value } : one));
    expect(() => provenReads({ ...bundle, keys }).get(row.store, keyOf(row.key))).toThrow(ProofError);
  }
});
