import { bech32 } from '@scure/base';
import { decimal, decimalText, percentOf } from '../../reads/decimal.ts';
import { type Awaitable, andThen, both, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs, createRef, nonNull, usesContext } from '../../schema/builder.ts';
import { addConnection, type Connection, chainConnection, derivedConnection } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { type Account, AccountRef, accountField, accountOf } from '../account/schema.ts';
import { CoinRef, coinOf } from '../bank/schema.ts';
import type { Validator } from '../validators/query.ts';
import { ValidatorConnectionRef, ValidatorRef } from '../validators/schema.ts';
import {
  createStakeLoaders,
  type DecCoin,
  type Delegation,
  delegationKey,
  delegationsOf,
  delegationsTo,
  type SigningInfo,
  type StakeMove,
} from './delegations.ts';
import { createStakingLoaders, operatorAccount, type StakingValidator, stakeKey } from './query.ts';
import { stakingValidator, validatorOfOperator } from './schema.ts';

/** The stake of an account. */
interface AccountStaking {
  readonly address: string;
}

/** A validator with what its place in a list by stake follows from. */
type StakedValidator = Validator & Pick<StakingValidator, 'tokens' | 'operatorAddress'>;

interface SigningInfoOf extends SigningInfo {
  readonly window: bigint;
}

const AccountStakingRef = createRef<Pinned<AccountStaking>>('AccountStaking');
const DelegationRef = createRef<Pinned<Delegation>>('Delegation');
const DelegationConnectionRef = createRef<Connection<Pinned<Delegation>>>('DelegationConnection');
const StakeMoveRef = createRef<Pinned<StakeMove>>('StakeMove');
const DecCoinRef = createRef<Pinned<DecCoin>>('DecCoin');
const SigningInfoRef = createRef<SigningInfoOf>('SigningInfo');
const StakingPoolRef = createRef<Pinned<{ readonly bonded: bigint; readonly notBonded: bigint }>>('StakingPool');

/** A list that a read of its own fills: it is null if the read fails, and the other fields have their values. */
function listOf<T>(type: T, description: string) {
  return { type: [type] as [T], nullable: { list: true, items: false }, description } as const;
}

/** The prefix of operator addresses on the chain of an account address. */
function operatorOf(address: string): string | undefined {
  const decoded = bech32.decodeUnsafe(address, 128);
  return decoded === undefined ? undefined : bech32.encode(`${decoded.prefix}valoper`, decoded.words, 128);
}

/** An amount of the bonded denom. */
function staked(parent: Pinned<object>, amount: string) {
  return andThen(pinOf(parent).loaders(createStakeLoaders).bondDenom.load(''), (denom) => coinOf(parent, { denom, amount }));
}

const decCoins = (parent: Pinned<object>, coins: readonly DecCoin[]): Pinned<DecCoin>[] =>
  coins.map((coin) => pinned(pinOf(parent), { ...coin }));

/** Adds the stake of accounts and of the chain, and what validators are to their delegators. */
export function addStake(builder: Builder): void {
  builder.objectType(DecCoinRef, {
    description: 'An amount with decimals. Rewards have up to 18; what is withdrawn is a whole number of base units.',
    fields: (t) => ({
      denom: t.exposeString('denom', { nullable: false }),
      amount: t.expose('amount', nonNull('Decimal', 'Base units of `denom`.')),
      whole: t.field({
        ...nonNull(CoinRef, 'derived: the amount without the part of a base unit.'),
        resolve: (coin) => coinOf(coin, { denom: coin.denom, amount: coin.amount.replace(/\..*$/, '') }),
      }),
    }),
  });
  addDelegations(builder);
  addAccountStaking(builder);
  addValidatorFields(builder);
  addPool(builder);
}

