import { andThen, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, nonNull, nonNullList } from '../../schema/builder.ts';
import { createAccountLoaders } from '../account/query.ts';
import { AccountRef } from '../account/schema.ts';
import type { Coin } from '../bank/query.ts';
import { CoinRef, coinOf, coinsField } from '../bank/schema.ts';
import { blockTime } from '../group/derived.ts';
import { lockedAt, type Vesting, type VestingStep, vestedAt, vestingOf, type vestingTypes } from './vesting.ts';

const VestingRef = createRef<Pinned<Vesting>>('Vesting');
const VestingStepRef = createRef<Pinned<VestingStep>>('VestingStep');

/** Coins of a vesting at the time of the block at the height of its pin. */
function coinsNow(vesting: Pinned<Vesting>, coinsAt: typeof vestedAt) {
  return andThen(blockTime(pinOf(vesting)), (time) => coinsAt(vesting, time).map((coin: Coin) => coinOf(vesting, coin)));
}

/** Adds `Account.vesting`. */
export function addVesting(builder: Builder): void {
  const VestingTypeRef = builder.enumType('VestingType', {
    description: 'How the coins of an account vest.',
    values: {
      CONTINUOUS: { description: 'Evenly, from a start to an end.' },
      DELAYED: { description: 'All at the end.' },
      PERIODIC: { description: 'In steps.' },
      PERMANENT_LOCKED: { description: 'Never. They can be delegated.' },
    } satisfies Record<(typeof vestingTypes)[number], object>,
  });
  builder.objectType(VestingStepRef, {
    description: 'Coins that vest at a time.',
    fields: (t) => ({
      time: t.expose('time', nonNull('DateTime', 'They are vested from the first block on whose time is not before this.')),
      amount: coinsField(t, 'The coins.', ({ amount }) => amount),
    }),
  });
  builder.objectType(VestingRef, {
    description: 'Coins of an account that become free with time.',
    fields: (t) => ({
      type: t.expose('type', { type: VestingTypeRef, nullable: false }),
      original: coinsField(t, 'The coins that vest, all together.', ({ original }) => original),
      delegatedFree: coinsField(t, 'Vested coins that were delegated.', ({ delegatedFree }) => delegatedFree),
      delegatedVesting: coinsField(
        t,
        'Coins that were delegated before they vested.',
        ({ delegatedVesting }) => delegatedVesting,
      ),
      start: t.expose('start', { type: 'DateTime', description: 'Start of the vesting; null if the type has none.' }),
      end: t.expose('end', { type: 'DateTime', description: 'When all is vested; null if the coins never vest.' }),
      schedule: t.field({
        ...nonNullList(VestingStepRef, 'What vests when, in order. Empty for CONTINUOUS and PERMANENT_LOCKED.'),
        resolve: (vesting) => vesting.schedule.map((step) => pinned(pinOf(vesting), step)),
      }),
      vestedNow: t.field({
        ...nonNullList(CoinRef, 'derived: what has vested at the block time at this height.'),
        resolve: (vesting) => coinsNow(vesting, vestedAt),
      }),
      lockedNow: t.field({
        ...nonNullList(
          CoinRef,
          'derived: what of the balance cannot be sent at the block time at this height, because it has not vested and is not delegated.',
        ),
        resolve: (vesting) => coinsNow(vesting, lockedAt),
      }),
    }),
  });
  builder.objectField(AccountRef, 'vesting', (t) =>
    t.field({
      type: VestingRef,
      description: 'The vesting of its coins; null for every account but those of `cosmos.vesting.v1beta1`.',
      resolve: (account) => {
        const pin = pinOf(account);
        return andThen(pin.loaders(createAccountLoaders).account.load(account.address), (stored) => {
          const vesting = stored?.kind === 'VESTING' ? vestingOf(stored.any) : null;
          return vesting && pinned(pin, vesting);
        });
      },
    }),
  );
}
