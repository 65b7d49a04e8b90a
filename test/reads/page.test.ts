import { describe, expect, it } from 'vitest';
import { RequestError } from '../../src/reads/errors.ts';
import { type ChainList, type Page, pageOf, readAll, readPage } from '../../src/reads/page.ts';
import { fc, rounds } from '../support/atRandom.ts';

const key = (item: number): Uint8Array => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(item));
  return bytes;
};

/** A list that pages like the group lists of the chain (docs/chain.md, "Page requests"): ascending; page keys only if `keyed`. */
function chainList(items: () => readonly number[], keyed: boolean): { list: ChainList<number>; reads: () => number } {
  let reads = 0;
  const list: ChainList<number> = {
    keyOf: key,
    read: async ({ key: from, offset = 0n, limit, countTotal }) => {
      reads += 1;
      expect(limit).toBeGreaterThan(0);
      expect(from !== undefined && offset > 0n).toBe(false);
      const all = items();
      const start = from === undefined ? Number(offset) : all.findIndex((item) => Buffer.compare(key(item), from) >= 0);
      const page = start === -1 ? [] : all.slice(start, start + limit);
      return {
        items: page,
        more: start !== -1 && start + limit < all.length,
        total: countTotal === true && from === undefined ? BigInt(all.length) : undefined,
      };
    },
    ...(keyed && { pageKey: (after: Uint8Array) => after }),
  };
  return { list, reads: () => reads };
}

const request = { first: 20, reverse: false, count: false };
const upTo = (size: number): number[] => Array.from({ length: size }, (_, index) => index * 3 + 1);

function cursorOf(page: Page<number>, index: number, hinted: boolean): { key: Uint8Array; place: bigint | undefined } {
  return { key: key(page.items[index]!), place: hinted ? page.placeAt(index) : undefined };
}

describe('readPage', () => {
  it('reads any list to its end in both directions, from any item, with or without a hint, each item once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(5000), { maxLength: 700 }),
        fc.integer({ min: 1, max: 100 }),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        async (unordered, first, reverse, keyed, hinted) => {
          const items = unordered.toSorted((a, b) => a - b);
          const { list } = chainList(() => items, keyed);
          const seen: number[] = [];
          let page = await readPage(list, { first, reverse, count: true });
          expect(page.total).toBe(BigInt(items.length));
          expect(page.hasPrevious).toBe(false);
          for (;;) {
            seen.push(...page.items);
            expect(page.hasNext).toBe(seen.length < items.length);
            if (!page.hasNext) break;
            page = await readPage(list, { first, reverse, count: false, after: cursorOf(page, page.items.length - 1, hinted) });
            expect(page.hasPrevious).toBe(true);
          }
          expect(seen).toEqual(reverse ? items.toReversed() : items);
        },
      ),
      { numRuns: rounds(150) },
    );
  });

  it('continues after an item that was removed, and in a list that has changed before the cursor', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(2000), { minLength: 2, maxLength: 500 }),
        fc.uniqueArray(fc.nat(2000), { maxLength: 500 }),
        fc.boolean(),
        fc.boolean(),
        async (before, after, reverse, keyed) => {
          let items = before.toSorted((a, b) => a - b);
          const { list } = chainList(() => items, keyed);
          const page = await readPage(list, { first: Math.ceil(items.length / 2), reverse, count: false });
          const at = page.items.length - 1;
          const last = page.items[at]!;
          items = after.toSorted((a, b) => a - b);
          const next = await readPage(list, { first: 10, reverse, count: false, after: cursorOf(page, at, true) });
          const rest = reverse ? items.filter((item) => item < last).toReversed() : items.filter((item) => item > last);
          expect(next.items).toEqual(rest.slice(0, 10));
          expect(next.hasNext).toBe(rest.length > 10);
        },
      ),
      { numRuns: rounds(150) },
    );
  });

  it('takes one read forward, two backward, and one after a cursor whose place is still correct', async () => {
    const { list, reads } = chainList(() => upTo(1000), true);
    const cost = async (asked: Parameters<typeof readPage>[1]): Promise<[Page<number>, number]> => {
      const before = reads();
      const page = await readPage(list, asked);
      return [page, reads() - before];
    };
    const [forward, forwardCost] = await cost({ ...request, count: true });
    expect(forwardCost).toBe(1);
    expect((await cost({ ...request, after: cursorOf(forward, 19, true) }))[1]).toBe(1);
    const [backward, backwardCost] = await cost({ ...request, reverse: true });
    expect(backwardCost).toBe(2);
    expect((await cost({ ...request, reverse: true, after: cursorOf(backward, 19, true) }))[1]).toBe(1);
    expect((await cost({ ...request, reverse: true, after: cursorOf(backward, 19, false) }))[1]).toBeLessThanOrEqual(9);
    const short = chainList(() => upTo(20), true);
    await readPage(short.list, { ...request, reverse: true });
    expect(short.reads()).toBe(1);
  });

  it('reads only the total for a page of 0 items', async () => {
    const { list, reads } = chainList(() => upTo(7), true);
    expect(await readPage(list, { ...request, first: 0 })).toMatchObject({ items: [], total: undefined });
    expect(reads()).toBe(0);
    expect(await readPage(list, { ...request, first: 0, count: true })).toMatchObject({ items: [], total: 7n });
  });

  it('counts offsets from the requested end, also beyond the end', async () => {
    const { list } = chainList(() => upTo(50), true);
    expect((await readPage(list, { ...request, first: 2, offset: 3n })).items).toEqual([10, 13]);
    expect((await readPage(list, { ...request, first: 2, offset: 3n, reverse: true })).items).toEqual([139, 136]);
    expect((await readPage(list, { ...request, offset: 60n })).items).toEqual([]);
    expect(await readPage(list, { ...request, offset: 60n, reverse: true })).toMatchObject({ items: [], hasNext: false });
    expect((await readPage(list, { ...request, offset: 45n, reverse: true })).items).toEqual([13, 10, 7, 4, 1]);
  });
});

describe('readAll', () => {
  it('returns every item, in parallel reads', async () => {
    const { list, reads } = chainList(() => upTo(999), true);
    expect(await readAll(list, 'items')).toEqual(upTo(999));
    expect(reads()).toBe(5);
  });

  it('rejects a list that is too long instead of cutting it', async () => {
    const { list, reads } = chainList(() => upTo(5001), true);
    await expect(readAll(list, 'items')).rejects.toThrow(RequestError);
    expect(reads()).toBe(1);
  });
});

describe('pageOf', () => {
  it('returns the same pages as the chain', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(90),
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        fc.nat(100),
        async (size, first, reverse, offset) => {
          const items = upTo(size);
          const { list } = chainList(() => items, true);
          const asked = { first, reverse, count: true, offset: BigInt(offset) };
          const [derived, read] = [pageOf(items, key, asked), await readPage(list, asked)];
          expect(derived.items).toEqual(read.items);
          expect(derived.hasNext).toBe(read.hasNext);
          expect(derived.total).toBe(read.total);
          const at = derived.items[0];
          if (at === undefined) return;
          const after = { key: key(at), place: undefined };
          expect(pageOf(items, key, { first, reverse, count: false, after }).items).toEqual(
            (await readPage(list, { first, reverse, count: false, after })).items,
          );
        },
      ),
    );
  });
});
