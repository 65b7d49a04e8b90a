import { andThen, createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { readAll } from '../../reads/page.ts';
import { type StakingValidator, validators } from './query.ts';

/** The loaders of the staking module, for one pin. */
export interface StakingLoaders {
  /**
   * All validators by consensus address (upper case hex). The list is read once, whole; a chain has some hundred validators.
   */
  readonly validators: Loader<'', ReadonlyMap<string, StakingValidator>>;
}

/** Makes the loaders of one pin. */
export function createStakingLoaders({ state }: Source): StakingLoaders {
  return {
    validators: createLoader((_: '') => {
      const keyOf = ({ operatorAddress }: StakingValidator): Uint8Array => Buffer.from(operatorAddress);
      const all = readAll({ read: (page) => validators(state, page), keyOf }, 'validators');
      return andThen(
        all,
        (found) => new Map(found.flatMap((each) => (each.address === null ? [] : [[each.address, each] as const]))),
      );
    }),
  };
}
