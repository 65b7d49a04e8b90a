import type { GraphQLParams } from 'graphql-yoga';
import { JsonBoundError, type JsonBounds, parseBoundedJson } from '../../chain/wire/boundedJson.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { jsonExcess } from '../limits/jsonBounds.ts';
import { refusal } from '../limits/limitError.ts';

/** The parameters of a GraphQL request. */
export interface GivenParams extends GraphQLParams {
  /** The id of a document that the request names instead of sending it. */
  readonly documentId?: unknown;
}

/** The parameters of a GraphQL request, from its body, else from its URL. Parsed on the first call. Throws BAD_USER_INPUT. */
export type RequestParams = () => GivenParams;

function isObject(value: JsonValue): value is JsonObject {
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

function paramsOfQuery(url: string, bounds: JsonBounds): GivenParams {
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

/** Creates the reader of the parameters of a request. Integers beyond the safe integers become decimal strings. */
export function readParams(url: string, body: Buffer | undefined, bounds: JsonBounds): RequestParams {
  let params: GivenParams | undefined;
  return () => {
    // The engine checks the type of each parameter.
    params ??= body === undefined ? paramsOfQuery(url, bounds) : (parse('body', body, bounds) as GivenParams);
    return params;
  };
}
