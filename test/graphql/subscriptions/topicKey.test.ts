import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import { createTopicKeys, type TopicKey } from '../../../src/graphql/subscriptions/topic.ts';

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
])('the topic does not depend on `after`: %s', (_, query, variables, after) => {
  expect(key(query, variables)).toEqual({ topic: plain.topic, after });
});

it('finds `after` in a fragment, and keeps the `after` of nested fields in the topic', () => {
  const inFragment = (after: string): TopicKey =>
    key(`subscription { ...S } fragment S on Subscription { newBlock(after: ${after}) { height } }`);
  expect(inFragment('1').topic).toBe(inFragment('2').topic);
  expect(inFragment('2').after).toBe(2n);
  const nested = (cursor: string): TopicKey =>
    key('subscription ($c: String) { newBlock { transactions(after: $c) { totalCount } } }', { c: cursor });
  expect(nested('x').topic).not.toBe(nested('y').topic);
  expect(nested('x').after).toBeUndefined();
});

it('the topic depends on the variables of other arguments', () => {
  const used = 'subscription ($s: String) { transactions(query: $s, after: 1) { hash } }';
  expect(key(used, { s: 'a.b EXISTS' }).topic).not.toBe(key(used, { s: 'a.c EXISTS' }).topic);
});

it('the topic depends on the order of lists, the operation and the scopes, but not on the order of object fields', () => {
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
