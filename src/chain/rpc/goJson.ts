import type { JsonValue } from '../wire/json.ts';

/** Compact JSON as Go encodes it: `<`, `>`, `&` and the two Unicode line separators are escaped in strings. */
export function stringify(value: JsonValue): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
