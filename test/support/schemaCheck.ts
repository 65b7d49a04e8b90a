import { Ajv } from 'ajv';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';

/** Says what of a value is not as its schema has it: a line each, none where everything is. */
export type SchemaCheck = (schema: JsonObject, value: unknown) => readonly string[];

/** A schema by which nothing is in an object but what it names. */
function closed(schema: JsonValue | undefined): JsonValue {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema ?? null;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isObject = copy.type === 'object' && typeof copy.properties === 'object';
  return isObject && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy;
}

/** Times, bytes and numbers as OpenAPI 3.0 knows them. */
const formats = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/,
  byte: /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  int32: { type: 'number', validate: (value: number) => Math.abs(value) <= 2 ** 32 } as const,
  int64: true,
} as const;

/** Makes the check of one description. What no schema names is told too, so that a description cannot be right by saying little. */
export function createSchemaCheck(description: {
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
}): SchemaCheck {
  const ajv = new Ajv({ strict: false, allErrors: true, formats });
  ajv.addSchema({ $id: 'description', components: closed(description.components as JsonObject) } as never);
  const compiled = new Map<JsonObject, ReturnType<typeof ajv.compile>>();
  return (schema, value) => {
    let validate = compiled.get(schema);
    if (validate === undefined) {
      // References stand in the schema as they do in the document.
      const text = JSON.stringify(closed(schema)).replaceAll('"#/components', '"description#/components');
      validate = ajv.compile(JSON.parse(text) as never);
      compiled.set(schema, validate);
    }
    return validate(value)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
        );
  };
}
