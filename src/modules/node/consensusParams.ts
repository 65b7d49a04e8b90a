import { arrayAt, asObject, bigintAt, malformed, objectAt } from '../../chain/decode.ts';
import type { JsonObject, JsonValue } from '../../chain/json.ts';
import type { Nanoseconds } from '../time.ts';

/** Consensus parameters. A group that is null did not change: only in the updates of a block. */
export interface ConsensusParams {
  readonly block: { readonly maxBytes: bigint; readonly maxGas: bigint } | null;
  readonly evidence: {
    readonly maxAgeNumBlocks: bigint;
    readonly maxAgeDuration: Nanoseconds;
    readonly maxBytes: bigint;
  } | null;
  readonly validator: { readonly pubKeyTypes: readonly string[] } | null;
  readonly version: { readonly app: bigint } | null;
  readonly abci: { readonly voteExtensionsEnableHeight: bigint } | null;
}

/** Reads the groups of parameters; members of a group that are left out are zero (chain.md 1.5). */
export function decodeConsensusParams(json: JsonObject): ConsensusParams {
  const group = <T>(name: string, read: (object: JsonObject) => T): T | null => {
    const value = json[name];
    return value == null ? null : read(asObject(value, name));
  };
  return {
    block: group('block', (of) => ({ maxBytes: bigintAt(of, 'max_bytes'), maxGas: bigintAt(of, 'max_gas') })),
    evidence: group('evidence', (of) => ({
      maxAgeNumBlocks: bigintAt(of, 'max_age_num_blocks'),
      maxAgeDuration: bigintAt(of, 'max_age_duration'),
      maxBytes: bigintAt(of, 'max_bytes'),
    })),
    validator: group('validator', (of) => ({
      pubKeyTypes: arrayAt(of, 'pub_key_types').map((type) => {
        if (typeof type !== 'string') throw malformed('a key type is not text');
        return type;
      }),
    })),
    version: group('version', (of) => ({ app: bigintAt(of, 'app') })),
    abci: group('abci', (of) => ({ voteExtensionsEnableHeight: bigintAt(of, 'vote_extensions_enable_height') })),
  };
}

/** Reads the result of `consensus_params`, which must be of the height asked for. */
export function decodeParamsAt(json: JsonValue, height: bigint): ConsensusParams {
  const result = asObject(json, 'consensus_params');
  const answered = bigintAt(result, 'block_height');
  if (answered !== height) throw malformed(`parameters of height ${answered} in place of ${height}`);
  return decodeConsensusParams(objectAt(result, 'consensus_params'));
}
