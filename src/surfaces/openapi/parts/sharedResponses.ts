import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the name of the schema that a response references. undefined if it references none. */
function schemaOf(response: string): string | undefined {
  return /"schema":\{"\$ref":"#\/components\/schemas\/([\w.-]+)"\}/.exec(response)?.[1];
}

/**
 * Moves the error responses of all operations to `components`, where each distinct response is stored once under the name of
 * its schema and its status. This halves the size of a description.
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
