import { MarkerStatus, MarkerType } from '../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import { createFixtures } from '../fixtures/fixtures.ts';
import { encodeAddress, moduleAddress } from '../runtime/address.ts';
import { feeDenom } from '../runtime/coins.ts';
import type { Genesis, Holdings } from '../runtime/genesisState.ts';
import { createAccounts } from '../runtime/wallet.ts';
import { createWorld } from '../world/index.ts';
import { createHistory } from './history.ts';

/** The real chain's `MaxExecutionPeriod` in seconds: 14 days (docs/chain.md, "Configuration of the group module"). */
export const realMaxExecutionSeconds = 14 * 24 * 3600;

const devnetMaxExecutionSeconds = 600;
const startingBalance = 10n ** 15n;

/** Options of {@link createGenesis}. */
export interface GenesisOptions {
  /** Whether the genesis has only the ten funded accounts. For tests. */
  readonly bare?: boolean;
  /**
   * Seconds after the voting period until an accepted proposal is deleted. Default 14 days if `bare`, otherwise 10 minutes, so
   * that the state stays small.
   */
  readonly maxExecutionSeconds?: number;
  /** Number of additional accounts that hold {@link crowdDenom}, with 1, 2, 3… coins, for tests of long lists. Default 0. */
  readonly crowd?: number;
}

/** The denomination of the additional accounts. It has a marker. */
export const crowdDenom = 'crowdcoin';

const fundedAccounts = 10;

function createCrowd(size: number): Required<Pick<Genesis, 'balances' | 'markers'>> {
  if (size === 0) return { balances: [], markers: [] };
  const balances = Array.from({ length: size }, (_, index) => ({
    address: encodeAddress(moduleAddress(`crowd/${index}`)),
    coins: [{ denom: crowdDenom, amount: BigInt(index + 1) }],
  }));
  const supply = String((BigInt(size) * BigInt(size + 1)) / 2n);
  const marker = { denom: crowdDenom, supply, status: MarkerStatus.ACTIVE, markerType: MarkerType.COIN };
  return { balances, markers: [marker] };
}

/**
 * Creates a genesis with ten accounts of 10^15 nhash each and, unless `bare`, the groups, policies and proposals of
 * `history.ts` and the tokens, names and scopes of `world/`.
 */
export function createGenesis(options: GenesisOptions = {}): Genesis {
  const bare = options.bare ?? false;
  const accounts = createAccounts(fundedAccounts);
  const people = accounts.map(({ address }) => funded(address, startingBalance));
  const crowd = createCrowd(options.crowd ?? 0);
  if (bare) {
    return {
      ...crowd,
      balances: [...people, ...crowd.balances],
      maxExecutionSeconds: options.maxExecutionSeconds ?? realMaxExecutionSeconds,
      history: [],
    };
  }
  const fixtures = createFixtures(accounts);
  const treasury = 5n * startingBalance;
  const supply = BigInt(people.length) * startingBalance + treasury;
  const addresses = accounts.map(({ address }) => address);
  const { balances, steps, markers = [], ...world } = createWorld(fixtures, addresses, supply);
  return {
    ...world,
    balances: [...people, funded(fixtures.foundation, treasury), ...balances, ...crowd.balances],
    markers: [...markers, ...crowd.markers],
    maxExecutionSeconds: options.maxExecutionSeconds ?? devnetMaxExecutionSeconds,
    history: [...steps, ...createHistory(fixtures)].sort((a, b) => b.secondsBefore - a.secondsBefore),
  };
}

function funded(address: string, amount: bigint): Holdings {
  return { address, coins: [{ denom: feeDenom, amount }] };
}
