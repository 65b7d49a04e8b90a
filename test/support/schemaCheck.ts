import { Ajv } from 'ajv';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';

/** Returns the differences between a value and its schema, one line each. Empty if the value is valid. */
export type SchemaCheck = (schema: JsonObject, value: unknown) => readonly string[];

/** A copy of a schema whose objects have no properties other than the declared ones. */
function closed(schema: JsonValue | undefined): JsonValue {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema ?? null;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isObject = copy.type === 'object' && typeof copy.properties === 'object';
  return isObject && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy;
}

/** The formats of OpenAPI 3.0 for times, bytes and numbers. */
const formats = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/,
  byte: /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  int32: { type: 'number', validate: (value: number) => Math.abs(value) <= 2 ** 32 } as const,
  int64: true,
} as const;

/**
 * Creates the check of one description. Undeclared properties are differences, so an incomplete description fails the check.
 */
export function createSchemaCheck(description: {
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
}): SchemaCheck {
  const ajv = new Ajv({ strict: false, allErrors: true, formats });
  ajv.addSchema({ $id: 'description', components: closed(description.components as JsonObject) } as never);
  const compiled = new Map<JsonObject, ReturnType<typeof ajv.compile>>();
  return (schema, value) => {
    let validate = compiled.get(schema);
    if (validate === undefined) {
      // References in the schema are relative to the document.
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