function addDelegations(builder: Builder): void {
  builder.objectType(DelegationRef, {
    description: 'What an account has delegated to a validator.',
    fields: (t) => ({
      delegator: accountField(t, 'The account that delegated.', ({ delegator }) => delegator),
      validator: t.field({
        type: ValidatorRef,
        description: 'The validator; null if the staking module does not have it any more.',
        resolve: (delegation) => validatorOfOperator(delegation, delegation.operatorAddress),
      }),
      operatorAddress: t.exposeString('operatorAddress', {
        nullable: false,
        description: 'The `…valoper1…` address of the validator.',
      }),
      balance: t.field({
        ...nonNull(CoinRef, 'What it is worth now. A slashed validator makes it less than what was delegated.'),
        resolve: (delegation) => coinOf(delegation, delegation.balance),
      }),
      rewards: t.field({
        ...listOf(DecCoinRef, 'Its rewards that are not withdrawn.'),
        resolve: (delegation) =>
          andThen(pinOf(delegation).loaders(createStakeLoaders).rewards.load(delegation.delegator), ({ byOperator }) =>
            decCoins(delegation, byOperator.get(delegation.operatorAddress) ?? []),
          ),
      }),
    }),
  });
  addConnection(builder, DelegationRef, DelegationConnectionRef, 'delegations');
  builder.objectType(StakeMoveRef, {
    description: 'Stake that an account is taking back from a validator, or moving to another one.',
    fields: (t) => ({
      validator: t.field({
        type: ValidatorRef,
        description: 'The validator that it leaves; null if the staking module does not have it any more.',
        resolve: (move) => validatorOfOperator(move, move.operatorAddress),
      }),
      operatorAddress: t.exposeString('operatorAddress', {
        nullable: false,
        description: 'The `…valoper1…` address of that validator.',
      }),
      toValidator: t.field({
        type: ValidatorRef,
        description: 'The validator that it moves to; null if it is taken back.',
        resolve: (move) => (move.toOperatorAddress === null ? null : validatorOfOperator(move, move.toOperatorAddress)),
      }),
      creationHeight: t.expose('creationHeight', nonNull('Int64', 'Height of the block in which it began.')),
      completionTime: t.expose('completionTime', nonNull('DateTime', 'When it ends.')),
      initialBalance: t.field({
        ...nonNull(CoinRef, 'The amount at its beginning.'),
        resolve: (move) => staked(move, move.initialBalance),
      }),
      balance: t.field({
        ...nonNull(CoinRef, 'The amount now: less if the validator was slashed for what it did before.'),
        resolve: (move) => staked(move, move.balance),
      }),
    }),
  });
}

/** The validator that an account operates; undefined if it operates none. */
function operatedBy(parent: Pinned<Account>): Awaitable<StakingValidator | undefined> {
  const operator = operatorOf(parent.address);
  if (operator === undefined) return undefined;
  return andThen(pinOf(parent).loaders(createStakingLoaders).validators.load(''), (all) => all.byOperator(operator));
}

function addAccountStaking(builder: Builder): void {
  builder.objectType(AccountStakingRef, {
    description: 'The stake of an account.',
    fields: (t) => ({
      total: t.field({
        type: CoinRef,
        description: 'derived: the sum of its delegations.',
        resolve: (stake) =>
          andThen(delegationsOf(pinOf(stake), stake.address), (items) =>
            staked(stake, String(items.reduce((sum, { balance }) => sum + BigInt(balance.amount), 0n))),
          ),
      }),
      delegations: t.field({
        type: DelegationConnectionRef,
        description: 'Its delegations, by validator.',
        args: connectionArgs(builder),
        resolve: usesContext((stake: Pinned<AccountStaking>, args, _context, info) => {
          const [pin, { address }] = [pinOf(stake), stake];
          return derivedConnection(pin, `delegations/${address}`, () => delegationsOf(pin, address), delegationKey, args, info);
        }),
      }),
      unbonding: t.field({
        ...listOf(StakeMoveRef, 'What it is taking back from validators: of at most 100 of them.'),
        resolve: (stake) =>
          andThen(pinOf(stake).loaders(createStakeLoaders).unbonding.load(stake.address), (moves) =>
            moves.map((move) => pinned(pinOf(stake), move)),
          ),
      }),
      redelegations: t.field({
        ...listOf(StakeMoveRef, 'What it is moving between validators: at most 100 pairs of them.'),
        resolve: (stake) =>
          andThen(pinOf(stake).loaders(createStakeLoaders).redelegations.load(stake.address), (moves) =>
            moves.map((move) => pinned(pinOf(stake), move)),
          ),
      }),
      rewards: t.field({
        ...listOf(DecCoinRef, 'The rewards of all its delegations that are not withdrawn.'),
        resolve: (stake) =>
          andThen(pinOf(stake).loaders(createStakeLoaders).rewards.load(stake.address), ({ total }) => decCoins(stake, total)),
      }),
      commission: t.field({
        ...listOf(DecCoinRef, 'The commission that is not withdrawn, if the account operates a validator; null otherwise.'),
        resolve: (stake) =>
          andThen(operatedBy(stake), (validator) =>
            validator === undefined
              ? null
              : andThen(pinOf(stake).loaders(createStakeLoaders).commission.load(validator.operatorAddress), (coins) =>
                  decCoins(stake, coins),
                ),
          ),
      }),
      withdrawAddress: t.field({
        type: AccountRef,
        description: 'The account that gets its rewards: itself unless it named another one.',
        resolve: (stake) =>
          andThen(pinOf(stake).loaders(createStakeLoaders).withdrawAddress.load(stake.address), (address) =>
            accountOf(stake, address),
          ),
      }),
    }),
  });
  builder.objectFields(AccountRef, (t) => ({
    staking: t.field({
      ...nonNull(AccountStakingRef, 'Its stake. Each field is read only if it is selected.'),
      resolve: (account) => pinned(pinOf(account), { address: account.address }),
    }),
    validator: t.field({
      type: ValidatorRef,
      description: 'The validator that the account operates; null if it operates none.',
      resolve: (account) =>
        andThen(operatedBy(account), (validator) =>
          validator === undefined ? null : validatorOfOperator(account, validator.operatorAddress),
        ),
    }),
  }));
}

