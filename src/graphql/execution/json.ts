/** A completed value as JSON. What promises resolve to may be a list: the JSON of its items, of which several may be in one text with commas. */
export type Json = string | readonly Json[];

/** A completed value, or a promise of it. */
export type Completed = string | Promise<Json>;

/** The JSON of null. No other value has this JSON. */
export const nullJson = 'null';

/** Texts without characters that JSON escapes. Surrogates are left to `JSON.stringify`, which escapes those without a pair. */
const plain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** The JSON of a text. */
export function textJson(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The JSON of frozen values, such as decoded messages, which many executions print. It lives as long as its value. */
const frozenJson = new WeakMap<object, string>();

/** The JSON of a serialized leaf. A value that JSON cannot express is null, as in a list. */
export function leafJson(value: unknown): string {
  if (typeof value === 'string') return textJson(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return JSON.stringify(value) ?? nullJson;
  const known = frozenJson.get(value);
  if (known !== undefined) return known;
  const json = JSON.stringify(value) ?? nullJson;
  frozenJson.set(value, json);
  return json;
}

/** The JSON as one text. */
export function joined(json: Json): string {
  return typeof json === 'string' ? json : `[${json.map(joined).join()}]`;
}
