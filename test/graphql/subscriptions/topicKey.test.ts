import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import { createTopicKeys, type TopicKey } from '../../../src/graphql/subscriptions/topicKey.ts';

const keyOf = createTopicKeys(schema);

function key(query: string, variableValues: Record<string, unknown> = {}, operationName?: string, scopes = ''): TopicKey {
  return keyOf({ schema, document: parse(query), variableValues, operationName }, scopes);
}

const plain = key('subscription { newBlock { height } }');

it.each<[string, string, Record<string, unknown>, bigint | undefined]>([
  ['in the document', 'subscription { newBlock(after: 5) { height } }', {}, 5n],
  ['in the document, as text', 'subscription { newBlock(after: "9007199254740993") { height } }', {}, 9007199254740993n],
  ['as a variable', 'subscription ($a: Int64) { newBlock(after: $a) { height } }', { a: 7 }, 7n],
  [
    'as a variable, as text',
    'subscription ($b: Int64) { newBlock(after: $b) { height } }',
    { b: '9223372036854775807' },
    9223372036854775807n,
  ],
  ['as a variable that is null', 'subscription ($a: Int64) { newBlock(after: $a) { height } }', { a: null }, undefined],
  ['as a variable that is absent', 'subscription ($a: Int64) { newBlock(after: $a) { height } }', {}, undefined],
  ['by the default of a variable', 'subscription ($a: Int64 = 3) { newBlock(after: $a) { height } }', {}, 3n],
  ['beside a variable that is not declared', 'subscription { newBlock { height } }', { z: 1 }, undefined],
  ['in other white space', 'subscription {\n newBlock( after : 2 ) { height }\n}', {}, 2n],
])('where a stream begins is no difference: %s', (_, query, variables, after) => {
  expect(key(query, variables)).toEqual({ topic: plain.topic, after });
});

it('finds the argument within a fragment, and leaves those of other fields alone', () => {
  const inFragment = (after: string): TopicKey =>
    key(`subscription { ...S } fragment S on Subscription { newBlock(after: ${after}) { height } }`);
  expect(inFragment('1').topic).toBe(inFragment('2').topic);
  expect(inFragment('2').after).toBe(2n);
  const nested = (cursor: string): TopicKey =>
    key('subscription ($c: String) { newBlock { transactions(after: $c) { totalCount } } }', { c: cursor });
  expect(nested('x').topic).not.toBe(nested('y').topic);
  expect(nested('x').after).toBeUndefined();
});

it('a variable that says what is told is a difference', () => {
  const used = 'subscription ($s: String) { transactions(query: $s, after: 1) { hash } }';
  expect(key(used, { s: 'a.b EXISTS' }).topic).not.toBe(key(used, { s: 'a.c EXISTS' }).topic);
});

it('the order of members is no difference, that of a list is, and so are operation and scopes', () => {
  const where = 'subscription ($w: [EventCondition!]) { events(where: $w) { height } }';
  const one = { key: 'a.b', value: 'x' };
  expect(key(where, { w: [one] }).topic).toBe(key(where, { w: [{ value: 'x', key: 'a.b' }] }).topic);
  const other = { key: 'a.c', value: 'x' };
  expect(key(where, { w: [one, other] }).topic).not.toBe(key(where, { w: [other, one] }).topic);
  const two = 'subscription A { newBlock { height } } subscription B { newBlock { hash } }';
  expect(key(two, {}, 'A').topic).not.toBe(key(two, {}, 'B').topic);
  const query = 'subscription { newBlock { height } }';
  expect(key(query, {}, undefined, 'read')).not.toEqual(plain);
});
