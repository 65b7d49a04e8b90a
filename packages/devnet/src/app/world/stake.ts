import { createHash } from 'node:crypto';
import { MsgBeginRedelegateSchema, MsgUndelegateSchema } from '../../../../../src/proto/cosmos/staking/v1beta1/tx_pb.js';
import type { Fixtures } from '../fixtures/fixtures.ts';
import { decodeAddress, encodeAddress } from '../runtime/address.ts';
import { feeDenom } from '../runtime/coins.ts';
import { one } from '../runtime/dec.ts';
import type { GenesisStaking, HistoryStep } from '../runtime/genesisState.ts';
import { toAny } from './step.ts';

const hash = 1_000_000_000n;
const day = 24 * 3600;

/** The accounts that operate the validators of the world, by moniker. The last one is jailed. Accounts 1 and 9 are of the wallet. */
export interface Operators {
  readonly harbor: string;
  readonly meadow: string;
  readonly quarry: string;
  readonly ember: string;
}

/** Returns the operators. `addresses` are those of the wallet. */
export function operatorsOf({ groups }: Fixtures, addresses: readonly string[]): Operators {
  const delegate = (name: string) => groups.assembly.members.find(({ metadata }) => metadata === name)?.address ?? '';
  return {
    harbor: addresses[1] ?? '',
    meadow: addresses[9] ?? '',
    quarry: delegate('greta'),
    ember: delegate('hugo'),
  };
}

/** The operator address of an account. */
const operatorOf = (account: string): string => encodeAddress(decodeAddress(account), 'tpvaloper');

/** Creates the stake of the world: four validators that make no blocks, and the delegations of the wallet, in hash. */
export function createStake(operators: Operators, addresses: readonly string[]): GenesisStaking {
  const { harbor, meadow, quarry, ember } = operators;
  const at = (index: number): string => addresses[index] ?? '';
  const stakes: readonly (readonly [operator: string, delegator: string, hash: bigint])[] = [
    [harbor, harbor, 600_000n],
    [harbor, at(0), 250_000n],
    [harbor, at(2), 100_000n],
    [harbor, at(8), 150_000n],
    [meadow, meadow, 400_000n],
    [meadow, at(0), 50_000n],
    [meadow, at(3), 120_000n],
    [meadow, at(8), 80_000n],
    [quarry, quarry, 300_000n],
    [quarry, at(4), 90_000n],
    [quarry, at(6), 110_000n],
    [ember, ember, 20_000n],
    [ember, at(5), 5_000n],
  ];
  const validator = (moniker: keyof Operators, commission: bigint, missedBlocks: bigint) => {
    const operator = operators[moniker];
    const tokens = stakes.filter(([to]) => to === operator).reduce((sum, [, , amount]) => sum + amount * hash, 0n);
    const publicKey = new Uint8Array(createHash('sha256').update(`validator/${moniker}`).digest());
    return { operator, publicKey, moniker, tokens, shares: tokens * one, commission: (one * commission) / 100n, missedBlocks };
  };
  return {
    validators: [
      validator('harbor', 5n, 12n),
      validator('meadow', 10n, 430n),
      validator('quarry', 8n, 0n),
      { ...validator('ember', 20n, 9_501n), jailed: true },
    ],
    delegations: stakes.map(([operator, delegator, amount]) => ({ operator, delegator, shares: amount * hash * one })),
  };
}

/** The amount that is minted for the stake. */
export function stakedAmount({ validators }: GenesisStaking): bigint {
  return validators.reduce((sum, { tokens }) => sum + tokens, 0n);
}

/** Creates the steps in which accounts 0 and 8 take stake back and move it. */
export function stakeSteps({ harbor, meadow, quarry }: Operators, addresses: readonly string[]): HistoryStep[] {
  const [first = '', user = ''] = [addresses[0], addresses[8]];
  const amount = (whole: bigint) => ({ denom: feeDenom, amount: String(whole * hash) });
  const undelegate = (delegatorAddress: string, operator: string, whole: bigint) =>
    toAny(MsgUndelegateSchema, { delegatorAddress, validatorAddress: operatorOf(operator), amount: amount(whole) });
  const redelegate = (delegatorAddress: string, from: string, to: string, whole: bigint) =>
    toAny(MsgBeginRedelegateSchema, {
      delegatorAddress,
      validatorSrcAddress: operatorOf(from),
      validatorDstAddress: operatorOf(to),
      amount: amount(whole),
    });
  return [
    { secondsBefore: 13 * day, message: undelegate(first, harbor, 10_000n) },
    { secondsBefore: 8 * day, message: redelegate(first, harbor, meadow, 5_000n) },
    { secondsBefore: 2 * day, message: undelegate(user, meadow, 4_000n) },
    { secondsBefore: day, message: redelegate(user, harbor, quarry, 2_500n) },
  ];
}
