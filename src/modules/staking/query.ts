import { fromBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32 } from '@scure/base';
import { typeNameOf } from '../../chain/wire/protoJson.ts';
import { PubKeySchema } from '../../proto/cosmos/crypto/ed25519/keys_pb.js';
import { Query } from '../../proto/cosmos/staking/v1beta1/query_pb.js';
import { BondStatus } from '../../proto/cosmos/staking/v1beta1/staking_pb.js';
import { type Dec, decText } from '../../reads/decimal.ts';
import { readAll, stateList } from '../../reads/page.ts';
import { andThen, lazyLoaders, ReadOnce } from '../../reads/pin.ts';

/** A validator of the staking module. */
export interface StakingValidator {
  /** Consensus address in upper case hex; null if its key is of a type whose addresses are not known here. */
  readonly address: string | null;
  /** Its consensus key in base64, as in the validator set; null if the chain has none that can be read. */
  readonly key: string | null;
  readonly moniker: string;
  readonly operatorAddress: string;
  /** Whether its stake is bonded: it is one of those with the most stake, and not jailed. */
  readonly isBonded: boolean;
  readonly jailed: boolean;
  /** Its stake, in base units. */
  readonly tokens: bigint;
  /** The shares of its delegations. */
  readonly shares: Dec;
  /** The part of rewards that its operator keeps: 0.1 is 10 percent. */
  readonly commission: string;
}

/** The address of the account of an operator. It has the same bytes, with the prefix of accounts. */
export function operatorAccount(operatorAddress: string): string {
  const decoded = bech32.decodeUnsafe(operatorAddress);
  return decoded === undefined ? '' : bech32.encode(decoded.prefix.replace(/valoper$/, ''), decoded.words);
}

/** How the key types make a consensus address (docs/chain.md, "Keys of validators"). */
const hashes: Readonly<Record<string, (key: Uint8Array) => Uint8Array>> = {
  'cosmos.crypto.ed25519.PubKey': sha256,
  'cosmos.crypto.bls12_381.PubKey': sha256,
  'cosmos.crypto.mldsa65.PubKey': sha256,
  'cosmos.crypto.secp256k1.PubKey': (key) => ripemd160(sha256(key)),
};

/** The bytes of a key of any type: each has them in its first field. Undefined for a message of another kind. */
function keyBytes({ value }: Any): Uint8Array | undefined {
  try {
    return fromBinary(PubKeySchema, value).key;
  } catch {
    return undefined;
  }
}

function consensusKey(any: Any | undefined): Pick<StakingValidator, 'address' | 'key'> {
  const key = any && keyBytes(any);
  if (key === undefined || any === undefined) return { address: null, key: null };
  const hash = hashes[typeNameOf(any.typeUrl)];
  const address = hash && Buffer.from(hash(key).subarray(0, 20)).toString('hex').toUpperCase();
  return { address: address ?? null, key: Buffer.from(key).toString('base64') };
}

/** A part of the list of all validators, bonded or not. No recording of a chain contains this query; it pages as other lists do. */
const validators = stateList({
  method: Query.method.validators,
  request: (_: '', pagination) => ({ pagination }),
  part: (response) => {
    const items = response.validators.map(
      (validator): StakingValidator => ({
        ...consensusKey(validator.consensusPubkey),
        moniker: validator.description?.moniker ?? '',
        operatorAddress: validator.operatorAddress,
        isBonded: validator.status === BondStatus.BONDED,
        jailed: validator.jailed,
        tokens: BigInt(validator.tokens || '0'),
        shares: BigInt(validator.delegatorShares || '0'),
        commission: decText(BigInt(validator.commission?.commissionRates?.rate || '0')),
      }),
    );
    return [items, response.pagination];
  },
});

/** The validators of the staking module at a height. */
export interface StakingValidators {
  /** The validator with a consensus address in upper case hex. */
  byAddress(address: string): StakingValidator | undefined;
  /** The validator with a consensus key in base64, if its address is not known here. */
  byKey(key: string): StakingValidator | undefined;
  byOperator(operatorAddress: string): StakingValidator | undefined;
  /** All of them, and the bonded ones, by descending stake. */
  readonly byStake: readonly StakingValidator[];
  readonly bonded: readonly StakingValidator[];
}

const mostTokens = (1n << 128n) - 1n;

/** The place of a validator in a list by descending stake: what its tokens lack to the most that there can be, then its address. */
export function stakeKey({ tokens, operatorAddress }: Pick<StakingValidator, 'tokens' | 'operatorAddress'>): Uint8Array {
  return Buffer.from((mostTokens - tokens).toString(16).padStart(32, '0') + operatorAddress);
}

export const createStakingLoaders = lazyLoaders({
  /** All validators. The list is read once, whole; a chain has some hundred validators. */
  validators: ({ state }) =>
    new ReadOnce((_: '') => {
      const keyOf = ({ operatorAddress }: StakingValidator): Uint8Array => Buffer.from(operatorAddress);
      const all = readAll({ read: (page) => validators(state, '', page), keyOf }, 'validators');
      return andThen(all, (items): StakingValidators => {
        const addresses = new Map(items.map((each) => [each.address, each]));
        const keys = new Map(items.filter(({ address }) => address === null).map((each) => [each.key, each]));
        const operators = new Map(items.map((each) => [each.operatorAddress, each]));
        const byStake = items.toSorted((a, b) => Buffer.compare(stakeKey(a), stakeKey(b)));
        return {
          byAddress: (address) => addresses.get(address),
          byKey: (key) => keys.get(key),
          byOperator: (operatorAddress) => operators.get(operatorAddress),
          byStake,
          bonded: byStake.filter(({ isBonded }) => isBonded),
        };
      });
    }),
});
