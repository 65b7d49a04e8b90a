import { badInput } from '../../reads/errors.ts';
import { checkHeight, heightAtTime, timePoints } from '../../reads/height.ts';
import { denomInput } from '../../reads/input.ts';
import { type Awaitable, andThen, type Pin, type Pinned, pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, liveField, nonNull, nonNullList, rowsField } from '../../schema/builder.ts';
import { AccountRef, accountOrNull } from '../account/schema.ts';
import { type Coin, displayOf } from '../bank/query.ts';
import { DisplayAmountRef } from '../bank/schema.ts';
import { createBlockLoaders } from '../blocks/query.ts';
import { type Valuation, valuationOf } from '../netAssetValue/query.ts';
import { ValuationRef } from '../netAssetValue/schema.ts';
import { TransactionRef } from '../transactions/schema.ts';
import {
  type DenomStatement,
  type lineKinds,
  type Statement,
  type StatementLine,
  statementOf,
  type statementSources,
} from './query.ts';

const StatementRef = createRef<Pinned<Statement>>('AccountStatement');
const DenomStatementRef = createRef<Pinned<DenomStatement & { readonly from: bigint }>>('DenomStatement');
const StatementLineRef = createRef<Pinned<StatementLine & { readonly denom: string }>>('StatementLine');

/** The price of a statement, in points: pages of events of both sides, and all balances twice. */
export const statementPoints = 1_000 + 2 * timePoints;

/** The height that an argument names, as a height or as a time. */
export function placeInput(pin: Pin, argument: string, text: string): Awaitable<bigint> {
  if (/^\d{1,19}$/.test(text)) return checkHeight(argument, BigInt(text), pin.height);
  if (!text.includes('T')) throw badInput(argument, text, 'a height, or an RFC 3339 time in UTC');
  return heightAtTime(pin, text, argument).then((height) => checkHeight(argument, height, pin.height));
}

/**
 * The statement of an account between two places, each a height or a time; `to` is the height of the pin by default. A `from` that is after `to` is
 * BAD_USER_INPUT.
 */
export async function statementBetween(
  pin: Pin,
  address: string,
  from: string,
  to: string | null | undefined,
): Promise<Statement> {
  const [low, high] = await Promise.all([placeInput(pin, 'from', from), to == null ? pin.height : placeInput(pin, 'to', to)]);
  if (low > high) throw badInput('from', from, 'a place that is not after `to`');
  return statementOf(high === pin.height ? pin : pin.at(high), address, low);
}

const timeAt = (of: Pinned<object>, height: bigint): Awaitable<string> =>
  andThen(pinOf(of).loaders(createBlockLoaders).block.load(height), ({ header }) => header.time);

/** The value of an amount in a price denom at a height; null if its denom has no net asset value then. */
export function valueAt(pin: Pin, height: bigint, coin: Coin, priceDenom: string): Awaitable<Pinned<Valuation> | null> {
  const pinThen = height === pin.height ? pin : pin.at(height);
  return pinnedValue(pinThen, valuationOf(pinThen, coin, denomInput('in', priceDenom)));
}

