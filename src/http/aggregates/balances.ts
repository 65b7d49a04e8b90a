import { z } from 'zod';
import type { Bounds } from '../../config/bounds.ts';
import { balanceList, spendableList } from '../../modules/bank/lists.ts';
import { createHoldLoaders } from '../../modules/hold/loaders.ts';
import { scopeOfDenom } from '../../modules/metadata/address.ts';
import { readPage } from '../../reads/page.ts';
import { pageRequest, paginationOf } from './pages.ts';
import { accountInPath, pageInQuery, priceDenom } from './parameters.ts';
import { createRoute, type Route } from './route.ts';
import { balance, pagination } from './schemas.ts';
import { amountOf, worthOf } from './views.ts';

/**
 * What an account holds. Upstream reads: its balances, what of them may be spent, and its holds, once each; and of each denom the metadata and
 * the net asset values.
 */
export function balancesRoute(bounds: Bounds): Route {
  return createRoute({
    path: '/v1/balances/{address}',
    operationId: 'getBalances',
    services: ['cosmos.bank.v1beta1.Query', 'provenance.hold.v1.Query'],
    summary: 'What an account holds',
    description:
      'All that an account holds, by denom: amounts, what people read, what is held and what may be spent, prices and values. The chain keeps no balance of zero: an account that it does not know has none at all.',
    parameters: { address: accountInPath, priceDenom, ...pageInQuery(bounds) },
    name: 'Balances',
    fields: { address: z.string(), items: z.array(balance), pagination },
    points: ({ 'pagination.pageSize': size }) => 10 + 7 * size,
    async answer(pin, { address, priceDenom: told, ...values }) {
      const { name, list } = balanceList(pin, address);
      const request = pageRequest(name, values);
      const [page, spendable, holds] = await Promise.all([
        readPage(list, request),
        // The chain makes both lists of the same denoms: the same part of it is of the same ones.
        readPage(spendableList(pin, address).list, request),
        pin.loaders(createHoldLoaders).holds.load(address),
      ]);
      const items = page.items.map(async (coin) => ({
        ...(await amountOf(pin, coin)),
        held: holds.find(({ denom }) => denom === coin.denom)?.amount ?? '0',
        spendable: spendable.items.find(({ denom }) => denom === coin.denom)?.amount ?? null,
        scopeId: scopeOfDenom(coin.denom) ?? null,
        ...(await worthOf(pin, coin, told)),
      }));
      return { address, items: await Promise.all(items), pagination: paginationOf(name, page, list.keyOf) };
    },
  });
}
