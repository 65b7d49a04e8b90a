import { z } from 'zod';
import type { Bounds } from '../../config/bounds.ts';
import { createBankLoaders, holderList, supplyPercentOf } from '../../modules/bank/query.ts';
import { listPage } from './pages.ts';
import { denomInPath, pageInQuery, priceDenom } from './parameters.ts';
import { createRoute, type Route } from './route.ts';
import { amount, holder, pagination, price } from './schemas.ts';
import { amountOf, worthOf } from './views.ts';

/**
 * The holders of a denom. Upstream reads: the page of holders, and the supply, the metadata and the net asset values of the
 * denom, once each.
 */
export function holdersRoute(bounds: Bounds): Route {
  return createRoute({
    path: '/v1/holders/{denom}',
    operationId: 'getHolders',
    services: ['cosmos.bank.v1beta1.Query'],
    summary: 'Holders of a denom',
    description:
      'Lists the accounts that hold a denom by address, with their share of the supply and its value. An unknown denom has no holders and a supply of 0.',
    parameters: { denom: denomInPath, priceDenom, ...pageInQuery(bounds) },
    name: 'Holders',
    fields: {
      denom: z.string(),
      supply: amount.describe('The total supply.'),
      price: price.nullable().describe('null if there is no net asset value in the requested price denom.'),
      items: z.array(holder),
      pagination,
    },
    points: ({ 'pagination.pageSize': size }) => 9 + 6 * size,
    async answer(pin, { denom, priceDenom: inDenom, ...values }) {
      const [page, supply] = await Promise.all([
        listPage(holderList(pin, denom), values),
        pin.loaders(createBankLoaders).supply.load(denom),
      ]);
      const [shown, worth] = await Promise.all([amountOf(pin, supply), worthOf(pin, supply, inDenom)]);
      const items = page.items.map(async ({ address, balance }) => {
        const [held, supplyPercent, { value }] = await Promise.all([
          amountOf(pin, balance),
          supplyPercentOf(pin, balance),
          worthOf(pin, balance, inDenom),
        ]);
        return { address, amount: held.amount, display: held.display, supplyPercent, value };
      });
      return { denom, supply: shown, price: worth.price, items: await Promise.all(items), pagination: page.pagination };
    },
  });
}
