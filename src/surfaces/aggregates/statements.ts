import { z } from 'zod';
import { type Coin, displayOf } from '../../modules/bank/query.ts';
import type { Columns } from '../../modules/records/export.ts';
import {
  type DenomStatement,
  lineKinds,
  type Statement,
  type StatementLine,
  statementSources,
} from '../../modules/statements/query.ts';
import { statementBetween, statementPoints, valueAt } from '../../modules/statements/schema.ts';
import { badInput, isModuleAbsent } from '../../reads/errors.ts';
import type { Pin } from '../../reads/pin.ts';
import { accountInPath, createRoute, type Route, textInQuery } from './route.ts';
import { address, blockTime, height, objectOf, orNull, time } from './schemas.ts';

const signed = z.string().regex(/^-?\d+$/);
const display = (what: string) =>
  orNull(z.string().regex(/^-?\d+(\.\d+)?$/), `${what} in display units. null if the denom has none.`);

const lineFields = {
  kind: z.enum(lineKinds).describe('What changed the balance. UNEXPLAINED: what no event explains.'),
  counterparty: orNull(z.string(), 'The other account. null if the events name none or several.'),
  amount: signed.describe('In base units; negative for what leaves the account.'),
  displayAmount: display('The amount'),
  balance: signed.describe('The balance after this line, in base units.'),
  displayBalance: display('The balance'),
  usdValue: orNull(
    z.string().regex(/^-?\d+(\.\d+)?$/),
    'The value of the balance in US dollars, by the net asset value at that block. null if there was none.',
  ),
  blockHeight: orNull(height, 'null for UNEXPLAINED.'),
  blockTime: orNull(time, 'null for UNEXPLAINED.'),
  transactionHash: orNull(z.string(), 'Upper-case hex. null for what a block did by itself, and for UNEXPLAINED.'),
};

const statementLine = objectOf('One change of one balance.', lineFields);

const denomStatement = objectOf('The changes of the balance in one denom. `opening` and all amounts add up to `closing`.', {
  denom: z.string(),
  opening: signed.describe('The balance at `from`, in base units.'),
  closing: signed.describe('The balance at `to`, in base units.'),
  unexplained: signed.describe('The amount of the line UNEXPLAINED, or 0 without one.'),
  lines: z.array(statementLine).describe('Oldest first.'),
});

/** The schemas of statements that have a name in the OpenAPI description. */
export const statementSchemas = { StatementLine: statementLine, DenomStatement: denomStatement } as const;

/** The value of a coin in US dollars at a height; null if it has no net asset value then. */
async function usdAt(pin: Pin, height: bigint, coin: Coin): Promise<string | null> {
  try {
    return (await valueAt(pin, height, coin, 'usd'))?.display?.amount ?? null;
  } catch (error) {
    if (isModuleAbsent(error)) return null;
    throw error;
  }
}

async function lineView(
  pin: Pin,
  denom: string,
  { kind, counterparty, amount, balance, height: at, transaction }: StatementLine,
) {
  const [shownAmount, shownBalance, value, lineTime] = await Promise.all([
    displayOf(pin, { denom, amount: amount.toString() }),
    displayOf(pin, { denom, amount: balance.toString() }),
    usdAt(pin, at ?? pin.height, { denom, amount: balance.toString() }),
    at === null ? null : blockTime(pin, at),
  ]);
  return {
    kind,
    counterparty,
    amount: amount.toString(),
    displayAmount: shownAmount?.amount ?? null,
    balance: balance.toString(),
    displayBalance: shownBalance?.amount ?? null,
    usdValue: value,
    blockHeight: at?.toString() ?? null,
    blockTime: lineTime,
    transactionHash: transaction?.hash ?? null,
  };
}

async function denomView(pin: Pin, { denom, opening, closing, unexplained, lines }: DenomStatement) {
  return {
    denom,
    opening: opening.toString(),
    closing: closing.toString(),
    unexplained: unexplained.toString(),
    lines: await Promise.all(lines.map((line) => lineView(pin, denom, line))),
  };
}

type Row = { readonly denom: string } & Awaited<ReturnType<typeof lineView>>;

/** The rows of a statement: for each denom its lines, oldest first. */
async function* rowsOf(pin: Pin, { denoms }: Statement, size: number): AsyncGenerator<readonly Row[], void> {
  // A list without rows has a header, too.
  yield [];
  for (const { denom, lines } of denoms)
    for (let start = 0; start < lines.length; start += size) {
      const views = lines.slice(start, start + size).map((line) => lineView(pin, denom, line));
      yield (await Promise.all(views)).map((view) => ({ denom, ...view }));
    }
}

const columns: Columns<Row> = {
  denom: ({ denom }) => denom,
  blockHeight: ({ blockHeight }) => blockHeight,
  blockTime: ({ blockTime: at }) => at,
  kind: ({ kind }) => kind,
  counterparty: ({ counterparty }) => counterparty,
  amount: ({ amount }) => amount,
  displayAmount: ({ displayAmount }) => displayAmount,
  balance: ({ balance }) => balance,
  displayBalance: ({ displayBalance }) => displayBalance,
  usdValue: ({ usdValue }) => usdValue,
  transactionHash: ({ transactionHash }) => transactionHash,
};

/** The statement of an account. The upstream reads are those of the GraphQL field `Account.statement`, and the block of each line for its time. */
export function statementRoute(): Route {
  const between = (
    pin: Pin,
    { address: account, from, to }: { address: string; from: string | undefined; to: string | undefined },
  ) => {
    if (from === undefined) throw badInput('from', '', 'a height, or an RFC 3339 time in UTC');
    return statementBetween(pin, account, from, to);
  };
  return createRoute({
    path: '/v1/accounts/{address}/statement',
    operationId: 'getStatement',
    services: ['cosmos.bank.v1beta1.Query'],
    summary: 'Statement of an account',
    description:
      'Returns the opening and closing balances of an account and every movement of coins between them, by denom. What no event explains is a line of its own, so that every denom adds up. With `Accept: text/csv` or `Accept: application/x-ndjson`, returns the lines as a stream.',
    parameters: {
      address: accountInPath,
      from: textInQuery('The place of the opening balances: a height, or an RFC 3339 time in UTC. Required.'),
      to: textInQuery(
        'The place of the closing balances: a height, or an RFC 3339 time in UTC. Default: the height of the response.',
      ),
    },
    name: 'Statement',
    fields: {
      address,
      from: height,
      fromTime: time,
      to: height,
      toTime: time,
      completeFrom: height.describe('Movements are complete from this height on. Earlier ones are part of UNEXPLAINED.'),
      sources: z.array(z.enum(statementSources)).describe('What the movements were read from. BLOCKS: blocks, one by one.'),
      items: z.array(denomStatement),
    },
    live: () => true,
    points: () => statementPoints,
    async answer(pin, values) {
      const statement = await between(pin, values);
      const { from, to, completeFrom, sources, denoms } = statement;
      const [fromTime, toTime, items] = await Promise.all([
        blockTime(pin, from),
        blockTime(pin, to),
        Promise.all(denoms.map((of) => denomView(pin, of))),
      ]);
      const heights = { from: from.toString(), to: to.toString(), completeFrom: completeFrom.toString() };
      return { address: values.address, ...heights, fromTime, toTime, sources, items };
    },
    stream: {
      fileName: 'statement',
      size: 100,
      pages: async (pin, values, { size }) => rowsOf(pin, await between(pin, values), size),
      columns,
    },
  });
}
