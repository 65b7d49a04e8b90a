import { timed } from '../../../answers/caller.ts';
import { jsonBoundsOf } from '../../../answers/errors.ts';
import { goJsonError, goKindOf } from '../../../chain/wire/goText.ts';
import { JsonBoundError, type JsonObject, type JsonValue, parseBoundedJson } from '../../../chain/wire/json.ts';
import type { Limits } from '../../../config/limits/limits.ts';
import { RequestError } from '../../../reads/errors.ts';
import type { RequestContext } from '../../../server/router.ts';
import { ParameterError } from '../failures/parameterError.ts';

/** Whether routes at a path accept a transaction, and therefore a large body. `path` excludes the base of the dialect. */
export function takesTransaction(path: string): boolean {
  return path.startsWith('/cosmos/tx/') || path.startsWith('/provenance/tx/');
}

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Creates the error for an invalid body. */
export function bodyError(bound: string, nodeText = `body must be ${bound}`): ParameterError {
  return new ParameterError({ parameter: 'body', value: '', bound, nodeText, where: 'body' });
}

/** What a body must be if its JSON exceeds a bound. */
const bounds: Record<JsonBoundError['bound'], (max: number) => string> = {
  depth: (max) => `nested at most ${max} deep (json.depth)`,
  values: (max) => `of at most ${max} values (json.values)`,
  number: (max) => `without a number of more than ${max} characters (json.number)`,
};

/**
 * Waits for the turn of the caller, and returns the JSON object in the body of a POST. Throws if the body is too large or not a
 * JSON object. With `acceptsEmpty`, an empty body is an empty object.
 */
export async function readJsonBody(
  context: RequestContext,
  path: string,
  limits: Limits,
  acceptsEmpty: boolean,
): Promise<JsonObject> {
  const limit = takesTransaction(path) ? 'http.body' : 'http.otherBody';
  const max = limits[limit];
  const body = await context.body(max);
  if (body === null) {
    throw new RequestError('BAD_USER_INPUT', `The body is larger than ${max} bytes (${limit}).`, { limit, max });
  }
  let json: JsonValue;
  // The node's gateway decodes an empty body as an empty message.
  if (body.length === 0 && acceptsEmpty) return {};
  try {
    json = timed(context, () => parseBoundedJson(body, jsonBoundsOf(limits)));
  } catch (error) {
    if (error instanceof JsonBoundError) throw bodyError(bounds[error.bound](error.max));
    throw bodyError('JSON', goJsonError(body.toString(), 'unexpected EOF'));
  }
  if (!isObject(json)) {
    const type = 'Go value of type map[string]json.RawMessage';
    throw bodyError('an object', `json: cannot unmarshal ${goKindOf(json)} into ${type}`);
  }
  return json;
}
