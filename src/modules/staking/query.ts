import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { sha256 } from '@noble/hashes/sha2.js';
import { PubKeySchema } from '../../proto/cosmos/crypto/ed25519/keys_pb.js';
import { Query } from '../../proto/cosmos/staking/v1beta1/query_pb.js';
import { readAll, stateList } from '../../reads/page.ts';
import { andThen, lazyLoaders, ReadOnce } from '../../reads/pin.ts';

/** A validator of the staking module. */
export interface StakingValidator {
  /** Consensus address in upper case hex; null if its key is not an ed25519 key. */
  readonly address: string | null;
  readonly moniker: string;
  readonly operatorAddress: string;
}

/** A part of the list of all validators, bonded or not. No recording of a chain contains this query; it pages as other lists do. */
const validators = stateList({
  method: Query.method.validators,
  request: (_: '', pagination) => ({ pagination }),
  part: (response) => {
    const items = response.validators.map(({ consensusPubkey, description, operatorAddress }): StakingValidator => {
      const key = consensusPubkey && anyUnpack(consensusPubkey, PubKeySchema);
      // A consensus address is the first 20 bytes of the SHA-256 of the key.
      const address = key ? Buffer.from(sha256(key.key).subarray(0, 20)).toString('hex').toUpperCase() : null;
      return { address, moniker: description?.moniker ?? '', operatorAddress };
    });
    return [items, response.pagination];
  },
});

export const createStakingLoaders = lazyLoaders({
  /** All validators by consensus address (upper case hex). The list is read once, whole; a chain has some hundred validators. */
  validators: ({ state }) =>
    new ReadOnce((_: '') => {
      const keyOf = ({ operatorAddress }: StakingValidator): Uint8Array => Buffer.from(operatorAddress);
      const all = readAll({ read: (page) => validators(state, '', page), keyOf }, 'validators');
      return andThen(
        all,
        (pageOfValidators) =>
          new Map(pageOfValidators.flatMap((each) => (each.address === null ? [] : [[each.address, each] as const]))),
      );
    }),
});
