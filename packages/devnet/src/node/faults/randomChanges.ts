import type { JsonValue } from '../../../../../src/chain/wire/json.ts';
import { createRandom, type Random } from '../../app/runtime/random.ts';
import type { NodeCall, RandomChanges } from './faults.ts';

/** The methods whose results are changed: those of the application and of headers. */
const changedMethods = new Set(['abci_query', 'commit', 'header', 'block', 'validators']);

/** The number of results of each method that another call can get. */
const keptResults = 16;

const alphabets = ['0123456789', '0123456789ABCDEF', 'abcdefghijklmnopqrstuvwxyz'] as const;
const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Changes one bit of base64, or one character of other text, so that it keeps its form. */
function changedText(text: string, random: Random): string {
  if (isBase64.test(text) && text.length % 4 === 0 && !/^[0-9A-F]+$/.test(text)) {
    const bytes = Buffer.from(text, 'base64');
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    return bytes.toString('base64');
  }
  const at = random.below(text.length);
  const before = text[at] ?? '';
  const alphabet = alphabets.find((each) => each.includes(before)) ?? alphabets[1];
  const after = random.pick([...alphabet].filter((character) => character !== before)) ?? '';
  return text.slice(0, at) + after + text.slice(at + 1);
}

/** The texts in a value that are not empty, with the number of each in the order of the document. */
function countTexts(value: JsonValue | undefined): number {
  if (typeof value === 'string') return value === '' ? 0 : 1;
  if (value === undefined || value === null || typeof value !== 'object') return 0;
  let count = 0;
  for (const member of Array.isArray(value) ? value : Object.values(value)) count += countTexts(member);
  return count;
}

/** Changes the text with a number. */
function changeText(value: JsonValue, number: number, random: Random): JsonValue {
  let left = number;
  const change = (each: JsonValue): JsonValue => {
    if (typeof each === 'string') return each !== '' && left-- === 0 ? changedText(each, random) : each;
    if (each === null || typeof each !== 'object') return each;
    if (Array.isArray(each)) return each.map(change);
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [name, change(member ?? null)]));
  };
  return change(value);
}

/**
 * Returns a function that changes results: a bit of some bytes, a character of another text, or the whole result for an earlier one of the
 * same method. The bytes are values, keys and proofs of the application, hashes and signatures.
 */
export function createRandomChanges({ seed, share }: RandomChanges): (call: NodeCall, result: JsonValue) => JsonValue {
  const random = createRandom(seed);
  const earlier = new Map<string, JsonValue[]>();
  return (call, result) => {
    if (!changedMethods.has(call.method)) return result;
    const earlierResults = earlier.get(call.method) ?? [];
    earlier.set(call.method, [...earlierResults, result].slice(-keptResults));
    if (random.next() >= share) return result;
    const other = random.pick(earlierResults);
    if (other !== undefined && random.below(5) === 0) return other;
    const count = countTexts(result);
    return count === 0 ? result : changeText(result, random.below(count), random);
  };
}
