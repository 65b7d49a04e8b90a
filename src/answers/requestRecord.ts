import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Span } from '../chain/tracing/tracer.ts';

/** What logs and metrics report about a request. Parts of the server fill it in; it is read when the request is over. */
export interface RequestRecord {
  /** The request id. */
  readonly id: string;
  /** The span of the request. undefined if it is not recorded. */
  readonly span: Span | undefined;
  /** The name of the operation; undefined if it has none. */
  operation: string | undefined;
  /** The code of the first error; undefined if there was none. */
  code: string | undefined;
  /** The kind of stream that answers the request; undefined for a single response. */
  stream: 'graphql-sse' | 'graphql-multipart' | undefined;
  /** Points charged for its bytes and its operation; undefined if nothing was charged. */
  cost: number | undefined;
  /** The part of these points that was charged for bytes, beyond the first point. */
  bytes: number;
  /** Points charged for computing time. */
  computing: number;
}

/** The longest operation name that is logged. */
const nameMax = 128;

/** Creates an empty record. */
export function createRequestRecord(id: string, span?: Span): RequestRecord {
  return { id, span, operation: undefined, code: undefined, stream: undefined, cost: undefined, bytes: 0, computing: 0 };
}

/** Records the name of the operation, cut at 128 characters. Text that is not a GraphQL name is not recorded. */
export function noteOperation(record: RequestRecord, name: string | null | undefined): void {
  const cut = name?.slice(0, nameMax);
  if (cut !== undefined && /^[_A-Za-z][_0-9A-Za-z]*$/.test(cut)) record.operation = cut;
}

/** Records the code of the first error, of a result or of an ended stream. */
export function noteErrors(record: RequestRecord, errors: ExecutionResult['errors'] | readonly GraphQLError[]): void {
  const [first] = errors ?? [];
  if (first === undefined) return;
  const { code } = first.extensions;
  record.code ??= typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR';
}
