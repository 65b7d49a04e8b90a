import { jsonExcess } from '../../answers/errors.ts';
import { asObject, checkJson, JsonBoundError, type JsonBounds, quoteLongIntegers } from '../../chain/wire/json.ts';
import type { RequestError } from '../../reads/errors.ts';

/** Returns the text of a message with long integers as strings, or the error if its JSON exceeds a bound. */
export function textOf(bytes: Buffer, bounds: JsonBounds): string | RequestError {
  try {
    checkJson(bytes, bounds);
  } catch (error) {
    if (error instanceof JsonBoundError) return jsonExcess(error);
    throw error;
  }
  return quoteLongIntegers(bytes.toString());
}

/** The types of messages that only servers send. */
const serverTypes: readonly unknown[] = ['connection_ack', 'next', 'error'];

/** Whether a message has a type that only servers send. */
export function isServerMessage(text: string): boolean {
  try {
    return serverTypes.includes(asObject(JSON.parse(text), 'message').type);
  } catch {
    return false;
  }
}
