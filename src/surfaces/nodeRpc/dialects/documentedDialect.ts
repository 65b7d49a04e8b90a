import { rpcMethods } from '../../../chain/rpc/methods.ts';
import { encodeId, type RequestId } from '../../../chain/rpc/requests.ts';
import type { RpcError } from '../../../chain/rpc/rpcErrors.ts';
import { stringify } from '../../../chain/wire/goText.ts';
import type { ErrorShape } from '../../../server/messages/errors.ts';
import { commonStatus, type Dialect, type FailureKind, type Via } from '../dialect.ts';
import { rpcErrorOf } from '../failures.ts';
import { readDocumentedParams, readDocumentedUri } from './documentedArguments.ts';
import { checkDocumented } from './documentedChecks.ts';
import { documentedResult } from './documentedResults.ts';

/** Returns the text of an error: the node's text if there is one. */
function textOf({ message, data }: RpcError): string {
  return data ?? message;
}

function encodeFailure(id: RequestId | undefined, error: RpcError): string {
  return `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${encodeId(id)},`}"error":${stringify(textOf(error))}}`;
}

const shape: ErrorShape = (answer) => encodeFailure(undefined, rpcErrorOf(answer));

/** 500 for a rejected call by URI, as documented. 4xx for errors that the client can correct (docs/security.md, T28). */
function status(kind: FailureKind, via: Via): number {
  return commonStatus(kind, via) ?? 400;
}

/** The documented dialect, at the root paths: `error` is text, which is empty on success. */
export const documentedDialect: Dialect = {
  surface: 'rpc',
  shape,
  namesHeight: true,
  readJson: (method, given) => readDocumentedParams(rpcMethods[method].params, given),
  readParams: readDocumentedParams,
  readUri: (method, given) => readDocumentedUri(rpcMethods[method].params, given),
  check: checkDocumented,
  result: documentedResult,
  encodeResult: (id, result) => `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${result},"error":""}`,
  encodeFailure,
  status,
  isCacheable: (method, cacheable) => cacheable || method === 'check_tx',
};
