import type { JsonValue } from '../../src/chain/wire/json.ts';

/** The differences of an answer from the expected one. Fields are named by their path, such as `nodes[].votes.nodes[].option`. */
export interface Comparison {
  /** Values that are equal. */
  readonly equal: number;
  /** Fields that the answer does not have. */
  readonly missing: readonly string[];
  /** Fields of which a value differs. */
  readonly different: readonly string[];
}

/** Whether both are decimal numbers of the same value: the chain also writes `32.0` for `32`. */
function isSameNumber(a: JsonValue, b: JsonValue): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  const plain = (text: string): string | undefined =>
    /^-?\d+(\.\d+)?$/.test(text) ? text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') : undefined;
  return plain(a) !== undefined && plain(a) === plain(b);
}

/**
 * Compares an answer with the expected one, value by value. Lists must have the same length and order. Fields that are not
 * expected are ignored.
 */
export function compareBoards(expected: JsonValue, given: JsonValue | undefined): Comparison {
  let equal = 0;
  const missing = new Set<string>();
  const different = new Set<string>();

  function compare(wanted: JsonValue | undefined, found: JsonValue | undefined, path: string): void {
    if (wanted === undefined) return;
    if (found === undefined) missing.add(path);
    else if (Array.isArray(wanted)) {
      if (!Array.isArray(found) || found.length !== wanted.length) different.add(path);
      else for (const [index, item] of wanted.entries()) compare(item, found[index], `${path}[]`);
    } else if (typeof wanted === 'object' && wanted !== null) {
      if (typeof found !== 'object' || found === null || Array.isArray(found)) different.add(path);
      else
        for (const [name, value] of Object.entries(wanted)) compare(value, found[name], path === '' ? name : `${path}.${name}`);
    } else if (wanted === found || isSameNumber(wanted, found)) equal += 1;
    else different.add(path);
  }

  compare(expected, given, '');
  return { equal, missing: [...missing], different: [...different] };
}
