import { ibcDenom } from '../keepers/transfer.ts';
import { encodeAddress, moduleAddress } from '../runtime/address.ts';
import { type Amount, feeDenom } from '../runtime/coins.ts';
import type { Holdings, IbcDenom, Vesting } from '../runtime/genesisState.ts';

const hash = 1_000_000_000n;
const year = 365 * 24 * 3600;
const month = year / 12;

/** Tokens of another chain, which came over one more. */
const atom: IbcDenom = {
  base: 'uatom',
  trace: [
    { portId: 'transfer', channelId: 'channel-0' },
    { portId: 'transfer', channelId: 'channel-141' },
  ],
};

/** The denominations of other chains. */
export const ibcDenoms: readonly IbcDenom[] = [atom];

/** The denomination of the tokens of another chain. */
export const atomDenom = ibcDenom(atom);

const atoms = (amount: bigint): readonly Amount[] => [{ denom: atomDenom, amount }];

/** A vesting account, half of whose coins are vested. It has no private key. */
export const vestingAccount = encodeAddress(moduleAddress('employee'));

/** An account whose coins of another chain vest in four steps, of which three are past. It has no private key. */
export const periodicAccount = encodeAddress(moduleAddress('advisor'));

/** An account whose coins all vest in a month. It has no private key. */
export const delayedAccount = encodeAddress(moduleAddress('partner'));

/** The accounts whose coins vest. */
export const vestings: readonly Vesting[] = [
  {
    address: vestingAccount,
    coins: [{ denom: feeDenom, amount: 36_500n * hash }],
    startsSecondsBefore: year,
    endsSecondsAfter: year,
  },
  {
    ...{ address: periodicAccount, coins: atoms(4_000_000n), startsSecondsBefore: 3 * month, endsSecondsAfter: month },
    steps: [1, 2, 3, 4].map(() => ({ seconds: month, coins: atoms(1_000_000n) })),
  },
  { address: delayedAccount, coins: atoms(750_000n), startsSecondsBefore: year, endsSecondsAfter: month, steps: [] },
];

/** The balances of the accounts whose coins vest. */
export const vestingBalances: readonly Holdings[] = vestings.map(({ address, coins }) => ({ address, coins }));
