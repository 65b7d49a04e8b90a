import { type ChainError, isChainError } from '../../../chain/base/errors.ts';
import { isAbsence } from '../../../chain/rpc/rpcErrors.ts';
import { RequestError } from '../../../reads/errors.ts';
import { grpc, type RestFailure, statusOf } from './grpcStatus.ts';
import { ParameterError } from './parameterError.ts';
import { type RefusedRead, toGrpc } from './refusedRead.ts';

/** Registered errors of the SDK that mean that the request is invalid. */
const invalidInput = /^codespace sdk code (7|18): |bech32/i;

/**
 * Maps a rejected read to a gRPC status in the documented dialect: NotFound for absent objects, InvalidArgument for invalid
 * requests, FailedPrecondition for other errors of a module. Statuses that the node itself reports in gRPC are passed on.
 */
function ofRefusal(service: string, refused: RefusedRead): { code: number; message: string } {
  const { code, message } = toGrpc(service, refused);
  if (isAbsence(refused)) return { code: grpc.NOT_FOUND, message };
  if (code !== grpc.UNKNOWN) return { code, message };
  const isInvalid = refused.abciCode === 18 || invalidInput.test(message);
  return { code: isInvalid ? grpc.INVALID_ARGUMENT : grpc.FAILED_PRECONDITION, message };
}

function ofChain(error: ChainError, service: string): RestFailure {
  const { code: reason, message, facts } = error;
  const of = (grpcCode: number, status = statusOf(grpcCode)): RestFailure => ({ status, grpcCode, message, reason, facts });
  if (isChainError(error, 'ABCI_QUERY_FAILED')) {
    const refused = ofRefusal(service, error.facts);
    const { abciCode, codespace } = error.facts;
    return { ...of(refused.code), message: refused.message, facts: { abciCode, codespace }, isOfHeight: true };
  }
  switch (reason) {
    case 'HEIGHT_PRUNED':
    case 'HEIGHT_NOT_YET_AVAILABLE':
      return of(grpc.OUT_OF_RANGE);
    case 'NODE_TIMEOUT':
      return of(grpc.DEADLINE_EXCEEDED);
    case 'NODE_UNREACHABLE':
    case 'CHAIN_RESET':
      return of(grpc.UNAVAILABLE);
    case 'NODE_INVALID_RESPONSE':
    case 'NODE_INCONSISTENT':
      return of(grpc.UNAVAILABLE, 502);
    case 'SIMULATION_DISABLED':
      return of(grpc.PERMISSION_DENIED);
    case 'INDEX_UNAVAILABLE':
      return of(grpc.UNIMPLEMENTED);
    default:
      return of(grpc.FAILED_PRECONDITION);
  }
}

/**
 * Converts an error of a request to a service to the documented dialect. undefined for unexpected errors, which must be masked.
 */
export function documentedFailure(error: unknown, service: string): RestFailure | undefined {
  if (isChainError(error)) return ofChain(error, service);
  if (error instanceof ParameterError) {
    const { message, parameter, value, bound } = error;
    const facts = { argument: parameter, value, bound };
    return { status: 400, grpcCode: grpc.INVALID_ARGUMENT, message, reason: 'BAD_USER_INPUT', facts };
  }
  if (error instanceof RequestError) {
    const grpcCode = error.code === 'SERVER_SHUTDOWN' ? grpc.UNAVAILABLE : grpc.INVALID_ARGUMENT;
    const { message, code: reason, facts } = error;
    const status = facts.limit === 'http.body' || facts.limit === 'http.otherBody' ? 413 : statusOf(grpcCode);
    return { status, grpcCode, message, reason, facts };
  }
  return undefined;
}
