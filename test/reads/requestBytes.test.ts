import { expect, it } from 'vitest';
import { keepRequests } from '../../src/reads/requestBytes.ts';

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