/** Adds `Account.statement`. It is live: a node indexes events after the block. */
export function addStatements(builder: Builder): void {
  const LineKind = builder.enumType('StatementLineKind', {
    description: 'What changed a balance.',
    values: {
      SEND: { description: 'A transfer by cosmos.bank.v1beta1.MsgSend.' },
      MULTI_SEND: { description: 'A transfer by cosmos.bank.v1beta1.MsgMultiSend.' },
      MARKER_TRANSFER: { description: 'A transfer by provenance.marker.v1.MsgTransferRequest.' },
      FEE: { description: 'The fee of a transaction.' },
      REWARD: { description: 'From the distribution module: a reward or a commission.' },
      DELEGATION: { description: 'Into the pool of stake.' },
      UNBONDING: { description: 'Out of the pool of stake.' },
      MINT: { description: 'New coins.' },
      BURN: { description: 'Coins that cease to exist.' },
      OTHER: { description: 'Any other movement.' },
      UNEXPLAINED: { description: 'What no event explains. It is the last line of its denom.' },
    } satisfies Record<(typeof lineKinds)[number], object>,
  });
  const Source = builder.enumType('StatementSource', {
    description: 'What the movements of a statement were read from.',
    values: {
      ARCHIVE: { description: 'The index of the archive, in mode FULL.' },
      NODE_INDEX: { description: 'The index of a node.' },
      BLOCKS: { description: 'Blocks, one by one: the newest ones, those in memory, and all if nothing has an index.' },
    } satisfies Record<(typeof statementSources)[number], object>,
  });
  builder.objectType(StatementLineRef, {
    description: 'derived: one change of one balance.',
    fields: (t) => ({
      kind: t.expose('kind', { type: LineKind, nullable: false, description: 'What changed the balance.' }),
      counterparty: accountOrNull(
        t,
        'The other account; null if the events name none or several.',
        (line) => line.counterparty,
      ),
      amount: t.field({
        ...nonNull('Decimal', 'In base units; negative for what leaves the account.'),
        resolve: ({ amount }) => amount.toString(),
      }),
      balance: t.field({ ...nonNull('Decimal', 'The balance after this line.'), resolve: ({ balance }) => balance.toString() }),
      value: t.field({
        type: ValuationRef,
        description:
          'derived: the value of `balance` in the price denom `in`, by the net asset value at this height. null if there was none then.',
        args: { in: t.arg.string({ defaultValue: 'usd' }) },
        resolve: (line, args) => {
          const pin = pinOf(line);
          const coin = { denom: line.denom, amount: line.balance.toString() };
          return valueAt(pin, line.height ?? pin.height, coin, args.in ?? 'usd');
        },
      }),
      height: t.expose('height', { type: 'Int64', description: 'Height of the block; null for UNEXPLAINED.' }),
      time: t.field({
        type: 'DateTime',
        description: 'Block time; null for UNEXPLAINED.',
        resolve: (line) => (line.height === null ? null : timeAt(line, line.height)),
      }),
      transaction: t.field({
        type: TransactionRef,
        description: 'The transaction; null for what a block did by itself, and for UNEXPLAINED.',
        resolve: (line) => line.transaction && pinned(pinOf(line), line.transaction),
      }),
    }),
  });
  builder.objectType(DenomStatementRef, {
    description:
      'derived: the changes of the balance in one denom. `opening` and the amounts of all lines add up to `closing`.',
    fields: (t) => ({
      denom: t.exposeString('denom', { nullable: false }),
      openingValue: t.field({
        type: ValuationRef,
        description:
          'derived: the value of `opening` in the price denom `in`, by the net asset value at `from`. null if there was none.',
        args: { in: t.arg.string({ defaultValue: 'usd' }) },
        resolve: (statement, args) => {
          const coin = { denom: statement.denom, amount: statement.opening.toString() };
          return valueAt(pinOf(statement), statement.from, coin, args.in ?? 'usd');
        },
      }),
      closingValue: t.field({
        type: ValuationRef,
        description:
          'derived: the value of `closing` in the price denom `in`, by the net asset value at `to`. null if there was none.',
        args: { in: t.arg.string({ defaultValue: 'usd' }) },
        resolve: (statement, args) => {
          const pin = pinOf(statement);
          const coin = { denom: statement.denom, amount: statement.closing.toString() };
          return valueAt(pin, pin.height, coin, args.in ?? 'usd');
        },
      }),
      display: t.field({
        type: DisplayAmountRef,
        description: 'The closing balance in the display unit; null if the denom has none.',
        resolve: (statement) => displayOf(pinOf(statement), { denom: statement.denom, amount: statement.closing.toString() }),
      }),
      opening: t.field({ ...nonNull('Decimal', 'The balance at `from`.'), resolve: ({ opening }) => opening.toString() }),
      closing: t.field({ ...nonNull('Decimal', 'The balance at `to`.'), resolve: ({ closing }) => closing.toString() }),
      unexplained: t.field({
        ...nonNull('Decimal', 'What no event explains: the amount of the line UNEXPLAINED, or 0 without one.'),
        resolve: ({ unexplained }) => unexplained.toString(),
      }),
      lines: t.field({
        ...nonNullList(StatementLineRef, 'The changes, oldest first.'),
        resolve: (statement) => {
          const { denom } = statement;
          return statement.lines.map((line) => pinned(pinOf(statement), { ...line, denom }));
        },
      }),
    }),
  });
  builder.objectType(StatementRef, {
    description: 'derived: the balances of an account at two heights, and every movement of coins between them.',
    fields: (t) => ({
      from: t.expose('from', nonNull('Int64', 'The height of the opening balances. Its own movements are not included.')),
      fromTime: t.field({ ...nonNull('DateTime', 'The time of that block.'), resolve: (of) => timeAt(of, of.from) }),
      to: t.expose('to', nonNull('Int64', 'The height of the closing balances.')),
      toTime: t.field({ ...nonNull('DateTime', 'The time of that block.'), resolve: (of) => timeAt(of, of.to) }),
      completeFrom: t.expose(
        'completeFrom',
        nonNull('Int64', 'Movements are complete from this height on. Earlier ones are part of UNEXPLAINED.'),
      ),
      sources: t.expose('sources', nonNullList(Source, 'What the movements were read from. Empty if the range has no block.')),
      denoms: t.field({
        ...nonNullList(DenomStatementRef, 'One for each denom with a balance at one end, or a movement; ascending by denom.'),
        resolve: (statement) => statement.denoms.map((of) => pinned(pinOf(statement), { ...of, from: statement.from })),
      }),
    }),
  });
  builder.objectField(AccountRef, 'statement', (t) =>
    t.field({
      type: StatementRef,
      description:
        'derived: the account statement after `from` up to `to`: opening and closing balances and every movement between them. `from` and `to` are heights, or RFC 3339 times in UTC, each of which stands for the last block that is not after it. Default of `to`: the height of the operation. Needs a node with an index, or an archive of mode FULL: without one, more than 1,000 blocks are INDEX_UNAVAILABLE. Fails with OPERATION_TOO_COMPLEX for more than 5,000 movements: choose a shorter range.',
      extensions: { ...liveField, ...rowsField({ points: statementPoints }) },
      args: { from: t.arg.string({ required: true }), to: t.arg.string() },
      resolve: async (account, { from, to }) => {
        const pin = pinOf(account);
        const statement = await statementBetween(pin, account.address, from, to);
        return pinned(statement.to === pin.height ? pin : pin.at(statement.to), statement);
      },
    }),
  );
}
