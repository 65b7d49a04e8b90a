import type { ErrorCode } from '../../../config/errorCodes.ts';
import { type ErrorResponse, type ErrorShape, errorResponse } from '../../messages/errors.ts';

/** Codes of gRPC, by name (google.rpc.Code). */
export const grpc = {
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** A failure as REST tells it. */
export interface RestFailure {
  readonly status: number;
  /** One of gRPC's. */
  readonly grpcCode: number;
  readonly message: string;
  /** Our own code of it, and its particulars. */
  readonly reason: keyof typeof ErrorCode;
  readonly facts: object;
  /** Whether it was the chain that said so, at a height. */
  readonly isOfHeight?: boolean;
}

/** The HTTP status of a gRPC code, as grpc-gateway has it. 404, 400, 500 and 501 were seen. */
export function statusOf(grpcCode: number): number {
  switch (grpcCode) {
    case grpc.INVALID_ARGUMENT:
    case grpc.FAILED_PRECONDITION:
    case grpc.OUT_OF_RANGE:
      return 400;
    case grpc.UNAUTHENTICATED:
      return 401;
    case grpc.PERMISSION_DENIED:
      return 403;
    case grpc.NOT_FOUND:
      return 404;
    case grpc.ALREADY_EXISTS:
    case grpc.ABORTED:
      return 409;
    case grpc.RESOURCE_EXHAUSTED:
      return 429;
    case grpc.UNIMPLEMENTED:
      return 501;
    case grpc.UNAVAILABLE:
      return 503;
    case grpc.DEADLINE_EXCEEDED:
      return 504;
    default:
      return 500;
  }
}

/** The gRPC code of what the server answers before or beside a handler. */
function codeOf(status: number): number {
  switch (status) {
    case 401:
      return grpc.UNAUTHENTICATED;
    case 403:
      return grpc.PERMISSION_DENIED;
    case 404:
      return grpc.NOT_FOUND;
    case 405:
    case 501:
      return grpc.UNIMPLEMENTED;
    case 408:
    case 504:
      return grpc.DEADLINE_EXCEEDED;
    case 429:
      return grpc.RESOURCE_EXHAUSTED;
    case 502:
    case 503:
      return grpc.UNAVAILABLE;
    default:
      return status < 500 ? grpc.INVALID_ARGUMENT : grpc.INTERNAL;
  }
}

/** Facts as text by name, as `ErrorInfo.metadata` holds them. */
function metadataOf(facts: object): Record<string, string> {
  const told = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    told.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  );
}

/** The body of a failure under the seed's names: `details` has our code as `reason` of a `google.rpc.ErrorInfo`, and its particulars. */
export function documentedBody({ grpcCode, message, reason, facts }: RestFailure): string {
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'stele', metadata: metadataOf(facts) };
  return JSON.stringify({ code: grpcCode, message, details: [info] });
}

/** The body of a failure as the node's REST has it. */
export function nodeBody({ grpcCode, message }: RestFailure): string {
  return JSON.stringify({ code: grpcCode, message, details: [] });
}

function failureOf({ status, code, message, facts }: ErrorResponse): RestFailure {
  return { status, grpcCode: codeOf(status), message, reason: code, facts };
}

/** The shape of failures before the handler, and of those that are masked, under the seed's names. */
export const documentedShape: ErrorShape = (answer) => documentedBody(failureOf(answer));

/** The same in the node's dialect. */
export const nodeShape: ErrorShape = (answer) => nodeBody(failureOf(answer));

/** An answer without a body's worth of the chain: for the methods and paths that there are none of. */
export function noRoute(
  status: 404 | 405 | 501,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorResponse {
  return errorResponse(status, 'BAD_USER_INPUT', message, {}, headers);
}
