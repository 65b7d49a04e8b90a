import { LRUCache } from 'lru-cache';

/** The most requests that are kept for one query. The least recently used one is dropped when there are more. */
const maxKept = 256;

/** Longer arguments are not kept, in characters. */
const longestArguments = 256;

/** Text that is equal for equal values and differs for others. undefined for a value of a kind that no list of arguments has. */
function valueText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return `"${value.length}:${value}`;
    case 'bigint':
      return `${value}n`;
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    default:
      return value instanceof Uint8Array ? `x${Buffer.from(value).toString('hex')}` : undefined;
  }
}

function argumentText(argument: unknown): string | undefined {
  const text = valueText(argument);
  if (text !== undefined || typeof argument !== 'object' || argument === null) return text;
  let members = '';
  for (const [name, value] of Object.entries(argument)) {
    const member = valueText(value);
    if (member === undefined) return undefined;
    members += `${name}=${member};`;
  }
  return `{${members}}`;
}

/**
 * Makes a function like `encode` that keeps what it returned, because most requests are repeated and a response in memory costs less than its
 * request. Nobody may change it.
 */
export function keepRequests<A extends readonly unknown[], R extends object>(encode: (...args: A) => R): (...args: A) => R {
  const kept = new LRUCache<string, R>({ max: maxKept });
  return (...args) => {
    let key = '';
    for (const argument of args) {
      const text = argumentText(argument);
      if (text === undefined) return encode(...args);
      key += `${text},`;
    }
    const known = kept.get(key);
    if (known !== undefined) return known;
    const request = encode(...args);
    if (key.length > longestArguments) return request;
    kept.set(key, request);
    return request;
  };
}
