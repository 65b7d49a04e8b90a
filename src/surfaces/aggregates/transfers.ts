import { z } from 'zod';
import type { Bounds } from '../../config/bounds.ts';
import {
  checkFilter,
  type Transfer,
  type TransferFilter,
  transferHistory,
  transferKinds,
} from '../../modules/transfers/query.ts';
import type { Pin } from '../../reads/pin.ts';
import { historyPage } from './pages.ts';
import {
  accountInPath,
  accountInQuery,
  denomInQuery,
  type PageValues,
  pageInQuery,
  wordInQuery,
  wordsInQuery,
} from './parameters.ts';
import { createRoute, type Route, type Written } from './route.ts';
import { pagination, transfer } from './schemas.ts';
import { amountOf, blockTime } from './views.ts';

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
      completeFrom: z
        .string()
        .regex(/^\d+$/)
        .describe('The list is complete from this height on; earlier transfers are not available.'),
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
