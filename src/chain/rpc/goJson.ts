import type { JsonValue } from '../wire/json.ts';

/** Compact JSON as Go writes it: `<`, `>`, `&` and the two line separators are escaped inside strings. */
export function stringify(value: JsonValue): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
