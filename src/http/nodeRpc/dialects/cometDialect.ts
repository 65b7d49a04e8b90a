import { type Arguments, decodeJsonParams, decodeUriParams, type Param } from '../../../chain/rpc/args.ts';
import { encodeFailure, encodeResult, MissingParams } from '../../../chain/rpc/envelope.ts';
import { rpcMethods } from '../../../chain/rpc/methods.ts';
import type { JsonValue } from '../../../chain/wire/json.ts';
import type { ErrorShape } from '../../messages/errors.ts';
import { commonStatus, type Dialect, type FailureKind, type Via } from '../dialect.ts';
import { answerError } from '../failures.ts';

const shape: ErrorShape = (answer) => encodeFailure(undefined, answerError(answer));

/** The node's own statuses (chain.md 1.3), and those of what no node says. */
function status(kind: FailureKind, via: Via): number {
  return commonStatus(kind, via) ?? (kind === 'params' && via !== 'uri' ? 200 : 500);
}

function readParams(params: readonly Param[], given: JsonValue | undefined): Arguments {
  if (given === undefined && params.length > 0) throw new MissingParams();
  return decodeJsonParams(params, given ?? null);
}

/** The node's own dialect, at `/comet`: what the node would say, as it would say it. */
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
  mayBeKept: (_, cacheable) => cacheable,
};
