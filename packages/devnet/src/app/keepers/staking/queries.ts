import { fromBinary } from '@bufbuild/protobuf';
import { Query } from '../../../../../../src/proto/cosmos/staking/v1beta1/query_pb.js';
import {
  BondStatus,
  BondStatusSchema,
  type Delegation,
  DelegationSchema,
  type Redelegation,
  RedelegationSchema,
  UnbondingDelegationSchema,
  ValidatorSchema,
} from '../../../../../../src/proto/cosmos/staking/v1beta1/staking_pb.js';
import { PlainError, StatusError } from '../../runtime/abciErrors.ts';
import { feeDenom } from '../../runtime/coins.ts';
import { one } from '../../runtime/dec.ts';
import { onQuery, type QueryHandler } from '../../runtime/keeper.ts';
import { durationOf, seconds } from '../../runtime/time.ts';
import type { StoreEntry, StoreView } from '../../state/store.ts';
import { pageUnder, paginateHits, walk } from '../base/page.ts';
import { unbondingSeconds } from './messages.ts';
import { worthOf } from './shares.ts';
import {
  accountPart,
  findDelegation,
  findValidator,
  operatorPart,
  readValidators,
  stakingKeys,
  stakingStore,
} from './state.ts';

/** Checks an address of a request. The texts are those of the Cosmos SDK; not recorded. */
function asked(address: string, what: string, part: (text: string) => string): string {
  if (address === '') throw new StatusError('InvalidArgument', `${what} address cannot be empty`);
  return part(address);
}

function shown(state: StoreView, delegation: Delegation) {
  const validator = findValidator(state, delegation.validatorAddress);
  const amount = validator === undefined ? 0n : worthOf(validator, BigInt(delegation.shares)) / one;
  return { delegation, balance: { denom: feeDenom, amount: String(amount) } };
}

function shownMoves(state: StoreView, redelegation: Redelegation) {
  const { delegatorAddress, validatorSrcAddress, validatorDstAddress, entries } = redelegation;
  const validator = findValidator(state, validatorDstAddress);
  return {
    redelegation: { delegatorAddress, validatorSrcAddress, validatorDstAddress },
    entries: entries.map((redelegationEntry) => ({
      redelegationEntry,
      balance: String(validator === undefined ? 0n : worthOf(validator, BigInt(redelegationEntry.sharesDst)) / one),
    })),
  };
}

/** The tokens of bonded validators, and those of other validators and of unbonding delegations. */
function pool(state: StoreView) {
  let [bonded, notBonded] = [0n, 0n];
  for (const { status, tokens } of readValidators(state)) {
    if (status === BondStatus.BONDED) bonded += BigInt(tokens);
    else notBonded += BigInt(tokens);
  }
  for (const { value } of state.entries(stakingStore, stakingKeys.unbonding)) {
    for (const { balance } of fromBinary(UnbondingDelegationSchema, value).entries) notBonded += BigInt(balance);
  }
  return { bondedTokens: String(bonded), notBondedTokens: String(notBonded) };
}

/** The queries of the module. Not recorded, except for the form of validators and delegations. */
export const stakingQueries: readonly QueryHandler[] = [
  onQuery(Query.method.validators, (state, { status, pagination: request }) => {
    const askedStatus = BondStatusSchema.values.find(({ name }) => name === status);
    if (status !== '' && askedStatus === undefined)
      throw new StatusError('InvalidArgument', `invalid validator status ${status}`);
    const decode = ({ value }: StoreEntry) => fromBinary(ValidatorSchema, value);
    const { entries, pagination } = paginateHits(
      request,
      walk(state, stakingStore, stakingKeys.validator, request),
      (entry) => askedStatus === undefined || decode(entry).status === askedStatus.number,
    );
    return { validators: entries.map(decode), pagination };
  }),
  onQuery(Query.method.validator, (state, { validatorAddr }) => {
    asked(validatorAddr, 'validator', operatorPart);
    const validator = findValidator(state, validatorAddr);
    if (validator === undefined) throw new StatusError('NotFound', `validator ${validatorAddr} not found`);
    return { validator };
  }),
  onQuery(Query.method.validatorDelegations, (state, { validatorAddr, pagination: request }) => {
    const prefix = stakingKeys.delegationByValidator + asked(validatorAddr, 'validator', operatorPart);
    const { entries, pagination } = pageUnder(state, stakingStore, prefix, request);
    const rows = entries.flatMap(({ key }) => {
      const stored = state.get(stakingStore, stakingKeys.delegation + key.slice(prefix.length) + operatorPart(validatorAddr));
      return stored === undefined ? [] : [shown(state, fromBinary(DelegationSchema, stored))];
    });
    return { delegationResponses: rows, pagination };
  }),
  onQuery(Query.method.delegation, (state, { delegatorAddr, validatorAddr }) => {
    asked(delegatorAddr, 'delegator', accountPart);
    asked(validatorAddr, 'validator', operatorPart);
    const delegation = findDelegation(state, delegatorAddr, validatorAddr);
    if (delegation === undefined) {
      throw new StatusError('NotFound', `delegation with delegator ${delegatorAddr} not found for validator ${validatorAddr}`);
    }
    return { delegationResponse: shown(state, delegation) };
  }),
  onQuery(Query.method.delegatorDelegations, (state, { delegatorAddr, pagination: request }) => {
    const prefix = stakingKeys.delegation + asked(delegatorAddr, 'delegator', accountPart);
    const { entries, pagination } = pageUnder(state, stakingStore, prefix, request);
    const rows = entries.map(({ value }) => shown(state, fromBinary(DelegationSchema, value)));
    return { delegationResponses: rows, pagination };
  }),
  onQuery(Query.method.delegatorUnbondingDelegations, (state, { delegatorAddr, pagination: request }) => {
    const prefix = stakingKeys.unbonding + asked(delegatorAddr, 'delegator', accountPart);
    const { entries, pagination } = pageUnder(state, stakingStore, prefix, request);
    return { unbondingResponses: entries.map(({ value }) => fromBinary(UnbondingDelegationSchema, value)), pagination };
  }),
  onQuery(Query.method.redelegations, (state, { delegatorAddr, srcValidatorAddr, dstValidatorAddr, pagination: request }) => {
    if (delegatorAddr === '') throw new PlainError('empty address string is not allowed');
    const prefix = stakingKeys.redelegation + accountPart(delegatorAddr);
    const decode = ({ value }: StoreEntry) => fromBinary(RedelegationSchema, value);
    const { entries, pagination } = paginateHits(request, walk(state, stakingStore, prefix, request), (entry) => {
      const { validatorSrcAddress, validatorDstAddress } = decode(entry);
      return [
        [srcValidatorAddr, validatorSrcAddress],
        [dstValidatorAddr, validatorDstAddress],
      ].every(([wanted, address]) => wanted === '' || wanted === address);
    });
    return { redelegationResponses: entries.map((entry) => shownMoves(state, decode(entry))), pagination };
  }),
  onQuery(Query.method.pool, (state) => ({ pool: pool(state) })),
  onQuery(Query.method.params, () => ({
    params: {
      unbondingTime: durationOf(seconds(unbondingSeconds)),
      maxValidators: 100,
      maxEntries: 7,
      historicalEntries: 10_000,
      bondDenom: feeDenom,
      minCommissionRate: '0',
    },
  })),
];
