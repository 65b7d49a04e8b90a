import type { ValidatorSet } from '../../chain/blocks/validatorSets.ts';
import type { ConsensusParamUpdates } from '../../chain/wire/block.ts';
import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { decodeParamsAt } from './consensusParams.ts';

/** The loaders of validators for one pin, by height. Callers check heights first. */
export interface ValidatorLoaders {
  /** The whole validator set that signs the block at a height. */
  readonly validators: Loader<bigint, ValidatorSet>;
  readonly consensusParams: Loader<bigint, ConsensusParamUpdates>;
}

/** Makes the loaders of one pin. */
export function createValidatorLoaders({ client, signal }: Source): ValidatorLoaders {
  return {
    validators: createLoader((height: bigint) => client.validators(height, signal)),
    consensusParams: createLoader((height: bigint) =>
      client.call(
        'consensus_params',
        { height: height.toString() },
        { height, signal, decode: (json) => decodeParamsAt(json, height) },
      ),
    ),
  };
}
