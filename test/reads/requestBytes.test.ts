import { expect, it } from 'vitest';
import { keepRequests } from '../../src/reads/query.ts';

it('encodes a request once for equal arguments, and again for others', () => {
  const encoded: unknown[][] = [];
  const encode = keepRequests((...args: unknown[]) => {
    encoded.push(args);
    return Uint8Array.of(encoded.length);
  });
  const lists = [
    [],
    ['1'],
    [1n],
    [1],
    ['1', '2'],
    ['1,"1:2'],
    [{ limit: 1 }],
    [{ limit: 1, offset: 1n }],
    [{ limit: 1, key: Uint8Array.of(1) }],
    [{ limit: 1, key: Uint8Array.of(2) }],
    [{ limit: 1, countTotal: true }],
  ];
  const first = lists.map((args) => encode(...args));
  expect(encoded).toEqual(lists);
  expect(lists.map((args) => encode(...args))).toEqual(first);
  expect(encoded).toHaveLength(lists.length);
});

it('keeps the 256 requests that were used last, and drops the one that was not used for longest', () => {
  const encoded: number[] = [];
  const encode = keepRequests((id: number) => {
    encoded.push(id);
    return Uint8Array.of();
  });
  const ids = Array.from({ length: 256 }, (_, id) => id);
  for (const id of ids) encode(id);
  // The first one is used again, so the second one is dropped.
  encode(0);
  encode(256);
  expect(encoded).toEqual([...ids, 256]);
  for (const id of [...ids.filter((each) => each !== 1), 256]) encode(id);
  expect(encoded).toEqual([...ids, 256]);
  encode(1);
  expect(encoded).toEqual([...ids, 256, 1]);
});

it('keeps a bounded number of requests, and none with long arguments', () => {
  let count = 0;
  const encode = keepRequests((_: string) => {
    count += 1;
    return new Uint8Array();
  });
  for (let round = 0; round < 2; round += 1) {
    for (let index = 0; index < 1_000; index += 1) encode(String(index));
    encode('x'.repeat(1_000));
  }
  expect(count).toBe(2_002);
});
