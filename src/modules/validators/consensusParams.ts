import { asObject, bigintAt, malformed, objectAt } from '../../chain/wire/decode.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { type ConsensusParamUpdates, decodeParamUpdates } from '../../chain/wire/results.ts';

/** Reads the result of `consensus_params`, which must be of the height asked for. No group is null here. */
export function decodeParamsAt(json: JsonValue, height: bigint): ConsensusParamUpdates {
  const result = asObject(json, 'consensus_params');
  const answered = bigintAt(result, 'block_height');
  if (answered !== height) throw malformed(`parameters of height ${answered} in place of ${height}`);
  return decodeParamUpdates(objectAt(result, 'consensus_params'));
}
