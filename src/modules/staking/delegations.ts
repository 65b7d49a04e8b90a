import { fromSecondsAndNanos, type Nanoseconds } from '../../chain/base/time.ts';
import { Query as DistributionQuery } from '../../proto/cosmos/distribution/v1beta1/query_pb.js';
import { Query as MintQuery } from '../../proto/cosmos/mint/v1beta1/query_pb.js';
import { Query as SlashingQuery } from '../../proto/cosmos/slashing/v1beta1/query_pb.js';
import { Query } from '../../proto/cosmos/staking/v1beta1/query_pb.js';
import { canonicalDecimal, type Dec, decText } from '../../reads/decimal.ts';
import { addressKey } from '../../reads/input.ts';
import { chainList, listOnce, type NamedList, type ReadRequest, readAll, stateList } from '../../reads/page.ts';
import { type Awaitable, andThen, lazyLoaders, type Pin } from '../../reads/pin.ts';
import { stateRead, stateReadOrNull, valueOnce } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/query.ts';

/** What an account has delegated to a validator. */
export interface Delegation {
  readonly delegator: string;
  readonly operatorAddress: string;
  /** What the delegation is worth now. A slashed validator's shares are worth less than what was delegated. */
  readonly balance: Coin;
  /** Its part of the shares of the validator. */
  readonly shares: Dec;
}

/** Stake that an account is taking back from a validator, or moving to another one. */
export interface StakeMove {
  readonly delegator: string;
  readonly operatorAddress: string;
  /** The validator that it moves to; null if it is taken back. */
  readonly toOperatorAddress: string | null;
  readonly creationHeight: bigint;
  readonly completionTime: Nanoseconds;
  /** Base units of the bonded denom. */
  readonly initialBalance: string;
  readonly balance: string;
}

/** An amount with decimals, as rewards have. */
export interface DecCoin {
  readonly denom: string;
  readonly amount: string;
}

/** The rewards of an account: of each delegation, and all together. */
export interface Rewards {
  readonly byOperator: ReadonlyMap<string, readonly DecCoin[]>;
  readonly total: readonly DecCoin[];
}

/** What the slashing module knows of a validator. */
export interface SigningInfo {
  readonly startHeight: bigint;
  /** Blocks of the window that it did not sign. */
  readonly missedBlocks: bigint;
  /** null if it was never jailed. */
  readonly jailedUntil: Nanoseconds | null;
  readonly tombstoned: boolean;
}

/** A decimal of the chain on the wire: an integer of 18 decimals. */
const wireDec = (text: string): Dec => BigInt(text || '0');
const decimalOf = (text: string): string => canonicalDecimal(decText(wireDec(text)));
const decCoin = ({ denom, amount }: { denom: string; amount: string }): DecCoin => ({ denom, amount: decimalOf(amount) });
const bytesText = (bytes: Uint8Array): string => decimalOf(Buffer.from(bytes).toString());

const zero = { denom: '', amount: '0' };

/** Reads the delegations of an account, by validator. */
const readDelegations = stateList({
  method: Query.method.delegatorDelegations,
  request: (delegatorAddr: string, pagination) => ({ delegatorAddr, pagination }),
  part: ({ delegationResponses, pagination }, delegator) => [
    delegationResponses.map(
      ({ delegation, balance }): Delegation => ({
        delegator,
        operatorAddress: delegation?.validatorAddress ?? '',
        balance: balance === undefined ? zero : coinFromWire(balance),
        shares: BigInt(delegation?.shares || '0'),
      }),
    ),
    pagination,
  ],
});

/** Reads the delegations to a validator. */
const readDelegationsTo = stateList({
  method: Query.method.validatorDelegations,
  request: (validatorAddr: string, pagination) => ({ validatorAddr, pagination }),
  part: ({ delegationResponses, pagination }, operatorAddress) => [
    delegationResponses.map(
      ({ delegation, balance }): Delegation => ({
        delegator: delegation?.delegatorAddress ?? '',
        operatorAddress,
        balance: balance === undefined ? zero : coinFromWire(balance),
        shares: BigInt(delegation?.shares || '0'),
      }),
    ),
    pagination,
  ],
});

/** Reads what an account is taking back. An entry of the chain has several moves, which are listed one by one. */
const readUnbonding = stateRead({
  method: Query.method.delegatorUnbondingDelegations,
  request: (delegatorAddr: string) => ({ delegatorAddr, pagination: { limit: 100n } }),
  value: ({ unbondingResponses }, delegator): readonly StakeMove[] =>
    unbondingResponses.flatMap(({ validatorAddress, entries }) =>
      entries.map(({ creationHeight, completionTime, initialBalance, balance }) => ({
        ...{ delegator, operatorAddress: validatorAddress, toOperatorAddress: null, creationHeight },
        ...{ completionTime: fromSecondsAndNanos(completionTime), initialBalance, balance },
      })),
    ),
});

/** Reads what an account is moving between validators. */
const readRedelegations = stateRead({
  method: Query.method.redelegations,
  request: (delegatorAddr: string) => ({ delegatorAddr, pagination: { limit: 100n } }),
  value: ({ redelegationResponses }, delegator): readonly StakeMove[] =>
    redelegationResponses.flatMap(({ redelegation, entries }) =>
      entries.map(({ redelegationEntry, balance }) => ({
        delegator,
        operatorAddress: redelegation?.validatorSrcAddress ?? '',
        toOperatorAddress: redelegation?.validatorDstAddress ?? '',
        creationHeight: redelegationEntry?.creationHeight ?? 0n,
        completionTime: fromSecondsAndNanos(redelegationEntry?.completionTime),
        initialBalance: redelegationEntry?.initialBalance ?? '0',
        balance,
      })),
    ),
});

