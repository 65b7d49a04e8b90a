import type { ExecutionResult, GraphQLError } from 'graphql';

/** What is told of a request to those who run the server: filled by whoever learns it, read when the request is over. */
export interface RequestRecord {
  /** By which people and logs name it. */
  readonly id: string;
  /** Name of its operation; undefined when it has none. */
  operation: string | undefined;
  /** Code of its first error; undefined when there was none. */
  code: string | undefined;
  /** The surface of the stream that it was answered by; undefined for one answer. */
  stream: 'graphql-sse' | 'graphql-multipart' | undefined;
  /** Points that it was charged for its bytes and for what it asks for; undefined when nothing was. */
  cost: number | undefined;
  /** Of these, the points beyond the first for its bytes. */
  bytes: number;
  /** Points that it was charged for the time of its synchronous work. */
  computing: number;
}

/** Longest name of an operation that is told. */
const nameMax = 128;

/** A record of which nothing is known yet. */
export function createRequestRecord(id: string): RequestRecord {
  return { id, operation: undefined, code: undefined, stream: undefined, cost: undefined, bytes: 0, computing: 0 };
}

/** Notes the name of the operation, cut at 128 characters. What is no name of GraphQL is not told: it could be anything. */
export function noteOperation(record: RequestRecord, name: string | null | undefined): void {
  const cut = name?.slice(0, nameMax);
  if (cut !== undefined && /^[_A-Za-z][_0-9A-Za-z]*$/.test(cut)) record.operation = cut;
}

/** Notes the code of the first error, of a result or of a stream that was ended. */
export function noteErrors(record: RequestRecord, errors: ExecutionResult['errors'] | readonly GraphQLError[]): void {
  const [first] = errors ?? [];
  if (first === undefined) return;
  const { code } = first.extensions;
  record.code ??= typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR';
}
