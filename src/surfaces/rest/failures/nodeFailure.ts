import { isChainError } from '../../../chain/base/errors.ts';
import { documentedFailure } from './documentedFailure.ts';
import { grpc, type RestFailure, statusOf } from './grpcStatus.ts';
import { ParameterError } from './parameterError.ts';
import { toGrpc } from './refusedRead.ts';

function unknown(message: string, failure: RestFailure): RestFailure {
  return { ...failure, status: 500, grpcCode: grpc.UNKNOWN, message };
}

/**
 * Returns the node's text for an invalid parameter (recorded for an integer in a path, an integer in a query, and a height).
 */
function parameterText({ where, parameter, nodeText }: ParameterError): string {
  return where === 'path' ? `type mismatch, parameter: ${parameter}, error: ${nodeText}` : nodeText;
}

/**
 * Converts an error to the node's dialect. undefined for unexpected errors. Errors that a node cannot report, such as that it
 * is unreachable, are those of the documented dialect. `latest` is the height of the newest block.
 */
export function nodeFailure(error: unknown, service: string, latest: bigint | undefined): RestFailure | undefined {
  const failure = documentedFailure(error, service);
  if (failure === undefined) return undefined;
  if (error instanceof ParameterError) {
    return { ...failure, message: parameterText(error), grpcCode: error.nodeCode, status: statusOf(error.nodeCode) };
  }
  if (isChainError(error, 'ABCI_QUERY_FAILED')) {
    const { code, message } = toGrpc(service, error.facts);
    // The gateway has no route of a service that the application does not have.
    if (error.facts.log.startsWith('unknown query path'))
      return { ...failure, grpcCode: code, status: 501, message: 'Not Implemented' };
    return { ...failure, grpcCode: code, status: statusOf(code), message };
  }
  if (isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE')) {
    const text = 'cannot query with height in the future; please provide a valid height';
    return unknown(`codespace sdk code 26: invalid height: ${text}`, failure);
  }
  if (isChainError(error, 'HEIGHT_PRUNED')) {
    const gone = `failed to load state at height ${error.facts.height}; version mismatch on immutable IAVL tree; version does not exist`;
    const why = `Version has either been pruned, or is for a future block height (latest height: ${latest ?? error.facts.height})`;
    return unknown(`codespace sdk code 38: not found: ${gone}. ${why}`, failure);
  }
  return failure;
}