/** The consensus address of a validator in bech32, as the slashing module has it; undefined if no operator of the chain is known. */
function consensusText({ operatorAddress }: StakingValidator, address: string): string | undefined {
  const decoded = bech32.decodeUnsafe(operatorAddress);
  if (decoded === undefined) return undefined;
  return bech32.encode(decoded.prefix.replace(/valoper$/, 'valcons'), bech32.toWords(Buffer.from(address, 'hex')));
}

function signingInfoOf(validator: Pinned<Validator>): Awaitable<SigningInfoOf | null> {
  const { signingInfo, signingWindow } = pinOf(validator).loaders(createStakeLoaders);
  return andThen(stakingValidator(validator), (stakingState) => {
    const text = stakingState && consensusText(stakingState, validator.address);
    if (text === undefined || text === null) return null;
    return both(signingInfo.load(text), signingWindow.load(''), (info, window) => info && { ...info, window });
  });
}

function addValidatorFields(builder: Builder): void {
  builder.objectType(SigningInfoRef, {
    description: 'How a validator has signed blocks lately.',
    fields: (t) => ({
      startHeight: t.expose('startHeight', nonNull('Int64', 'Height from which it is watched: that of its last bonding.')),
      missedBlocks: t.expose('missedBlocks', nonNull('Int64', 'Blocks of the window that it did not sign.')),
      window: t.expose('window', nonNull('Int64', 'Number of blocks that are watched.')),
      uptimePercent: t.field({
        type: 'Decimal',
        description: 'derived: percentage of the window that it signed, 0 to 100. null without a window.',
        resolve: ({ missedBlocks, window }) => percentOf(decimal(String(window - missedBlocks)), decimal(String(window))),
      }),
      jailedUntil: t.expose('jailedUntil', {
        type: 'DateTime',
        description: 'null if it was never jailed for missing blocks.',
      }),
      tombstoned: t.exposeBoolean('tombstoned', {
        nullable: false,
        description: 'Whether it signed two blocks of one height and can never be a validator again.',
      }),
    }),
  });
  const ofStaking = <T>(validator: Pinned<Validator>, pick: (stakingState: StakingValidator) => T): Awaitable<T | null> =>
    andThen(stakingValidator(validator), (stakingState) => stakingState && pick(stakingState));
  builder.objectFields(ValidatorRef, (t) => ({
    operator: t.field({
      type: AccountRef,
      description: 'The account of its operator; null if the staking module has no validator with its key.',
      resolve: (validator) =>
        ofStaking(validator, ({ operatorAddress }) => accountOf(validator, operatorAccount(operatorAddress))),
    }),
    tokens: t.field({
      type: CoinRef,
      description: 'Its stake: what is delegated to it; null if the staking module has no validator with its key.',
      resolve: (validator) =>
        andThen(stakingValidator(validator), (stakingState) => stakingState && staked(validator, String(stakingState.tokens))),
    }),
    isBonded: t.boolean({
      description:
        'Whether its stake is bonded, so that it votes on blocks; null if the staking module has no validator with its key.',
      resolve: (validator) => ofStaking(validator, ({ isBonded }) => isBonded),
    }),
    jailed: t.boolean({
      description:
        'Whether it is excluded until its operator brings it back; null if the staking module has no validator with its key.',
      resolve: (validator) => ofStaking(validator, ({ jailed }) => jailed),
    }),
    commissionPercent: t.field({
      type: 'Decimal',
      description:
        'The part of rewards that its operator keeps, 0 to 100; null if the staking module has no validator with its key.',
      resolve: (validator) => ofStaking(validator, ({ commission }) => decimalText(decimal(commission).times(100))),
    }),
    signingInfo: t.field({
      type: SigningInfoRef,
      description: 'How it has signed blocks lately; null if it was never bonded.',
      resolve: signingInfoOf,
    }),
    delegations: t.field({
      type: DelegationConnectionRef,
      description: 'What is delegated to it; null if the staking module has no validator with its key.',
      args: connectionArgs(builder),
      resolve: usesContext((validator: Pinned<Validator>, args, _context, info) =>
        andThen(
          stakingValidator(validator),
          (stakingState) =>
            stakingState &&
            chainConnection(pinOf(validator), delegationsTo(pinOf(validator), stakingState.operatorAddress), args, info),
        ),
      ),
    }),
  }));
}

