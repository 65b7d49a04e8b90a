import type { Fixtures } from '../fixtures/fixtures.ts';
import { chainModules } from '../keepers/base/modules.ts';
import { feeDenom } from '../runtime/coins.ts';
import type { Genesis, HistoryStep } from '../runtime/genesisState.ts';
import { attestationSteps, nameOwners, rootName } from './attestations.ts';
import { contractSteps, pointsAdmin } from './contracts.ts';
import { burnedDeposit, communityPool, depositorBalances, governanceSteps } from './governance.ts';
import { grantSteps } from './grants.ts';
import { scopeAddresses, scopeSteps } from './scopes.ts';
import { createStake, operatorsOf, stakedAmount, stakeSteps } from './stake.ts';
import { feeMarker, feeMetadata, tokenAdmins, tokenSteps, tokens } from './tokens.ts';
import { ibcDenoms, vestingBalances, vestings } from './vesting.ts';

/** The initial state of the modules other than groups. */
export type World = Pick<
  Genesis,
  | 'markers'
  | 'modules'
  | 'denomMetadata'
  | 'names'
  | 'vesting'
  | 'holds'
  | 'staking'
  | 'communityPool'
  | 'ibcDenoms'
  | 'codeCreator'
> & {
  readonly balances: Genesis['balances'];
  readonly steps: readonly HistoryStep[];
};

const hash = 1_000_000_000n;

/**
 * Creates tokens, names, attributes, scopes, fee grants, stake and proposals of x/gov among the accounts of the wallet and the members of the assembly, so
 * that no list is empty. `supply` is the total of the balances in the fee denomination. The result is always the same, except
 * for times, which are relative to the genesis.
 */
export function createWorld(fixtures: Fixtures, addresses: readonly string[], supply: bigint): World {
  const { members } = fixtures.groups.assembly;
  const at = (index: number): string => addresses[index] ?? '';
  const [scope = ''] = scopeAddresses;
  const operators = operatorsOf(fixtures, addresses);
  const staking = createStake(operators, addresses);
  const balances = [...vestingBalances, ...depositorBalances(fixtures)];
  const added = balances
    .flatMap(({ coins }) => coins)
    .filter(({ denom }) => denom === feeDenom)
    .reduce((sum, { amount }) => sum + amount, stakedAmount(staking));
  return {
    balances,
    staking,
    communityPool,
    markers: [feeMarker(at(tokenAdmins.fee), supply + added + communityPool - burnedDeposit)],
    modules: chainModules.map(({ name }) => name),
    denomMetadata: [feeMetadata],
    names: [{ name: rootName, address: at(nameOwners.root), restricted: true }],
    vesting: vestings,
    ibcDenoms,
    codeCreator: at(pointsAdmin),
    holds: [
      {
        address: at(0),
        coins: [
          { denom: tokens.gold, amount: 150n },
          { denom: feeDenom, amount: 25n * hash },
        ],
      },
      { address: at(2), coins: [{ denom: tokens.dollar, amount: 5_000_000n }] },
    ],
    steps: [
      ...attestationSteps(addresses, members, scope),
      ...scopeSteps(addresses),
      ...tokenSteps(addresses, members),
      ...grantSteps(addresses),
      ...stakeSteps(operators, addresses),
      ...governanceSteps(fixtures, operators, addresses),
      ...contractSteps(addresses, members),
    ],
  };
}
