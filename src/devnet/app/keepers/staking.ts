import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { PubKeySchema } from '../../../proto/cosmos/crypto/ed25519/keys_pb.js';
import { Query } from '../../../proto/cosmos/staking/v1beta1/query_pb.js';
import { BondStatus, BondStatusSchema } from '../../../proto/cosmos/staking/v1beta1/staking_pb.js';
import { StatusError } from '../abciErrors.ts';
import { encodeAddress } from '../address.ts';
import { type Keeper, onQuery, packAny } from '../keeper.ts';

/** The one validator, as the staking module knows it. */
export interface ChainValidator {
  /** Its consensus key: ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly moniker: string;
}

const prefix = 'tpvaloper';
const tokens = 10n ** 15n;

/** The operator's address is made of the consensus key's, so that it is the one that rewards go to. */
function describe({ publicKey, moniker }: ChainValidator) {
  const address = createHash('sha256').update(publicKey).digest().subarray(0, 20);
  return {
    operatorAddress: encodeAddress(new Uint8Array(address), prefix),
    consensusPubkey: packAny(PubKeySchema, create(PubKeySchema, { key: publicKey })),
    status: BondStatus.BONDED,
    tokens: String(tokens),
    delegatorShares: String(tokens * 10n ** 18n),
    description: { moniker, details: 'Makes the blocks of this development chain.' },
    unbondingTime: { seconds: 0n, nanos: 0 },
    commission: {
      commissionRates: { rate: '100000000000000000', maxRate: '200000000000000000', maxChangeRate: '10000000000000000' },
      updateTime: { seconds: 0n, nanos: 0 },
    },
    minSelfDelegation: '1',
  };
}

/** Validators: the one that the chain has, unless it is told of none. Nothing can be staked; none of its answers was recorded. */
export function createStakingKeeper(validator: ChainValidator | undefined): Keeper {
  const all = validator === undefined ? [] : [describe(validator)];
  return {
    store: 'staking',
    messages: [],
    queries: [
      onQuery(Query.method.validators, (_, { status }) => {
        const bonded = BondStatusSchema.value[BondStatus.BONDED]?.name;
        const known = status === '' || BondStatusSchema.values.some(({ name }) => name === status);
        if (!known) throw new StatusError('InvalidArgument', `invalid validator status ${status}`);
        const validators = status === '' || status === bonded ? all : [];
        return { validators, pagination: { total: BigInt(validators.length) } };
      }),
      onQuery(Query.method.validator, (_, { validatorAddr }) => {
        if (validatorAddr === '') throw new StatusError('InvalidArgument', 'validator address cannot be empty');
        const found = all.find(({ operatorAddress }) => operatorAddress === validatorAddr);
        if (found === undefined) throw new StatusError('NotFound', `validator ${validatorAddr} not found`);
        return { validator: found };
      }),
    ],
  };
}
