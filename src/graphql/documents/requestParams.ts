import { jsonExcess } from '../../answers/errors.ts';
import { heightsIn, type NamedHeights, noHeights } from '../../answers/pickHeight.ts';
import { JsonBoundError, type JsonBounds, type JsonObject, type JsonValue, parseBoundedJson } from '../../chain/wire/json.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { refusal } from './errors.ts';

/**
 * The parameters of a GraphQL request, from its body, else from its URL, whose types are not checked. Parsed on the first call. Throws
 * BAD_USER_INPUT.
 */
export type RequestParams = () => JsonObject;

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(name: string, json: Buffer, bounds: JsonBounds): JsonObject {
  let value: JsonValue;
  try {
    value = parseBoundedJson(json, bounds);
  } catch (error) {
    throw refusal(error instanceof JsonBoundError ? jsonExcess(error) : notObject(name));
  }
  if (!isObject(value)) throw refusal(notObject(name));
  return value;
}

function notObject(name: string): RequestError {
  if (name === 'body') return new RequestError('BAD_USER_INPUT', 'The body must be one JSON object.', {});
  return badInput(name, '', 'a JSON object');
}

function paramsOfQuery(url: string, bounds: JsonBounds): JsonObject {
  const query = new URL(url, 'http://localhost').searchParams;
  const json = (name: string): JsonObject | undefined => {
    const text = query.get(name);
    return text === null || text === '' || text === 'null' ? undefined : parse(name, Buffer.from(text), bounds);
  };
  const [document, documentId, operationName] = [query.get('query'), query.get('documentId'), query.get('operationName')];
  const [variables, extensions] = [json('variables'), json('extensions')];
  return {
    ...(document && { query: document }),
    ...(documentId && { documentId }),
    ...(operationName && { operationName }),
    ...(variables && { variables }),
    ...(extensions && { extensions }),
  };
}

/** The extensions of a request. undefined if it has none, or none of the right type. */
export function extensionsOf({ extensions }: JsonObject): JsonObject | undefined {
  return isObject(extensions) ? extensions : undefined;
}

/** Creates the reader of the parameters of a request. Integers beyond the safe integers become decimal strings. */
export function readParams(url: string, body: Buffer | undefined, bounds: JsonBounds): RequestParams {
  let params: JsonObject | undefined;
  return () => {
    params ??= body === undefined ? paramsOfQuery(url, bounds) : parse('body', body, bounds);
    return params;
  };
}

/** The end of the names of both heights in a body, and the name of the chain. */
const [endOfNames, chainName] = [Buffer.from('eight"'), Buffer.from('"chain"')];

/**
 * The heights that a request names in its `extensions`. `text` is its body, or its URL if it has no body. Names none if it is not a GraphQL
 * request.
 */
export function heightsOf(text: Buffer | string, params: RequestParams): NamedHeights {
  // Parameters of a URL may be percent-encoded.
  const mayName =
    typeof text === 'string' ? text.includes('extensions=') : text.includes(endOfNames) || text.includes(chainName);
  if (!mayName) return noHeights;
  try {
    return heightsIn(extensionsOf(params()));
  } catch {
    return noHeights;
  }
}
