/**
 * Makes values of the responses to one query method. A value depends on the request and the response alone, so it is kept in
 * memory beside the response and shared by all callers. A response has one decoded value: a method has one decoder.
 */
export interface Decoder<A extends readonly unknown[], T> {
  /** The value of a response with code 0. Throws if the response is malformed. */
  decode(response: Uint8Array, args: A): T;
  /** The value for a read that failed, such as null for an object that does not exist. Throws for every other error. */
  refused(error: unknown, args: A): T;
}

/** A value that `by` made. It is deeply frozen. */
export interface DecodedValue<T> {
  readonly by: object;
  readonly value: T;
  /** Its memory in bytes, estimated. */
  readonly size: number;
}

/** Whether this decoder made the value. */
export function isDecodedBy<A extends readonly unknown[], T>(
  decoded: DecodedValue<unknown>,
  by: Decoder<A, T>,
): decoded is DecodedValue<T> {
  return decoded.by === by;
}
