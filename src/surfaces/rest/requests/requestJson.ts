import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';
import { pageKeyMax } from '../../../config/bounds.ts';
import { ParameterError } from '../failures/parameterError.ts';
import { fieldNamed, isLeaf } from '../routes/routeParameters.ts';
import type { RestRoute } from '../routes/routeTable.ts';
import { valuesIn } from '../routes/template.ts';
import { readFieldText } from './fieldText.ts';
import { goMessageError, readGoFieldText } from './goFieldText.ts';
import type { RequestText } from './requestText.ts';

/** How parameters are decoded. The dialects differ. */
export interface ParameterRules {
  /** Whether a repeated parameter is an error. If not, the first value counts, as on a node. */
  readonly refusesRepeated: boolean;
  /** Whether a parameter with an empty value is absent. If not, the empty value is parsed. */
  readonly emptyIsAbsent: boolean;
  /**
   * Whether values are parsed as by the node's gateway, and names of fields that take no text get its error. If not, such names
   * are ignored.
   */
  readonly asGo: boolean;
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

function isObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Returns the object that contains the last field. Creates the objects on the way. */
function holderOf(json: JsonObject, fields: readonly DescField[]): JsonObject {
  return fields.slice(0, -1).reduce<JsonObject>((holder, { jsonName }) => {
    const inner = holder[jsonName];
    if (isObject(inner)) return inner;
    const created: JsonObject = {};
    holder[jsonName] = created;
    return created;
  }, json);
}

/**
 * Converts the path and the query of a request to protobuf JSON. Names are in snake_case or camelCase, with dots for nested
 * fields. Ignores unknown parameters, as a node does, and query parameters that the path already contains. Throws a {@link
 * ParameterError}.
 */
export function requestJson(route: RestRoute, text: RequestText, rules: ParameterRules): JsonObject {
  const json: JsonObject = {};
  const given = new Map<string, 'path' | 'query'>();

  function set(names: readonly string[], value: string, where: 'path' | 'query'): void {
    const fields = fieldsAt(route.call.input, names);
    const field = fields?.at(-1);
    const parameter = names.join('.');
    const problem = fields === undefined && rules.asGo ? nameError(route.call.input, names) : undefined;
    if (problem !== undefined) {
      throw new ParameterError({ parameter, value, where, bound: 'the name of a parameter', nodeText: problem });
    }
    if (fields === undefined || field === undefined || (value === '' && rules.emptyIsAbsent)) return;
    const key = fields.map(({ name }) => name).join('.');
    const before = given.get(key);
    given.set(key, before ?? where);
    if (before === 'path') return;
    if (before === 'query' && field.fieldKind !== 'list') {
      if (!rules.refusesRepeated) return;
      throw new ParameterError({ parameter, value, where, bound: 'given once', nodeText: `too many field values: ${key}` });
    }
    const isKey = key.endsWith('pagination.key');
    if (isKey && value.length > Math.ceil(pageKeyMax / 3) * 4) {
      const bound = `at most ${pageKeyMax} bytes in base64`;
      throw new ParameterError({ parameter, value, where, bound, nodeText: `${key} must be ${bound}` });
    }
    const read = rules.asGo ? readGoFieldText(field, value) : readFieldText(field, value);
    if (!('json' in read)) throw new ParameterError({ parameter, value, where, ...read });
    const holder = holderOf(json, fields);
    const already = holder[field.jsonName];
    if (field.fieldKind !== 'list') holder[field.jsonName] = read.json;
    else holder[field.jsonName] = Array.isArray(already) ? [...already, read.json] : [read.json];
  }

  for (const { field, text: value } of valuesIn(route.template, text.segments)) set(field, value, 'path');
  if (!route.hasBody) for (const { name, value } of text.query) set(name.split('.'), value, 'query');
  return json;
}
