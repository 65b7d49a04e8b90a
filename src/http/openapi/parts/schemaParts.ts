import type { JsonObject } from '../../../chain/wire/json.ts';

/** A schema of OpenAPI 3.0. */
export type Schema = JsonObject;

/** Schemas by their names in `components`. */
export type Schemas = Readonly<Record<string, Schema>>;

/** The schema of that name in `components`. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object. All members but those of `optional` are always there. */
export function object(members: Schemas, optional: Schemas = {}, description?: string): Schema {
  const required = Object.keys(members);
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...(required.length > 0 && { required }),
    properties: { ...members, ...optional },
  };
}

/** A list. */
export function list(items: Schema): Schema {
  return { type: 'array', items };
}

/** A schema of which there can be null too. It must have a type of its own: beside `$ref` nothing counts in OpenAPI 3.0. */
export function nullable(schema: Schema): Schema {
  return { ...schema, nullable: true };
}

/** A schema with a description of its own. */
export function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

/** Text of any kind. */
export const text: Schema = { type: 'string' };

/** True or false. */
export const flag: Schema = { type: 'boolean' };

/** A number of 32 bits. */
export const smallInteger: Schema = { type: 'integer', format: 'int32' };

/** A number of 64 bits, as decimal text: a JSON number would lose digits of it. */
export const bigInteger: Schema = { type: 'string', pattern: '^-?[0-9]+$', description: 'A 64-bit integer, in decimal.' };

/** Bytes in upper-case hexadecimal; empty text is none. */
export const hex: Schema = { type: 'string', pattern: '^([0-9A-F]{2})*$', description: 'Bytes, in upper-case hexadecimal.' };

/** Bytes in base64. */
export const base64: Schema = { type: 'string', format: 'byte' };

/** A time with the nanoseconds of the chain. */
export const time: Schema = { type: 'string', format: 'date-time' };

/** An object whose members are the node's own matter. */
export const anyObject: Schema = { type: 'object', additionalProperties: true };

/**
 * Null, as a part of `anyOf` beside a reference: OpenAPI 3.0 ignores `nullable` next to `$ref`. It is written inline because client generators
 * recognize it there and make the reference optional; from a component they make a type `Null` that does not compile.
 */
export const none: Schema = { type: 'object', nullable: true, enum: [null] };
