import { grpc } from './grpcStatus.ts';
import { registeredText } from './registeredErrors.ts';

/** The application's response to a read that it rejected. */
export interface RefusedRead {
  readonly abciCode: number;
  readonly codespace: string;
  readonly log: string;
}

/** A rejected read as a gRPC status, which the node's REST API returns. */
export interface GrpcRefusal {
  readonly code: number;
  readonly message: string;
}

/** Suffixes that `abci_query` appends to the text, by code (docs/chain.md, "Error codes of the application"). */
const tails: Readonly<Record<number, string>> = {
  4: 'unauthorized',
  6: 'unknown request',
  18: 'invalid request',
  22: 'key not found',
};

/** gRPC codes by their names in `rpc error: code = …`. */
const named: Readonly<Record<string, number>> = {
  Canceled: 1,
  Unknown: grpc.UNKNOWN,
  InvalidArgument: grpc.INVALID_ARGUMENT,
  DeadlineExceeded: grpc.DEADLINE_EXCEEDED,
  NotFound: grpc.NOT_FOUND,
  AlreadyExists: grpc.ALREADY_EXISTS,
  PermissionDenied: grpc.PERMISSION_DENIED,
  ResourceExhausted: grpc.RESOURCE_EXHAUSTED,
  FailedPrecondition: grpc.FAILED_PRECONDITION,
  Aborted: grpc.ABORTED,
  OutOfRange: grpc.OUT_OF_RANGE,
  Unimplemented: grpc.UNIMPLEMENTED,
  Internal: grpc.INTERNAL,
  Unavailable: grpc.UNAVAILABLE,
  DataLoss: grpc.DATA_LOSS,
  Unauthenticated: grpc.UNAUTHENTICATED,
};

/** Moves the text of a registered error to the front, as in gRPC. `abci_query` has it at the end. */
function textFirst(log: string): string {
  const [, said, text] = /^([\s\S]*): ([^:]+)$/.exec(log) ?? [];
  return said === undefined || text === undefined ? log : `${text}: ${said}`;
}

/**
 * Converts the response of `abci_query` to a rejected read to the gRPC status of the same error. The text contains a gRPC
 * status, or a registered error with code 6 and its text at the end. Code 18 without either is a plain Go error. Guesses: a
 * panic (111222) is Internal, and an unknown service is Unimplemented.
 */
export function toGrpc(service: string, { abciCode, codespace, log }: RefusedRead): GrpcRefusal {
  const tail = codespace === 'sdk' ? tails[abciCode] : undefined;
  const text = tail !== undefined && log.endsWith(`: ${tail}`) ? log.slice(0, -tail.length - 2) : log;
  const [, name, said] = /^rpc error: code = (\w+) desc = ([\s\S]*)$/.exec(text) ?? [];
  if (name !== undefined && said !== undefined) return { code: named[name] ?? grpc.UNKNOWN, message: said };
  if (abciCode === 6 && text === 'unknown query path')
    return { code: grpc.UNIMPLEMENTED, message: `unknown service ${service}` };
  if (codespace === 'undefined') return { code: grpc.INTERNAL, message: text };
  if (codespace === 'sdk' && abciCode === 6) return { code: grpc.UNKNOWN, message: registeredText(service, text) ?? text };
  if (codespace === 'sdk' && abciCode === 18) return { code: grpc.UNKNOWN, message: text };
  return {
    code: grpc.UNKNOWN,
    message: registeredText(service, log) ?? `codespace ${codespace} code ${abciCode}: ${textFirst(log)}`,
  };
}
