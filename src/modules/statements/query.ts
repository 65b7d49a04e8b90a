import { ChainError } from '../../chain/base/errors.ts';
import type { Event } from '../../chain/base/execution.ts';
import type { EventCondition } from '../../chain/events/eventQuery.ts';
import { checkScan, readAll } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { balanceList, type Coin, coinsOfText } from '../bank/query.ts';
import { blocksMax, isIndexed, readHistory } from '../history/connection.ts';
import { type EventOrigin, type HistoryMatch, type HistoryQuery, newestFirst } from '../history/matches.ts';
import type { HistorySource } from '../history/search.ts';
import type { Transaction } from '../transactions/query.ts';
import { messageKind, moduleAccount, transferEvent, transferKinds, transferOf } from '../transfers/query.ts';

/** Kinds of lines: the values of the enum `StatementLineKind`. */
export const lineKinds = [...transferKinds, 'REWARD', 'DELEGATION', 'UNBONDING', 'MINT', 'BURN', 'UNEXPLAINED'] as const;

export type LineKind = (typeof lineKinds)[number];

/** One change of one balance. `amount` is negative for what leaves the account. */
export interface StatementLine {
  readonly kind: LineKind;
  /** The other account; null if the events name none or several. */
  readonly counterparty: string | null;
  readonly amount: bigint;
  /** The balance after this line. */
  readonly balance: bigint;
  /** null for what no event explains. */
  readonly height: bigint | null;
  /** null for what a block did by itself. */
  readonly transaction: Transaction | null;
}

/** The changes of the balance in one denom, oldest first. `opening` and the amounts of all lines add up to `closing`. */
export interface DenomStatement {
  readonly denom: string;
  readonly opening: bigint;
  readonly closing: bigint;
  /** What no event explains: the amount of the last line, if it is of kind UNEXPLAINED; else 0. */
  readonly unexplained: bigint;
  readonly lines: readonly StatementLine[];
}

/** The changes of all balances of an account in the blocks after `from`, up to `to`. */
export interface Statement {
  readonly from: bigint;
  readonly to: bigint;
  /** The movements are complete from this height on. */
  readonly completeFrom: bigint;
  /** What the movements were read from. */
  readonly sources: readonly HistorySource[];
  /** Ascending by denom: those with a balance at one end, or a movement. */
  readonly denoms: readonly DenomStatement[];
}

/** A movement of coins: a change of balances, by an event of the bank module. */
interface Movement {
  readonly kind: LineKind;
  readonly counterparty: string | null;
  readonly coins: readonly Coin[];
  readonly sign: 1n | -1n;
  readonly height: bigint;
  readonly transaction: Transaction | null;
}

const isDistribution = moduleAccount('distribution');
const isBondedPool = moduleAccount('bonded_tokens_pool');
const isUnbondedPool = moduleAccount('not_bonded_tokens_pool');

/** The text of an attribute; undefined if it is absent or empty. */
const textOf = ({ attributes }: Event, name: string): string | undefined =>
  attributes.find(({ key }) => key === name)?.value || undefined;

/** The events that the bank module emits for every change of a balance, with the attribute that has the account. */
const received = { eventType: 'coin_received', account: 'receiver', sign: 1n } as const;
const spent = { eventType: 'coin_spent', account: 'spender', sign: -1n } as const;

type Side = typeof received | typeof spent;

const isMovement = ({ type }: Event): boolean => type === received.eventType || type === spent.eventType;

/** The events after an index up to the next movement of coins, of which the first `movements` are passed. */
function eventsAfter(events: readonly Event[], index: number, movements: number): readonly Event[] {
  let end = index + 1;
  for (let passed = 0; end < events.length; end += 1) {
    const event = events[end];
    if (event !== undefined && isMovement(event) && ++passed > movements) break;
  }
  return events.slice(index + 1, end);
}

/** The account on the other side of a movement that has no event `transfer`, by the movement beside it; null if that is none of the same amount. */
function neighbourOf(events: readonly Event[], index: number, side: Side): string | null {
  const [event, neighbour] = [events[index], events[side === received ? index - 1 : index + 1]];
  const other = side === received ? spent : received;
  if (event === undefined || neighbour?.type !== other.eventType) return null;
  return textOf(neighbour, 'amount') === textOf(event, 'amount') ? (textOf(neighbour, other.account) ?? null) : null;
}

/** What an event says about a movement: its kind, and the other account. */
function meaningOf(event: Event, source: EventOrigin, side: Side): Pick<Movement, 'kind' | 'counterparty'> {
  const { events } = source;
  const index = events.indexOf(event);
  const [account, amount] = [textOf(event, side.account), textOf(event, 'amount')];
  const step = eventsAfter(events, index, side === received ? 0 : 1);
  const paired = step.find(
    (each) =>
      each.type === transferEvent &&
      textOf(each, side === received ? 'recipient' : 'sender') === account &&
      textOf(each, 'amount') === amount,
  );
  const transfer = paired && transferOf(paired, source);
  if (transfer) {
    const counterparty = side === received ? transfer.sender : transfer.recipient;
    const isReward = side === received && counterparty !== null && isDistribution(counterparty);
    return { kind: isReward ? 'REWARD' : transfer.kind, counterparty };
  }
  const names = (type: string, attribute: string): boolean =>
    step.some((each) => each.type === type && textOf(each, attribute) === account);
  if (side === received && names('coinbase', 'minter')) return { kind: 'MINT', counterparty: null };
  if (side === spent && names('burn', 'burner')) return { kind: 'BURN', counterparty: null };
  const counterparty = neighbourOf(events, index, side);
  const isStake = counterparty !== null && (isBondedPool(counterparty) || isUnbondedPool(counterparty));
  if (isStake) return { kind: side === received ? 'UNBONDING' : 'DELEGATION', counterparty };
  return { kind: messageKind(event, source), counterparty };
}

