import type { JsonObject } from '../../../chain/wire/json.ts';

/** A schema of OpenAPI 3.0. */
export type Schema = JsonObject;

/** Schemas by their names in `components`. */
export type Schemas = Readonly<Record<string, Schema>>;

/** References a schema in `components` by name. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Creates the schema of an object. All members except those of `optional` are required. */
export function object(members: Schemas, optional: Schemas = {}, description?: string): Schema {
  const required = Object.keys(members);
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...(required.length > 0 && { required }),
    properties: { ...members, ...optional },
  };
}

/** Creates the schema of an array. */
export function list(items: Schema): Schema {
  return { type: 'array', items };
}

/** Makes a schema nullable. The schema must not be a `$ref`: OpenAPI 3.0 ignores siblings of `$ref`. */
export function nullable(schema: Schema): Schema {
  return { ...schema, nullable: true };
}

/** Replaces the description of a schema. */
export function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

/** A string. */
export const text: Schema = { type: 'string' };

/** A boolean. */
export const flag: Schema = { type: 'boolean' };

/** A 32-bit integer. */
export const smallInteger: Schema = { type: 'integer', format: 'int32' };

/** A 64-bit integer as a decimal string, because JSON numbers lose precision. */
export const bigInteger: Schema = { type: 'string', pattern: '^-?[0-9]+$', description: 'A 64-bit integer in decimal.' };

/** Bytes in upper-case hexadecimal. The empty string stands for no bytes. */
export const hex: Schema = { type: 'string', pattern: '^([0-9A-F]{2})*$', description: 'Bytes in upper-case hexadecimal.' };

/** Bytes in base64. */
export const base64: Schema = { type: 'string', format: 'byte' };

/** A time, with up to nine decimals. */
export const time: Schema = { type: 'string', format: 'date-time' };

/** An object whose members depend on the node. */
export const anyObject: Schema = { type: 'object', additionalProperties: true };

/**
 * Null, for use in an `anyOf` next to a reference: OpenAPI 3.0 ignores `nullable` next to `$ref`. Use it inline, where client
 * generators recognize it and make the reference optional. From a component, they generate a type `Null` that does not compile.
 */
export const none: Schema = { type: 'object', nullable: true, enum: [null] };
