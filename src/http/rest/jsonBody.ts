import type { IncomingMessage } from 'node:http';
import { isDeeperThan, type JsonObject, type JsonValue } from '../../chain/json.ts';
import { parseJson } from '../../chain/parseJson.ts';
import type { Limits } from '../../graphql/limits.ts';
import { RequestError } from '../../modules/errors.ts';
import { readBody } from '../body.ts';
import { ParameterError } from './parameterError.ts';

/** How deep a body may be nested: a transaction of proposals within proposals adds two levels with each. */
const mostLevels = 64;

/** Whether the routes at a path, without the base of a dialect, take a transaction, and so a large body. */
export function takesTransaction(path: string): boolean {
  return path.startsWith('/cosmos/tx/') || path.startsWith('/provenance/tx/');
}

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** A body that is not what it should be. */
export function bodyError(bound: string): ParameterError {
  return new ParameterError({ parameter: 'body', value: '', bound, nodeText: `body must be ${bound}`, where: 'body' });
}

/** The JSON object that a request to a path brings. Throws for other bodies, and for one that is too large. */
export async function readJsonBody(request: IncomingMessage, path: string, limits: Limits): Promise<JsonObject> {
  const limit = takesTransaction(path) ? 'http.body' : 'http.otherBody';
  const max = limits[limit];
  const body = await readBody(request, max);
  if (body === null) {
    throw new RequestError('BAD_USER_INPUT', `The body has more than ${max} bytes (${limit}).`, { limit, max });
  }
  let json: JsonValue;
  try {
    json = parseJson(body.toString());
  } catch {
    throw bodyError('JSON');
  }
  if (!isObject(json)) throw bodyError('an object');
  if (isDeeperThan(mostLevels, json)) throw bodyError(`nested at most ${mostLevels} deep`);
  return json;
}
