import { z } from 'zod';
import type { Bounds } from '../../config/bounds.ts';
import { balanceList, spendableList } from '../../modules/bank/query.ts';
import { createHoldLoaders } from '../../modules/hold/query.ts';
import { scopeOfDenom } from '../../modules/metadata/address.ts';
import { readPage } from '../../reads/page.ts';
import { pageRequest, paginationOf } from './pages.ts';
import { accountInPath, pageInQuery, priceDenom } from './parameters.ts';
import { createRoute, type Route } from './route.ts';
import { balance, pagination } from './schemas.ts';
import { amountOf, worthOf } from './views.ts';

/**
 * The balances of an account. Upstream reads: its balances, its spendable balances and its holds, once each; for each denom,
 * the metadata and the net asset values.
 */
export function balancesRoute(bounds: Bounds): Route {
  return createRoute({
    path: '/v1/balances/{address}',
    operationId: 'getBalances',
    services: ['cosmos.bank.v1beta1.Query', 'provenance.hold.v1.Query'],
    summary: 'Balances of an account',
    description:
      'Lists the balances of an account by denom: the amount in base and display units, the amounts on hold and spendable, the price and the value. The chain stores no zero balances, so an unknown account has an empty list.',
    parameters: { address: accountInPath, priceDenom, ...pageInQuery(bounds) },
    name: 'Balances',
    fields: { address: z.string(), items: z.array(balance), pagination },
    points: ({ 'pagination.pageSize': size }) => 10 + 7 * size,
    async answer(pin, { address, priceDenom: inDenom, ...values }) {
      const { name, list } = balanceList(pin, address);
      const request = pageRequest(name, values);
      const [page, spendable, holds] = await Promise.all([
        readPage(list, request),
        // Both lists contain the same denoms, so the same page of both does, too.
        readPage(spendableList(pin, address).list, request),
        pin.loaders(createHoldLoaders).holds.load(address),
      ]);
      const items = page.items.map(async (coin) => ({
        ...(await amountOf(pin, coin)),
        held: holds.find(({ denom }) => denom === coin.denom)?.amount ?? '0',
        spendable: spendable.items.find(({ denom }) => denom === coin.denom)?.amount ?? null,
        scopeId: scopeOfDenom(coin.denom) ?? null,
        ...(await worthOf(pin, coin, inDenom)),
      }));
      return { address, items: await Promise.all(items), pagination: paginationOf(name, page, list.keyOf) };
    },
  });
}
