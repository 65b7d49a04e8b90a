import type { Builder } from '../../graphql/builder.ts';
import { AccountRef } from '../account/schema.ts';
import { denomInput } from '../input.ts';
import { pinOf } from '../pin.ts';
import { CoinRef, coinOf } from './refs.ts';

/** Adds the bank module: coins, and what accounts hold of them. */
export function addBank(builder: Builder): void {
  builder.objectType(CoinRef, {
    description: 'An amount of a denom.',
    fields: (t) => ({
      denom: t.exposeString('denom', { nullable: false }),
      amount: t.expose('amount', { type: 'Decimal', nullable: false, description: 'Whole number of base units.' }),
    }),
  });
  builder.objectField(AccountRef, 'balance', (t) =>
    t.field({
      type: CoinRef,
      description: 'What it holds of one denom; amount 0 when nothing.',
      args: { denom: t.arg.string({ required: true }) },
      resolve: async (account, args) => {
        const denom = denomInput('denom', args.denom);
        return coinOf(account, await pinOf(account).loaders.bank.balance.load({ address: account.address, denom }));
      },
    }),
  );
}
