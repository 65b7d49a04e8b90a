import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Name of the schema that a response refers to; undefined for one that refers to none. */
function schemaOf(response: string): string | undefined {
  return /"schema":\{"\$ref":"#\/components\/schemas\/([\w.-]+)"\}/.exec(response)?.[1];
}

/**
 * The same paths with each failure written once: operations refer to it in `components`, where it has the name of its schema with its status. That
 * halves a description.
 */
export function shareFailures(paths: JsonObject): { readonly paths: JsonObject; readonly responses: JsonObject } {
  const names = new Map<string, string>();
  const responses: JsonObject = {};

  function shared(status: string, response: JsonValue): JsonValue {
    const text = JSON.stringify(response);
    const schema = status === '200' ? undefined : schemaOf(text);
    if (schema === undefined) return response;
    let name = names.get(text);
    if (name === undefined) {
      const plain = `${schema}.${status}`;
      name = plain;
      for (let count = 2; Object.hasOwn(responses, name); count += 1) name = `${plain}.${count}`;
      names.set(text, name);
      responses[name] = response;
    }
    return { $ref: `#/components/responses/${name}` };
  }

  const mapped = (object: JsonObject, change: (name: string, value: JsonValue) => JsonValue): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value = null]) => [name, change(name, value)]));
  const sharedPaths = mapped(paths, (_, path) => {
    if (!isObject(path)) return path;
    return mapped(path, (_, operation) => {
      if (!isObject(operation) || !isObject(operation.responses)) return operation;
      return { ...operation, responses: mapped(operation.responses, shared) };
    });
  });
  return { paths: sharedPaths, responses };
}
