import { asObject } from '../chain/decode.ts';
import type { JsonObject, JsonValue } from '../chain/json.ts';
import { parseJson } from '../chain/parseJson.ts';

/** Numbers too long for a JavaScript number: their exact digits are read from the text. */
const longNumber = /[\d.]{16}/;

/**
 * The variables of an operation with the exact digits of their long integers, as decimal strings. `variablesIn` finds them in the parsed `text` of the
 * request. undefined where any parser reads the same, and for what is no request: that is for the engine to refuse.
 */
export function exactVariables(
  text: string,
  variablesIn: (request: JsonObject) => JsonValue | undefined,
): JsonObject | undefined {
  if (!longNumber.test(text)) return undefined;
  try {
    return asObject(variablesIn(asObject(parseJson(text), 'request')) ?? null, 'variables');
  } catch {
    return undefined;
  }
}
