import { type ConsensusParamUpdates, decodeParamUpdates } from '../../chain/wire/block.ts';
import { asObject, bigintAt, type JsonValue, malformed, objectAt } from '../../chain/wire/json.ts';

/** Decodes the result of `consensus_params` at `height`. No group is null. Fails if the result is for another height. */
export function decodeParamsAt(json: JsonValue, height: bigint): ConsensusParamUpdates {
  const result = asObject(json, 'consensus_params');
  const answered = bigintAt(result, 'block_height');
  if (answered !== height) throw malformed(`consensus_params returned height ${answered} instead of ${height}`);
  return decodeParamUpdates(objectAt(result, 'consensus_params'));
}
