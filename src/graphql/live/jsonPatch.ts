import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';

/** An operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name in a JSON Pointer (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * The operations that change `from` into `to`. Takes time that is linear in their size for each level of nesting. In a list, the
 * items before the first difference and after the last one stay. The items between them are changed one by one, then added or
 * removed. So an item that was added at either end, or that one place changed, is one operation. No operation is a `test`, a
 * `move` or a `copy`.
 */
export function createPatch(from: JsonValue, to: JsonValue): PatchOperation[] {
  const operations: PatchOperation[] = [];

  function members(path: string, old: JsonObject, next: JsonObject): void {
    for (const name of Object.keys(old)) {
      if (!Object.hasOwn(next, name)) operations.push({ op: 'remove', path: `${path}/${escaped(name)}` });
    }
    for (const [name, value] of Object.entries(next)) {
      const at = `${path}/${escaped(name)}`;
      const before = Object.hasOwn(old, name) ? old[name] : undefined;
      if (value === undefined) continue;
      if (before === undefined) operations.push({ op: 'add', path: at, value });
      else change(at, before, value);
    }
  }

  function items(path: string, old: readonly JsonValue[], next: readonly JsonValue[]): void {
    const shorter = Math.min(old.length, next.length);
    let start = 0;
    while (start < shorter && isDeepStrictEqual(old[start], next[start])) start += 1;
    let end = 0;
    while (end < shorter - start && isDeepStrictEqual(old[old.length - 1 - end], next[next.length - 1 - end])) end += 1;
    const both = shorter - end;
    next.slice(start, both).forEach((value, index) => {
      const before = old[start + index];
      if (before !== undefined) change(`${path}/${start + index}`, before, value);
    });
    // From the last item on, so that the positions of the others stay.
    for (let index = old.length - end - 1; index >= both; index -= 1)
      operations.push({ op: 'remove', path: `${path}/${index}` });
    next.slice(both, next.length - end).forEach((value, index) => {
      operations.push({ op: 'add', path: `${path}/${both + index}`, value });
    });
  }

  function change(path: string, old: JsonValue, next: JsonValue): void {
    if (Array.isArray(old) && Array.isArray(next)) items(path, old, next);
    else if (isObject(old) && isObject(next)) members(path, old, next);
    else if (old !== next) operations.push({ op: 'replace', path, value: next });
  }

  change('', from, to);
  return operations;
}

/** The JSON Pointers of all strings in `value` that are equal to `text`. */
export function pointersTo(text: string, value: JsonValue, path = ''): string[] {
  if (value === text) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner = null]) => pointersTo(text, inner, `${path}/${escaped(name)}`));
}
