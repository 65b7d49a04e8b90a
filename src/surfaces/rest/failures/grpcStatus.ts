import type { ErrorCode } from '../../../config/errorCodes.ts';
import { type ErrorResponse, type ErrorShape, errorResponse } from '../../../server/messages/errors.ts';

/** gRPC status codes by name (google.rpc.Code). */
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

/** An error of the REST API. */
export interface RestFailure {
  readonly status: number;
  /** A gRPC status code. */
  readonly grpcCode: number;
  readonly message: string;
  /** Stele's error code, and its details. */
  readonly reason: keyof typeof ErrorCode;
  readonly facts: object;
  /** Whether the chain reported the error at a height. */
  readonly isOfHeight?: boolean;
}

/** Maps a gRPC code to the HTTP status of grpc-gateway. 400, 404, 500 and 501 were recorded. */
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

/** Maps the HTTP status of an error outside the handler to a gRPC code. */
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

/** Converts facts to strings by name, the format of `ErrorInfo.metadata`. */
function metadataOf(facts: object): Record<string, string> {
  const present = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    present.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  );
}

/**
 * Serializes an error in the documented dialect. `details` contains a `google.rpc.ErrorInfo` with Stele's error code as
 * `reason`, and its facts.
 */
export function documentedBody({ grpcCode, message, reason, facts }: RestFailure): string {
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'stele', metadata: metadataOf(facts) };
  return JSON.stringify({ code: grpcCode, message, details: [info] });
}

/** Serializes an error in the node's dialect. */
export function nodeBody({ grpcCode, message }: RestFailure): string {
  return JSON.stringify({ code: grpcCode, message, details: [] });
}

function failureOf({ status, code, message, facts }: ErrorResponse): RestFailure {
  return { status, grpcCode: codeOf(status), message, reason: code, facts };
}

/** Serializes errors that precede the handler, and masked errors, in the documented dialect. */
export const documentedShape: ErrorShape = (answer) => documentedBody(failureOf(answer));

/** Serializes errors that precede the handler, and masked errors, in the node's dialect. */
export const nodeShape: ErrorShape = (answer) => nodeBody(failureOf(answer));

/** Creates the error response for an unknown path or method. */
export function noRoute(
  status: 404 | 405 | 501,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorResponse {
  return errorResponse(status, 'BAD_USER_INPUT', message, {}, headers);
}
