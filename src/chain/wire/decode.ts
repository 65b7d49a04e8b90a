import { ChainError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from './json.ts';

/**
 * The error for a response of a node that does not have the documented shape (docs/chain.md, "Results of the node RPC"). `what`
 * describes the fault.
 */
export function malformed(what: string): ChainError<'NODE_INVALID_RESPONSE'> {
  return new ChainError('NODE_INVALID_RESPONSE', `Invalid response of the node: ${what}.`, {});
}

/** `value` as a JSON object. Throws NODE_INVALID_RESPONSE for anything else, as all functions of this file do. */
export function asObject(value: JsonValue | undefined, what: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw malformed(`${what} is not an object`);
}

/** The array at `name`. Null and absent are an empty array, because Go prints nil slices so. */
export function arrayAt(object: JsonObject, name: string): JsonValue[] {
  const value = object[name];
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw malformed(`${name} is not an array`);
}

/** The object at `name`. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  return asObject(object[name], name);
}

/** The text at `name`. Absent is "", because Go's `omitempty` leaves empty text out. */
export function textAt(object: JsonObject, name: string): string {
  const value = object[name];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw malformed(`${name} is not text`);
}

/** The 64-bit integer at `name`, which nodes print as a decimal string. Absent is 0. */
export function bigintAt(object: JsonObject, name: string): bigint {
  const value = object[name] ?? '0';
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw malformed(`${name} is not an integer`);
}

/** The 32-bit integer at `name`, which nodes print as a JSON number. Absent is 0. */
export function intAt(object: JsonObject, name: string): number {
  const value = object[name] ?? 0;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw malformed(`${name} is not an integer`);
}

/** The boolean at `name`. Absent is false. */
export function booleanAt(object: JsonObject, name: string): boolean {
  const value = object[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw malformed(`${name} is not a boolean`);
}

/** The base64 bytes at `name`; undefined if null or absent. */
export function bytesAt(object: JsonObject, name: string): Uint8Array | undefined {
  const value = object[name];
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return Buffer.from(value, 'base64');
  throw malformed(`${name} is not base64`);
}