/** The history of one side of the movements of an account. */
function movementsOf(account: string, side: Side): HistoryQuery<Movement> {
  const condition: EventCondition = {
    tag: `${side.eventType}.${side.account}`,
    operator: '=',
    argument: { type: 'string', text: account },
  };
  return {
    eventType: side.eventType,
    searches: [[condition]],
    exact: true,
    includesBlockEvents: true,
    read(event, source) {
      if (textOf(event, side.account) !== account) return null;
      const coins = coinsOfText(textOf(event, 'amount') ?? '');
      if (coins === undefined) return null;
      const { height, transaction } = source;
      return { ...meaningOf(event, source, side), coins, sign: side.sign, height, transaction };
    },
  };
}

/** Movements in one page of a history. */
const pageSize = 100;

/** The values of the enum `StatementSource`. */
export const statementSources = ['ARCHIVE', 'NODE_INDEX', 'BLOCKS'] as const satisfies readonly HistorySource[];

/** Throws unless the range can be searched in an index, or has few enough blocks to be read one by one. */
function requireReadable(pin: Pin, from: bigint, hasIndex: boolean): void {
  const blocks = pin.height - from;
  if (hasIndex || blocks <= blocksMax) return;
  const text = `Neither the archive nor a node has an index of these ${blocks} blocks. Without one, a statement has at most ${blocksMax} blocks.`;
  throw new ChainError('INDEX_UNAVAILABLE', text, {});
}

/**
 * The movements of one side after the height `from`, newest first, the height from which on they are complete, and what they were read from. Fails with
 * INDEX_UNAVAILABLE for more than 1,000 blocks without an index.
 */
async function readMovements(pin: Pin, query: HistoryQuery<Movement>, from: bigint) {
  const matches: HistoryMatch<Movement>[] = [];
  const sources = new Set<HistorySource>();
  let completeFrom = pin.height + 1n;
  for (let after: HistoryMatch<Movement>['position'] | undefined; ; ) {
    const page = await readHistory(pin, query, { first: pageSize, after, low: from + 1n });
    for (const source of page.sources) sources.add(source);
    requireReadable(pin, from, !page.isScanned);
    const inRange = page.found.filter(({ position }) => position.height > from);
    matches.push(...inRange);
    checkScan(matches.length, 'movements of coins; choose a shorter range');
    completeFrom = await page.completeFrom();
    const isOver = inRange.length < page.found.length || (page.end !== undefined && page.end.height <= from);
    if (isOver || !page.more || page.end === undefined) return { matches, completeFrom, sources };
    after = page.end;
  }
}

/** The amounts of all balances by denom at the height of a pin. */
async function balancesAt(pin: Pin, account: string): Promise<ReadonlyMap<string, bigint>> {
  const balances = await readAll(balanceList(pin, account), 'balances');
  return new Map(balances.map(({ denom, amount }) => [denom, BigInt(amount)]));
}

function denomStatement(denom: string, opening: bigint, closing: bigint, movements: readonly Movement[]): DenomStatement {
  let balance = opening;
  const lines: StatementLine[] = [];
  for (const { kind, counterparty, coins, sign, height, transaction } of movements)
    for (const coin of coins) {
      if (coin.denom !== denom) continue;
      const amount = sign * BigInt(coin.amount);
      balance += amount;
      lines.push({ kind, counterparty, amount, balance, height, transaction });
    }
  const unexplained = closing - balance;
  if (unexplained !== 0n)
    lines.push({
      ...{ kind: 'UNEXPLAINED', counterparty: null, amount: unexplained, balance: closing, height: null, transaction: null },
    });
  return { denom, opening, closing, unexplained, lines };
}

/**
 * The statement of an account from a height to that of the pin: its balances at both, and every movement between them, by the events of the bank
 * module. What the events do not explain, because no node has them or the chain emits none, is a line of its own, so that each denom adds up. Fails
 * with OPERATION_TOO_COMPLEX for more than 5,000 movements of one side or balances, with HEIGHT_PRUNED if no node has the state at one end, and with
 * INDEX_UNAVAILABLE for more than 1,000 blocks without an index.
 */
export async function statementOf(pin: Pin, account: string, from: bigint): Promise<Statement> {
  if (pin.height - from > blocksMax) requireReadable(pin, from, await isIndexed(pin));
  const [opening, closing, ...sides] = await Promise.all([
    balancesAt(pin.at(from), account),
    balancesAt(pin, account),
    readMovements(pin, movementsOf(account, received), from),
    readMovements(pin, movementsOf(account, spent), from),
  ]);
  const matches = sides.flatMap((side) => side.matches).sort((a, b) => newestFirst(b.position, a.position));
  const movements = matches.map(({ item }) => item);
  const denoms = new Set([
    ...opening.keys(),
    ...closing.keys(),
    ...movements.flatMap(({ coins }) => coins.map(({ denom }) => denom)),
  ]);
  const highest = sides.reduce((height, { completeFrom }) => (completeFrom > height ? completeFrom : height), 1n);
  return {
    from,
    to: pin.height,
    completeFrom: highest > from + 1n ? highest : from + 1n,
    sources: statementSources.filter((source) => sides.some(({ sources }) => sources.has(source))),
    denoms: [...denoms]
      .sort()
      .map((denom) => denomStatement(denom, opening.get(denom) ?? 0n, closing.get(denom) ?? 0n, movements)),
  };
}
