import { z } from 'zod';
import { type Bounds, pageDefault } from '../../config/bounds.ts';
import { createAccountLoaders } from '../../modules/account/query.ts';
import { createAttributeLoaders } from '../../modules/attribute/query.ts';
import { balanceList, spendableList } from '../../modules/bank/query.ts';
import { createHoldLoaders } from '../../modules/hold/query.ts';
import { scopeOfDenom } from '../../modules/metadata/address.ts';
import { namesList } from '../../modules/name/query.ts';
import {
  checkFilter,
  type Transfer,
  type TransferFilter,
  transferHistory,
  transferKinds,
} from '../../modules/transfers/query.ts';
import { readPage } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import {
  accountInPath,
  accountInQuery,
  denomInQuery,
  historyPage,
  type PageValues,
  pageInQuery,
  pageRequest,
  paginationOf,
  priceDenom,
  wordInQuery,
  wordsInQuery,
} from './parameters.ts';
import { createRoute, type Route, type Written } from './route.ts';
import { accountDetails, amountOf, balance, blockTime, height, pagination, transfer, worthOf } from './schemas.ts';

/** The details of an account. Upstream reads: the account, its names and its account data. */
export function accountsRoute(): Route {
  return createRoute({
    path: '/v1/accounts/{address}',
    operationId: 'getAccount',
    services: ['cosmos.auth.v1beta1.Query', 'provenance.name.v1.Query', 'provenance.attribute.v1.Query'],
    summary: 'Details and names of an account',
    description:
      'Returns the kind, the names and the account data of an address. Every well-formed address has a response, even if the chain has no account at it.',
    parameters: { address: accountInPath },
    name: 'Account',
    fields: { item: accountDetails },
    points: () => 24,
    async answer(pin, { address }) {
      const [stored, names, accountData] = await Promise.all([
        pin.loaders(createAccountLoaders).account.load(address),
        readPage(namesList(pin, address), { first: pageDefault, reverse: false, count: false }),
        pin.loaders(createAttributeLoaders).accountData.load(address),
      ]);
      return {
        item: {
          address,
          kind: stored?.kind ?? null,
          moduleName: stored?.moduleName ?? null,
          denom: stored?.markerDenom ?? null,
          accountNumber: stored?.accountNumber?.toString() ?? null,
          sequence: stored?.sequence?.toString() ?? null,
          names: names.items.map(({ name }) => name),
          hasMoreNames: names.hasNext,
          accountData,
        },
      };
    },
  });
}

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
      const list = balanceList(pin, address);
      const request = pageRequest(list.name, values);
      const [page, spendable, holds] = await Promise.all([
        readPage(list, request),
        // Both lists contain the same denoms, so the same page of both does, too.
        readPage(spendableList(pin, address), request),
        pin.loaders(createHoldLoaders).holds.load(address),
      ]);
      const items = page.items.map(async (coin) => ({
        ...(await amountOf(pin, coin)),
        held: holds.find(({ denom }) => denom === coin.denom)?.amount ?? '0',
        spendable: spendable.items.find(({ denom }) => denom === coin.denom)?.amount ?? null,
        scopeId: scopeOfDenom(coin.denom) ?? null,
        ...(await worthOf(pin, coin, inDenom)),
      }));
      return { address, items: await Promise.all(items), pagination: paginationOf(list.name, page, list.keyOf) };
    },
  });
}

async function shownTransfer(pin: Pin, moved: Transfer): Promise<Written<z.output<typeof transfer>>> {
  const { kind, sender, recipient, amount, administrator, height, transaction, message } = moved;
  const [time, ...amounts] = await Promise.all([blockTime(pin, height), ...amount.map((coin) => amountOf(pin, coin))]);
  return {
    kind,
    sender,
    recipient,
    amounts,
    administrator,
    blockHeight: height.toString(),
    blockTime: time,
    transactionHash: transaction?.hash ?? null,
    messageType: message?.type ?? null,
  };
}

async function page(pin: Pin, filter: TransferFilter, values: PageValues) {
  const { found, ...rest } = await historyPage(pin, transferHistory(filter), values);
  return { items: await Promise.all(found.map(({ item }) => shownTransfer(pin, item))), ...rest };
}

/**
 * Transfers of coins. The upstream reads are those of the GraphQL field `transfers`, and the block of each transfer for its
 * time.
 */
export function transferRoutes(bounds: Bounds): readonly Route[] {
  const sides = {
    denom: denomInQuery('Only transfers of this denom.'),
    direction: wordInQuery('Whether the account is the recipient (IN) or the sender (OUT). Default: both.', ['IN', 'OUT']),
    kinds: wordsInQuery('Only transfers of these kinds. Default: all.', transferKinds),
  };
  const common = {
    fields: {
      items: z.array(transfer),
      pagination,
      completeFrom: height.describe('The list is complete from this height on; earlier transfers are not available.'),
    },
    live: () => true,
    // GraphQL estimates five coins for each transfer.
    points: ({ 'pagination.pageSize': size }: PageValues) => 3 + 16 * size,
  } as const;
  return [
    createRoute({
      ...common,
      path: '/v1/transfers',
      operationId: 'getTransfers',
      services: ['cosmos.bank.v1beta1.Query'],
      summary: 'Transfers of coins',
      description:
        'Lists the transfers of coins of an account, of a denom, or of both, newest first. At least one of the two is required.',
      parameters: { address: accountInQuery, ...sides, ...pageInQuery(bounds) },
      name: 'Transfers',
      points(values) {
        checkFilter({ account: values.address, denom: values.denom, direction: values.direction }, 'address');
        return common.points(values);
      },
      answer: (pin, { address: account, denom, direction, kinds, ...values }) =>
        page(pin, { account, denom, direction, kinds }, values),
    }),
    createRoute({
      ...common,
      path: '/v1/transfers/{address}',
      operationId: 'getTransfersOfAccount',
      services: ['cosmos.bank.v1beta1.Query'],
      summary: 'Transfers of an account',
      description: 'Lists the transfers of coins to and from an account, newest first.',
      parameters: { address: accountInPath, ...sides, ...pageInQuery(bounds) },
      name: 'Transfers',
      points: (values) => 1 + common.points(values),
      answer: (pin, { address: account, denom, direction, kinds, ...values }) =>
        page(pin, { account, denom, direction, kinds }, values),
    }),
  ];
}
