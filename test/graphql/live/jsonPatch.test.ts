import { applyPatch } from 'rfc6902';
import { expect, it } from 'vitest';
import type { JsonValue } from '../../../src/chain/wire/json.ts';
import { createPatch, pointersTo } from '../../../src/graphql/live/jsonPatch.ts';
import { fc, rounds } from '../../support/atRandom.ts';

/** The value after the operations, as another library applies them. */
function patched(from: JsonValue, to: JsonValue): unknown {
  // Not with `structuredClone`, which keeps that two places hold the same object.
  const document = JSON.parse(JSON.stringify({ value: from }));
  const patch = createPatch({ value: from }, { value: to });
  expect(applyPatch(document, JSON.parse(JSON.stringify(patch)))).toEqual(patch.map(() => null));
  return document.value;
}

it.each<[string, JsonValue, JsonValue, unknown]>([
  ['nothing', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  [
    'a member',
    { a: 1, b: 2 },
    { b: 3, c: 4 },
    [
      { op: 'remove', path: '/a' },
      { op: 'replace', path: '/b', value: 3 },
      { op: 'add', path: '/c', value: 4 },
    ],
  ],
  ['an item before others', [2, 3], [1, 2, 3], [{ op: 'add', path: '/0', value: 1 }]],
  ['an item after others', [1, 2], [1, 2, 3], [{ op: 'add', path: '/2', value: 3 }]],
  [
    'one place in a list of objects',
    [{ a: 1 }, { a: 2 }, { a: 3 }],
    [{ a: 1 }, { a: 4 }, { a: 3 }],
    [{ op: 'replace', path: '/1/a', value: 4 }],
  ],
  [
    'items in the middle',
    [1, 2, 3, 4],
    [1, 4],
    [
      { op: 'remove', path: '/1' },
      { op: 'remove', path: '/1' },
    ],
  ],
  [
    'a window of blocks that moves on',
    [{ h: 4 }, { h: 3 }, { h: 2 }, { h: 1 }],
    [{ h: 6 }, { h: 5 }, { h: 4 }, { h: 3 }],
    [
      { op: 'add', path: '/0', value: { h: 6 } },
      { op: 'add', path: '/1', value: { h: 5 } },
      { op: 'remove', path: '/4' },
      { op: 'remove', path: '/4' },
    ],
  ],
  [
    'an item that left, one that changed and one that came',
    [{ a: 1 }, { a: 2, b: 0 }, { a: 3 }],
    [{ a: 2, b: 1 }, { a: 3 }, { a: 4 }],
    [
      { op: 'replace', path: '/0/a', value: 2 },
      { op: 'add', path: '/0/b', value: 1 },
      { op: 'remove', path: '/1' },
      { op: 'add', path: '/2', value: { a: 4 } },
    ],
  ],
  ['names that pointers escape', { 'a/b~c': 1 }, { 'a/b~c': 2 }, [{ op: 'replace', path: '/a~1b~0c', value: 2 }]],
  ['a list by an object', [1], { 0: 1 }, [{ op: 'replace', path: '', value: { 0: 1 } }]],
  [
    'the prototype of objects as a name',
    JSON.parse('{"__proto__":1}'),
    JSON.parse('{"toString":1}'),
    [
      { op: 'remove', path: '/__proto__' },
      { op: 'add', path: '/toString', value: 1 },
    ],
  ],
])('the operations for a change of %s', (_, from, to, operations) => {
  expect(createPatch(from, to)).toEqual(operations);
});

it('another library applies the operations between any two values, also between similar ones', () => {
  // Values as a text of JSON has them: -0 is written as 0.
  const value = fc.jsonValue({ maxDepth: 4 }).map((any): JsonValue => JSON.parse(JSON.stringify(any)));
  fc.assert(
    fc.property(value, value, fc.array(fc.nat(), { maxLength: 4 }), (from, other, picks) => {
      expect(patched(from, other)).toEqual(other);
      // The same value with some of its parts replaced, removed or added.
      const similar = { all: [from, other, from, [from, from, other]] };
      const changed = structuredClone(similar);
      for (const pick of picks) changed.all.splice(pick % (changed.all.length + 1), pick % 2, other, from);
      expect(patched(similar, changed)).toEqual(changed);
      expect(patched(changed, similar)).toEqual(similar);
    }),
    { numRuns: rounds(400) },
  );
});

it('the pointers to a text find each place of it, and nothing else', () => {
  expect(pointersTo('x', { a: 'x', 'b/c': ['y', 'x', { d: 'xx', e: 'x' }], x: 1 })).toEqual(['/a', '/b~1c/1', '/b~1c/2/e']);
});
