import { describe, expect, it } from 'vitest';
import { type AnswerKey, createRequestNames } from '../../../src/answers/answerCache.ts';
import { createMemoryBudget } from '../../../src/chain/memory/memoryBudget.ts';

const key: AnswerKey = {
  chain: 'c',
  height: 1n,
  scopes: ['read'],
  method: 'POST',
  url: '/graphql',
  accept: '*/*',
  contentType: 'application/json',
  body: Buffer.from(`{"query":"${'x'.repeat(4_000)}"}`),
};

/** The same body with one byte changed. */
function changedAt(index: number): Buffer {
  const body = Buffer.from(key.body!);
  body[index]! ^= 1;
  return body;
}

describe('the name of a request', () => {
  it('that was noted is found by its bytes, and is the same as before', () => {
    const names = createRequestNames(createMemoryBudget(), 'test');
    const first = names.nameOf(key);
    expect(first.place).toBeDefined();
    names.note(key, first, false);
    const again = names.nameOf({ ...key, height: 2n, scopes: [...key.scopes], body: Buffer.from(key.body!) });
    expect([again.name, again.place]).toEqual([first.name, undefined]);
    // The note has bytes of its own.
    const body = Buffer.from(key.body!);
    const names2 = createRequestNames(createMemoryBudget(), 'test');
    names2.note({ ...key, body }, names2.nameOf({ ...key, body }), false);
    body.fill(0);
    expect(names2.nameOf(key)).toMatchObject({ name: first.name, place: undefined });
  });

  it('differs if any part differs but the height, also beside a noted request at the same place', () => {
    const names = createRequestNames(createMemoryBudget(), 'test');
    const first = names.nameOf(key);
    names.note(key, first, false);
    const others: AnswerKey[] = [
      { ...key, chain: 'd' },
      { ...key, scopes: ['broadcast', 'read'] },
      { ...key, scopes: [] },
      { ...key, method: 'GET' },
      { ...key, url: '/graphql?' },
      { ...key, accept: 'application/json' },
      { ...key, contentType: 'application/json; charset=utf-8' },
      { ...key, body: undefined },
      // Most bytes are not part of the place.
      ...Array.from({ length: 4_000 }, (_, index) => ({ ...key, body: changedAt(index) })),
    ];
    const found = others.map((other) => names.nameOf(other).name);
    expect(new Set([first.name, ...found]).size).toBe(1 + others.length);
    const samePlace = others.filter((other) => names.nameOf(other).place === first.place);
    expect(samePlace.length).toBeGreaterThan(1_000);
  });

  it('a request is recalled by its bytes before its chain is known, with what was noted of them', () => {
    const names = createRequestNames(createMemoryBudget(), 'test');
    expect(names.recall(key)).toMatchObject({ noted: undefined, isPlain: false });
    const first = names.nameOf(key, names.recall(key));
    names.note(key, first, true);
    const recalled = names.recall({ ...key, body: Buffer.from(key.body!) });
    expect(recalled?.isPlain).toBe(true);
    expect(names.nameOf(key, recalled)).toMatchObject({ name: first.name, place: undefined });
    // After a rewind of the chain, the name is another one.
    expect(names.nameOf({ ...key, chain: 'd' }, recalled).name).not.toBe(first.name);
    expect(names.recall({ ...key, body: changedAt(2_000) })).toMatchObject({ noted: undefined, isPlain: false });
    expect(names.recall({ ...key, body: 'text' })).toBeUndefined();
    names.note(key, { ...first, place: recalled!.place }, false);
    expect(names.recall(key)?.isPlain).toBe(false);
  });

  it('requests at the same place replace each other', () => {
    const names = createRequestNames(createMemoryBudget(), 'test');
    const first = names.nameOf(key);
    names.note(key, first, false);
    const index = Array.from({ length: 4_000 }, (_, at) => at).find(
      (at) => names.nameOf({ ...key, body: changedAt(at) }).place === first.place,
    )!;
    const other = { ...key, body: changedAt(index) };
    names.note(other, names.nameOf(other), false);
    expect(names.nameOf(other).place).toBeUndefined();
    expect(names.nameOf(key)).toEqual(first);
  });

  it('takes memory of the share for answers, only for noted requests', () => {
    const memory = createMemoryBudget({ bytes: 32 * 1024 * 1024 });
    const names = createRequestNames(memory, 'test');
    const bodyOf = (index: number): Buffer => Buffer.alloc(60_000, `${index} `);
    const stats = () => memory.stats().find(({ cache }) => cache === 'test-requests')!;
    for (let index = 0; index < 300; index += 1) names.nameOf({ ...key, body: bodyOf(index) });
    expect(stats().entries).toBe(0);
    for (let index = 0; index < 300; index += 1) {
      const each = { ...key, body: bodyOf(index) };
      names.note(each, names.nameOf(each), false);
    }
    expect(stats().bytes).toBeLessThanOrEqual(memory.share('answers'));
    expect(stats().bytes).toBeGreaterThan(stats().entries * 60_000);
    expect(stats().evictions).toBeGreaterThan(0);
  });
});
