import { createHash } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { PubKeySchema } from '../../../../../src/proto/cosmos/crypto/ed25519/keys_pb.js';
import { Query } from '../../../../../src/proto/cosmos/staking/v1beta1/query_pb.js';
import {
  BondStatus,
  BondStatusSchema,
  type Validator,
  ValidatorSchema,
} from '../../../../../src/proto/cosmos/staking/v1beta1/staking_pb.js';
import { StatusError } from '../runtime/abciErrors.ts';
import { decodeBech32, encodeAddress } from '../runtime/address.ts';
import { type ChainValidator, type Keeper, onQuery, packAny } from '../runtime/keeper.ts';
import { keyOf, sizedKey } from '../state/bytes.ts';
import { pageUnder } from './base/page.ts';

const store = 'staking';
const prefix = '\x21';
const operatorPrefix = 'tpvaloper';
const tokensPerPower = 1_000_000n;
const decimals = 10n ** 18n;
const none = { seconds: 0n, nanos: 0 };

/**
 * Describes a validator. Its operator address is derived from the address of the consensus key, so that it equals the recipient
 * of rewards.
 */
function describe(
  { publicKey, power }: ChainValidator,
  index: number,
): { readonly address: Uint8Array; readonly validator: Validator } {
  const address = new Uint8Array(createHash('sha256').update(publicKey).digest().subarray(0, 20));
  const tokens = power * tokensPerPower;
  const validator = create(ValidatorSchema, {
    operatorAddress: encodeAddress(address, operatorPrefix),
    consensusPubkey: packAny(PubKeySchema, create(PubKeySchema, { key: publicKey })),
    status: BondStatus.BONDED,
    tokens: String(tokens),
    delegatorShares: String(tokens * decimals),
    description: { moniker: `validator-${index}`, details: 'Validator of this development chain.' },
    unbondingTime: none,
    commission: {
      commissionRates: {
        rate: String(decimals / 10n),
        maxRate: String(decimals / 5n),
        maxChangeRate: String(decimals / 100n),
      },
      updateTime: none,
    },
    minSelfDelegation: '1',
  });
  return { address, validator };
}

/**
 * The validators, which never change, because nothing can be staked. Not recorded: the responses have the format of the Cosmos
 * SDK.
 */
export const stakingKeeper: Keeper = {
  messages: [],
  queries: [
    onQuery(Query.method.validators, (state, { status, pagination: request }) => {
      const askedStatus = BondStatusSchema.values.find(({ name }) => name === status);
      if (status !== '' && askedStatus === undefined)
        throw new StatusError('InvalidArgument', `invalid validator status ${status}`);
      if (askedStatus !== undefined && askedStatus.number !== BondStatus.BONDED) return { pagination: {} };
      const { entries, pagination } = pageUnder(state, store, prefix, request);
      return { validators: entries.map(({ value }) => fromBinary(ValidatorSchema, value)), pagination };
    }),
    onQuery(Query.method.validator, (state, { validatorAddr }) => {
      if (validatorAddr === '') throw new StatusError('InvalidArgument', 'validator address cannot be empty');
      const stored = state.get(store, prefix + sizedKey(keyOf(decodeBech32(validatorAddr).bytes)));
      if (stored === undefined) throw new StatusError('NotFound', `validator ${validatorAddr} not found`);
      return { validator: fromBinary(ValidatorSchema, stored) };
    }),
  ],
  initGenesis(context, _, validators) {
    validators.forEach((knownValidator, index) => {
      const { address, validator } = describe(knownValidator, index);
      context.set(store, prefix + sizedKey(keyOf(address)), toBinary(ValidatorSchema, validator));
    });
  },
};