function addPool(builder: Builder): void {
  builder.objectType(StakingPoolRef, {
    description: 'The stake of the chain.',
    fields: (t) => ({
      bonded: t.field({
        ...nonNull(CoinRef, 'Stake of bonded validators.'),
        resolve: (pool) => staked(pool, String(pool.bonded)),
      }),
      notBonded: t.field({
        ...nonNull(CoinRef, 'Stake of validators that are not bonded, and what is taken back.'),
        resolve: (pool) => staked(pool, String(pool.notBonded)),
      }),
      inflationPercent: t.field({
        type: 'Decimal',
        description: 'How much of the supply is minted in a year, 0 to 100.',
        resolve: (pool) =>
          andThen(pinOf(pool).loaders(createStakeLoaders).inflation.load(''), (part) => decimalText(decimal(part).times(100))),
      }),
      annualPercentage: t.field({
        type: 'Decimal',
        description:
          'derived: minted coins of a year without the part of the community pool, as a percentage of the bonded stake. Fees and the commission of validators are not part of it.',
        resolve: (pool) => {
          const { provisions, communityTax } = pinOf(pool).loaders(createStakeLoaders);
          return both(provisions.load(''), communityTax.load(''), (minted, tax) =>
            percentOf(decimal(minted).times(decimal('1').minus(tax)), decimal(String(pool.bonded))),
          );
        },
      }),
    }),
  });
  builder.objectField(StakingPoolRef, 'validators', (t) =>
    t.field({
      type: ValidatorConnectionRef,
      description:
        'The validators of the staking module by descending stake, bonded or not. Without those whose keys are of a type whose addresses are not known here.',
      args: connectionArgs(builder),
      resolve: usesContext((pool: Pinned<object>, args, _context, info) => {
        const pin = pinOf(pool);
        const items = (): Awaitable<readonly StakedValidator[]> =>
          andThen(pin.loaders(createStakingLoaders).validators.load(''), ({ byStake }) =>
            byStake.flatMap(({ address, tokens, operatorAddress }) =>
              address === null ? [] : [{ address, height: pin.height, tokens, operatorAddress }],
            ),
          );
        return derivedConnection(pin, 'stakingValidators', items, (each: StakedValidator) => stakeKey(each), args, info);
      }),
    }),
  );
  addHeightFields(builder, (t) => ({
    stakingPool: t.field({
      type: StakingPoolRef,
      description: 'The stake of the chain at this height.',
      resolve: (root) => andThen(pinOf(root).loaders(createStakeLoaders).pool.load(''), (pool) => pinned(pinOf(root), pool)),
    }),
  }));
}
