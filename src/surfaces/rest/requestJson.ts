import { type DescField, type DescMessage, type Registry, ScalarType } from '@bufbuild/protobuf';
import { timed } from '../../answers/caller.ts';
import { jsonBoundsOf } from '../../answers/errors.ts';
import { goJsonError, goKindOf } from '../../chain/wire/goText.ts';
import { isJsonObject, JsonBoundError, type JsonObject, type JsonValue, parseBoundedJson } from '../../chain/wire/json.ts';
import { typeNameOf } from '../../chain/wire/protoJson.ts';
import { pageKeyMax } from '../../config/bounds.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';
import type { RequestContext } from '../../server/router.ts';
import { ParameterError } from './failures.ts';
import { goMessageError, readFieldText, readGoFieldText } from './fieldText.ts';
import { valuesIn } from './pathTemplate.ts';
import { fieldNamed, isLeaf, type RestRoute } from './routes.ts';

/** A path and a query, percent-decoded once. */
export interface RequestText {
  /** The segments of the path. */
  readonly segments: readonly string[];
  /** The parameters in the order of the request. */
  readonly query: readonly { readonly name: string; readonly value: string }[];
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether a text has control characters. No name, address or denom has one. */
const hasControls = (text: string): boolean => [...text].some((character) => character < ' ' || character === '\u007f');

/** Patterns that no valid path segment contains: `..`, a URL, a second escape, a segment parameter, a backslash. */
const foreign = /(^|\/)\.{1,2}(\/|$)|:\/\/|%[0-9a-f]{2}|;|\\/i;

function refusalOf(where: 'path' | 'query', parameter: string, value: string): ParameterError {
  const bound = where === 'path' ? 'plain segments, each percent-encoded once' : 'plain text, percent-encoded once';
  return new ParameterError({ parameter, value, bound, nodeText: `invalid ${where}`, where });
}

/**
 * Splits and percent-decodes the path and the query of a request. Throws a {@link ParameterError} for invalid escapes and
 * control characters, and in a path for `..`, URLs and double encoding.
 */
export function readRequestText(path: string, query: string): RequestText {
  const segments = path
    .slice(1)
    .split('/')
    .map((raw) => {
      const segment = unescaped(raw);
      if (segment === undefined || hasControls(segment) || foreign.test(segment)) throw refusalOf('path', 'path', raw);
      return segment;
    });
  const pairs = query === '' ? [] : query.split('&').filter((pair) => pair !== '');
  return {
    segments,
    query: pairs.map((pair) => {
      const [rawName = '', ...rest] = pair.split('=');
      const [name, value] = [rawName, rest.join('=')].map((raw) => unescaped(raw.replaceAll('+', ' ')));
      if (name === undefined || value === undefined || hasControls(value)) throw refusalOf('query', rawName, pair);
      return { name, value };
    }),
  };
}

/** Deepest nesting of a field in a parameter name. */
const deepest = 8;

/** Resolves a dotted name to its fields. undefined if it does not end at a field that takes text. */
function fieldsAt(request: DescMessage, names: readonly string[]): readonly DescField[] | undefined {
  if (names.length > deepest) return undefined;
  let message: DescMessage | undefined = request;
  const fields: DescField[] = [];
  for (const name of names) {
    const field: DescField | undefined = message && fieldNamed(message, name);
    if (field === undefined) return undefined;
    fields.push(field);
    message = field.fieldKind === 'message' && !isLeaf(field) ? field.message : undefined;
  }
  const last = fields.at(-1);
  return last !== undefined && isLeaf(last) ? fields : undefined;
}

/**
 * Returns the gateway's error for a name that continues past a scalar field or ends at a message. undefined for all other
 * names.
 */
function nameError(request: DescMessage, names: readonly string[]): string | undefined {
  let message: DescMessage | undefined = request;
  for (const [place, name] of names.entries()) {
    const field: DescField | undefined = message && fieldNamed(message, name);
    if (field === undefined) return undefined;
    const next = names[place + 1];
    if (field.fieldKind === 'message' && !isLeaf(field)) {
      if (next === undefined) return goMessageError(field.message);
      message = field.message;
    } else if (next === undefined) {
      return undefined;
    } else {
      const isSlice = field.fieldKind === 'list' || field.scalar === ScalarType.BYTES;
      if (isSlice) return `unexpected repeated field in ${names.join('.')}`;
      return `unexpected nested field ${next} in ${names.slice(0, place + 1).join('.')}`;
    }
  }
  return undefined;
}

/** Returns the object that contains the last field. Creates the objects on the way. */
function holderOf(json: JsonObject, fields: readonly DescField[]): JsonObject {
  return fields.slice(0, -1).reduce<JsonObject>((holder, { jsonName }) => {
    const inner = holder[jsonName];
    if (isJsonObject(inner)) return inner;
    const created: JsonObject = {};
    holder[jsonName] = created;
    return created;
  }, json);
}

/**
 * Converts the path and the query of a request to protobuf JSON. Names are in snake_case or camelCase, with dots for nested
 * fields. Ignores unknown parameters, as a node does, and query parameters that the path already contains. Throws a {@link
 * ParameterError}.
 *
 * With `asGo`, values are parsed as by the node's gateway, names of fields that take no text get its error, and of a repeated parameter the first value
 * counts. Otherwise such names are ignored, an empty value is absent, and a repeated parameter is an error.
 */
export function requestJson(route: RestRoute, text: RequestText, asGo: boolean): JsonObject {
  const json: JsonObject = {};
  const places = new Map<string, 'path' | 'query'>();

  function set(names: readonly string[], value: string, where: 'path' | 'query'): void {
    const fields = fieldsAt(route.call.input, names);
    const field = fields?.at(-1);
    const error = (bound: string, nodeText: string): ParameterError =>
      new ParameterError({ parameter: names.join('.'), value, where, bound, nodeText });
    const problem = fields === undefined && asGo ? nameError(route.call.input, names) : undefined;
    if (problem !== undefined) throw error('the name of a parameter', problem);
    if (fields === undefined || field === undefined || (value === '' && !asGo)) return;
    const key = fields.map(({ name }) => name).join('.');
    const earlierPlace = places.get(key);
    places.set(key, earlierPlace ?? where);
    if (earlierPlace === 'path') return;
    if (earlierPlace === 'query' && field.fieldKind !== 'list') {
      if (asGo) return;
      throw error('given once', `too many field values: ${key}`);
    }
    const isKey = key.endsWith('pagination.key');
    if (isKey && value.length > Math.ceil(pageKeyMax / 3) * 4) {
      const bound = `at most ${pageKeyMax} bytes in base64`;
      throw error(bound, `${key} must be ${bound}`);
    }
    const fieldValue = asGo ? readGoFieldText(field, value) : readFieldText(field, value);
    if (!('json' in fieldValue)) throw error(fieldValue.bound, fieldValue.nodeText);
    const holder = holderOf(json, fields);
    const earlierValue = holder[field.jsonName];
    if (field.fieldKind !== 'list') holder[field.jsonName] = fieldValue.json;
    else holder[field.jsonName] = Array.isArray(earlierValue) ? [...earlierValue, fieldValue.json] : [fieldValue.json];
  }

  for (const { field, text: value } of valuesIn(route.template, text.segments)) set(field, value, 'path');
  if (!route.hasBody) for (const { name, value } of text.query) set(name.split('.'), value, 'query');
  return json;
}

/** Removes members that are not fields of the message from protobuf JSON, at every depth. The node's gateway ignores them. */
export function knownFields(registry: Registry, desc: DescMessage, json: JsonObject): JsonObject {
  const messageOf = (message: DescMessage, value: JsonValue | undefined): JsonValue | undefined =>
    isJsonObject(value) ? knownFields(registry, message, value) : value;

  function within(field: DescField, value: JsonValue | undefined): JsonValue | undefined {
    const { message } = field;
    if (message === undefined) return value;
    if (field.fieldKind === 'list') return Array.isArray(value) ? value.map((item) => messageOf(message, item) ?? null) : value;
    if (field.fieldKind !== 'map' || !isJsonObject(value)) return messageOf(message, value);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, messageOf(message, item) ?? null]));
  }

  if (desc.typeName === 'google.protobuf.Any') {
    const type = json['@type'];
    const messageType = typeof type === 'string' ? registry.getMessage(typeNameOf(type)) : undefined;
    if (type === undefined || messageType === undefined || messageType.typeName.startsWith('google.protobuf.')) return json;
    const { '@type': _, ...rest } = json;
    return { '@type': type, ...knownFields(registry, messageType, rest) };
  }
  if (desc.typeName.startsWith('google.protobuf.')) return json;
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]) => {
      const field = fieldNamed(desc, name);
      const knownValue = field === undefined ? undefined : within(field, value);
      return knownValue === undefined ? [] : [[name, knownValue]];
    }),
  );
}

/** Whether routes at a path accept a transaction, and therefore a large body. `path` excludes the base of the dialect. */
export function takesTransaction(path: string): boolean {
  return path.startsWith('/cosmos/tx/') || path.startsWith('/provenance/tx/');
}

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
  if (!isJsonObject(json)) {
    const type = 'Go value of type map[string]json.RawMessage';
    throw bodyError('an object', `json: cannot unmarshal ${goKindOf(json)} into ${type}`);
  }
  return json;
}
