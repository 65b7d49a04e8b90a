import { grpc } from './grpcStatus.ts';
import { registeredText } from './registeredErrors.ts';

/** What the application said when it refused a read. */
export interface RefusedRead {
  readonly abciCode: number;
  readonly codespace: string;
  readonly log: string;
}

/** A refusal as gRPC tells it, which is what the node's REST passes on. */
export interface GrpcRefusal {
  readonly code: number;
  readonly message: string;
}

/** What `abci_query` puts behind the text, by its code (chain.md 6.4). */
const tails: Readonly<Record<number, string>> = {
  4: 'unauthorized',
  6: 'unknown request',
  18: 'invalid request',
  22: 'key not found',
};

/** Codes of gRPC as `rpc error: code = …` names them. */
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

/** What was said with a registered error, in gRPC's order: the text of the error, which `abci_query` has last, goes first. */
function textFirst(log: string): string {
  const [, said, text] = /^([\s\S]*): ([^:]+)$/.exec(log) ?? [];
  return said === undefined || text === undefined ? log : `${text}: ${said}`;
}

/**
 * Turns what `abci_query` says of a refused read into what gRPC says of the same. A status of gRPC stands in the text; a registered error has
 * code 6, and its own text last; code 18 without either is an error of Go's alone. A panic (111222) is gRPC's Internal: a guess, as is what no service answers.
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
