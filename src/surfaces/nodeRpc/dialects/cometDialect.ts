import { type Arguments, decodeJsonParams, decodeUriParams, type Param, rpcMethods } from '../../../chain/rpc/methods.ts';
import { encodeFailure, encodeResult, MissingParams } from '../../../chain/rpc/requests.ts';
import type { JsonValue } from '../../../chain/wire/json.ts';
import type { ErrorShape } from '../../../server/messages/errors.ts';
import { commonStatus, type Dialect, type FailureKind, type Via } from '../dialect.ts';
import { rpcErrorOf } from '../failures.ts';

const shape: ErrorShape = (answer) => encodeFailure(undefined, rpcErrorOf(answer));

/** The node's statuses (docs/chain.md, "HTTP status codes of the node RPC"), and those of errors that only Stele has. */
function status(kind: FailureKind, via: Via): number {
  return commonStatus(kind, via) ?? (kind === 'params' && via !== 'uri' ? 200 : 500);
}

function readParams(params: readonly Param[], given: JsonValue | undefined): Arguments {
  if (given === undefined && params.length > 0) throw new MissingParams();
  return decodeJsonParams(params, given ?? null);
}

/** The node's dialect, at `/comet`: the same responses and error texts as a node. */
export const cometDialect: Dialect = {
  surface: 'comet',
  shape,
  namesHeight: false,
  readJson: (method, given) => readParams(rpcMethods[method].params, given),
  readParams,
  readUri: (method, given) => decodeUriParams(rpcMethods[method].params, given),
  check: () => undefined,
  result: (_, result) => result,
  encodeResult,
  encodeFailure,
  status,
  isCacheable: (_, cacheable) => cacheable,
};
