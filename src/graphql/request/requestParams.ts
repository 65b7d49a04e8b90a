import type { GraphQLParams } from 'graphql-yoga';
import { JsonBoundError, type JsonBounds, parseBoundedJson } from '../../chain/wire/boundedJson.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { jsonExcess } from '../limits/jsonBounds.ts';
import { refusal } from '../limits/limitError.ts';

/** The parameters of a GraphQL request, from its body, else from its URL. Parsed on the first call. Throws BAD_USER_INPUT. */
export type RequestParams = () => GraphQLParams;

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

function paramsOfQuery(url: string, bounds: JsonBounds): GraphQLParams {
  const query = new URL(url, 'http://localhost').searchParams;
  const json = (name: string): JsonObject | undefined => {
    const text = query.get(name);
    return text === null || text === '' || text === 'null' ? undefined : parse(name, Buffer.from(text), bounds);
  };
  const [document, operationName] = [query.get('query'), query.get('operationName')];
  const [variables, extensions] = [json('variables'), json('extensions')];
  return {
    ...(document && { query: document }),
    ...(operationName && { operationName }),
    ...(variables && { variables }),
    ...(extensions && { extensions }),
  };
}

/** Whether a request names a persisted query by its hash instead of sending a document (automatic persisted queries of Apollo and urql). */
export function asksForPersisted({
  query,
  extensions,
}: {
  readonly query?: string | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}): boolean {
  return !query && typeof extensions?.persistedQuery === 'object' && extensions.persistedQuery !== null;
}

/** The error of a persisted query. Clients compare the message: they then send the document and do not ask again. */
export function noPersistedQueries(): RequestError {
  return new RequestError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported', {});
}

/** Creates the reader of the parameters of a request. Integers beyond the safe integers become decimal strings. */
export function readParams(url: string, body: Buffer | undefined, bounds: JsonBounds): RequestParams {
  let params: GraphQLParams | undefined;
  return () => {
    // The engine checks the type of each parameter.
    params ??= body === undefined ? paramsOfQuery(url, bounds) : (parse('body', body, bounds) as GraphQLParams);
    return params;
  };
}