/** Reads the rewards of an account that it has not withdrawn. */
const readRewards = stateRead({
  method: DistributionQuery.method.delegationTotalRewards,
  request: (delegatorAddress: string) => ({ delegatorAddress }),
  value: ({ rewards, total }): Rewards => ({
    byOperator: new Map(rewards.map(({ validatorAddress, reward }) => [validatorAddress, reward.map(decCoin)])),
    total: total.map(decCoin),
  }),
});

/** Reads the account that gets the rewards of an account. */
const readWithdrawAddress = stateRead({
  method: DistributionQuery.method.delegatorWithdrawAddress,
  request: (delegatorAddress: string) => ({ delegatorAddress }),
  value: ({ withdrawAddress }): string => withdrawAddress,
});

/** Reads the commission of a validator that its operator has not withdrawn. */
const readCommission = stateRead({
  method: DistributionQuery.method.validatorCommission,
  request: (validatorAddress: string) => ({ validatorAddress }),
  value: ({ commission }): readonly DecCoin[] => (commission?.commission ?? []).map(decCoin),
});

/** Reads what the slashing module knows of a validator; null if it was never bonded. */
const readSigningInfo = stateReadOrNull({
  method: SlashingQuery.method.signingInfo,
  request: (consAddress: string) => ({ consAddress }),
  value: ({ valSigningInfo: info }): SigningInfo | null => {
    if (info === undefined) return null;
    const jailedUntil = fromSecondsAndNanos(info.jailedUntil);
    return {
      startHeight: info.startHeight,
      missedBlocks: info.missedBlocksCounter,
      jailedUntil: jailedUntil <= 0n ? null : jailedUntil,
      tombstoned: info.tombstoned,
    };
  },
  absences: [],
});

/** Reads the number of blocks in which missed ones are counted. */
const readSigningWindow = stateRead({
  method: SlashingQuery.method.params,
  request: (_: '') => ({}),
  value: ({ params }): bigint => params?.signedBlocksWindow ?? 0n,
});

/** Reads the stake of the chain in base units, and that which is taken back or belongs to validators that are not bonded. */
const readPool = stateRead({
  method: Query.method.pool,
  request: (_: '') => ({}),
  value: ({ pool }) => ({ bonded: BigInt(pool?.bondedTokens || '0'), notBonded: BigInt(pool?.notBondedTokens || '0') }),
});

const readBondDenom = stateRead({
  method: Query.method.params,
  request: (_: '') => ({}),
  value: ({ params }): string => params?.bondDenom ?? '',
});

/** Reads how much of the supply the chain mints in a year: 0.07 is 7 percent. */
const readInflation = stateRead({
  method: MintQuery.method.inflation,
  request: (_: '') => ({}),
  value: ({ inflation }): string => bytesText(inflation),
});

/** Reads how many base units of the bonded denom the chain mints in a year. */
const readProvisions = stateRead({
  method: MintQuery.method.annualProvisions,
  request: (_: '') => ({}),
  value: ({ annualProvisions }): string => bytesText(annualProvisions),
});

/** Reads the part of minted coins and fees that the community pool gets: 0.02 is 2 percent. */
const readCommunityTax = stateRead({
  method: DistributionQuery.method.params,
  request: (_: '') => ({}),
  value: ({ params }): string => decimalOf(params?.communityTax ?? '0'),
});

export const createStakeLoaders = lazyLoaders({
  delegations: listOnce(readDelegations),
  delegationsTo: listOnce(readDelegationsTo),
  unbonding: valueOnce(readUnbonding),
  redelegations: valueOnce(readRedelegations),
  rewards: valueOnce(readRewards),
  withdrawAddress: valueOnce(readWithdrawAddress),
  commission: valueOnce(readCommission),
  signingInfo: valueOnce(readSigningInfo),
  signingWindow: valueOnce(readSigningWindow),
  pool: valueOnce(readPool),
  bondDenom: valueOnce(readBondDenom),
  inflation: valueOnce(readInflation),
  provisions: valueOnce(readProvisions),
  communityTax: valueOnce(readCommunityTax),
});

export const delegationKey = ({ operatorAddress }: Delegation): Uint8Array => addressKey(operatorAddress);

/** All delegations of an account, by validator: their sum and each page need the same read. An account has at most one to each validator. */
export function delegationsOf(pin: Pin, delegator: string): Awaitable<readonly Delegation[]> {
  const { delegations } = pin.loaders(createStakeLoaders);
  const list = { read: (page: ReadRequest) => delegations.load({ of: delegator, page }), keyOf: delegationKey };
  return andThen(readAll(list, 'delegations'), (items) =>
    items.toSorted((one, other) => Buffer.compare(delegationKey(one), delegationKey(other))),
  );
}

/** The delegations to a validator. The form of their page keys is not recorded, so they are paged by offset. */
export const delegationsTo = (pin: Pin, operatorAddress: string): NamedList<Delegation> =>
  chainList('delegationsTo', pin.loaders(createStakeLoaders).delegationsTo, operatorAddress, ({ delegator }) =>
    addressKey(delegator),
  );
