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

/** The first place of each item of a list, from `start` to before `end`, by its JSON. */
function placesOf(list: readonly JsonValue[], start: number, end: number): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (let index = end - 1; index >= start; index -= 1) places.set(JSON.stringify(list[index]), index);
  return places;
}

/**
 * The operations that change `from` into `to`. Takes time that is linear in their size for each level of nesting. In a list, the
 * items before the first difference and after the last one stay. Of the items between them, those that are in both lists in the
 * same order stay, and the others are added, removed, or changed one by one. So a list that lost items at one end and got others
 * at the other end needs an operation for each of these. No operation is a `test`, a `move` or a `copy`.
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
    const [oldEnd, nextEnd] = [old.length - end, next.length - end];
    const isShort = oldEnd - start <= 1 && nextEnd - start <= 1;
    const oldPlaces = isShort ? new Map<string, number>() : placesOf(old, start, oldEnd);
    const nextPlaces = isShort ? oldPlaces : placesOf(next, start, nextEnd);
    // The first items of `next` are in place, and the items of `old` from `left` on follow them.
    let [left, at] = [start, start];
    const remove = (count: number): void => {
      for (let index = 0; index < count; index += 1) operations.push({ op: 'remove', path: `${path}/${at}` });
      left += count;
    };
    const add = (count: number): void => {
      for (const value of next.slice(at, at + count)) {
        operations.push({ op: 'add', path: `${path}/${at}`, value });
        at += 1;
      }
    };
    while (left < oldEnd && at < nextEnd) {
      const [before, value] = [old[left], next[at]];
      if (before === undefined || value === undefined) break;
      const [oldText, nextText] = isShort ? ['', ''] : [JSON.stringify(before), JSON.stringify(value)];
      const [inOld, inNext] = [(oldPlaces.get(nextText) ?? -1) - left, (nextPlaces.get(oldText) ?? -1) - at];
      if (inNext > 0 && (inOld <= 0 || inNext <= inOld)) add(inNext);
      else if (inOld > 0) remove(inOld);
      else {
        change(`${path}/${at}`, before, value);
        left += 1;
        at += 1;
      }
    }
    remove(oldEnd - left);
    add(nextEnd - at);
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
