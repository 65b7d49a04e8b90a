import type { EarlierFacts, EarlierLife, Place, RecordedTally } from '../../../archive/facts.ts';
import type { Event } from '../../../chain/base/execution.ts';
import { type Nanoseconds, parseTime } from '../../../chain/base/time.ts';
import type { EventCondition } from '../../../chain/events/eventQuery.ts';
import type { ChainList } from '../../../reads/page.ts';
import type { Pin } from '../../../reads/pin.ts';
import { fromAny } from '../../any/codec.ts';
import { blockSearch, createBlockLoaders } from '../../blocks/query.ts';
import { searchList } from '../../events/search.ts';
import { transactionSearch } from '../../transactions/query.ts';
import { decisionPolicyFromWire, proposalOutcome } from '../model.ts';
import type { Ledger } from './ledger.ts';
import { ifKept, recordedAddress, resultNumber, statusNumber } from './state.ts';
import { governanceMessage, placedEvents, recordUnexplained, walkBlockEvents, walkTransaction } from './walk.ts';

/** Items of a page of a search, and the most pages of one search. What lies beyond counts as not known. */
const pageSize = 100;
const mostPages = 10;

type Note =
  | { readonly kind: 'submitted' | 'voted'; readonly id: bigint }
  | { readonly kind: 'withdrawn'; readonly id: bigint; readonly account: string | null }
  | { readonly kind: 'policy'; readonly address: string; readonly account: string | null }
  | {
      readonly kind: 'executed';
      readonly id: bigint;
      readonly account: string | null;
      readonly result: number;
      readonly logs: string;
    };

type Sighting<N extends Note = Note> = N & {
  readonly height: bigint;
  /** Place in the block: -1 before the transactions, the index of the transaction, and the largest number after them. */
  readonly index: number;
  /** Place among the notes of the transaction or of this part of the block. */
  readonly step: number;
  readonly hash: string | null;
};

const afterTransactions = Number.MAX_SAFE_INTEGER;
const notRun = resultNumber('PROPOSAL_EXECUTOR_RESULT_NOT_RUN');

/** A ledger that notes who did what. It keeps no state, so the messages of executed proposals are not known. */
function createNotes(): { readonly ledger: Ledger; readonly notes: Note[] } {
  const notes: Note[] = [];
  const nothing = async (): Promise<void> => undefined;
  const ledger: Ledger = {
    enter: () => undefined,
    groupCreated: () => undefined,
    groupAdopted: nothing,
    groupChanged: nothing,
    left: nothing,
    policyCreated: () => undefined,
    policyAdopted: nothing,
    policyChanged: async (address, _change, account) => void notes.push({ kind: 'policy', address, account }),
    submitted: async (id) => void notes.push({ kind: 'submitted', id }),
    voted: async ({ proposalId: id }) => void notes.push({ kind: 'voted', id }),
    votedUnknown: async (id) => void notes.push({ kind: 'voted', id }),
    withdrawn: async (id, account) => void notes.push({ kind: 'withdrawn', id, account }),
    accepted: async () => null,
    executed: async ({ proposalId: id, result, logs }, account) =>
      void notes.push({ kind: 'executed', id, account, result: resultNumber(result), logs }),
    pruned: nothing,
  };
  return { ledger, notes };
}

async function readSearch<T>(list: ChainList<T>): Promise<readonly T[] | null> {
  const items: T[] = [];
  for (let page = 0; page < mostPages; page += 1) {
    const part = await list.read({ offset: BigInt(items.length), limit: pageSize });
    items.push(...part.items);
    if (!part.more || part.items.length === 0) return items;
  }
  return null;
}

async function notesOf(events: readonly Event[], part: 'BEGIN' | 'END', pin: Pin): Promise<readonly Note[]> {
  const { ledger, notes } = createNotes();
  for (const { event } of await walkBlockEvents(ledger, events, part, pin)) await recordUnexplained(ledger, event);
  return notes;
}

/**
 * What transactions and blocks from a height up to that of the pin did, by events with one of these values, oldest first. Null if there are too many, or if no node has
 * the events of a block any more.
 * Rejects with INDEX_UNAVAILABLE if no node has an index.
 */
async function sightings(
  pin: Pin,
  attribute: string,
  values: readonly string[],
  from: bigint,
): Promise<readonly Sighting[] | null> {
  const sightingList: Sighting[] = [];
  const { client, height: latest, signal } = pin;
  for (const value of values) {
    const conditions = (heightTag: string): readonly EventCondition[] => [
      { tag: `cosmos.group.v1.${attribute}`, operator: '=', argument: { type: 'string', text: JSON.stringify(value) } },
      { tag: heightTag, operator: '>=', argument: { type: 'number', text: from.toString() } },
    ];
    const search = { tx: conditions('tx.height'), block: conditions('block.height') };
    const [transactions, blocks] = await Promise.all([
      readSearch(searchList(client, transactionSearch, search.tx, latest, false, signal)),
      readSearch(searchList(client, blockSearch, search.block, latest, false, signal)),
    ]);
    if (transactions === null || blocks === null) return null;
    for (const { height, index, hash, result, decoded } of transactions) {
      const { ledger, notes } = createNotes();
      const messages = (decoded()?.body.messages ?? []).map((message) => governanceMessage(fromAny(message)));
      await walkTransaction(ledger, { hash, messages, events: placedEvents(result.events) });
      sightingList.push(...notes.map((note, step) => ({ ...note, height, index, step, hash })));
    }
    for (const { header } of blocks) {
      const { height } = header;
      const results = await ifKept(() => pin.loaders(createBlockLoaders).results.load(height));
      if (results === undefined) return null;
      const { events } = results.outcome;
      const at = { height, hash: null };
      for (const [step, note] of (await notesOf(events, 'BEGIN', pin.at(height))).entries())
        sightingList.push({ ...note, ...at, index: -1, step });
      for (const [step, note] of (await notesOf(events, 'END', pin.at(height))).entries())
        sightingList.push({ ...note, ...at, index: afterTransactions, step });
    }
  }
  return sightingList.toSorted(inOrder);
}

type Spot = Pick<Sighting, 'height' | 'index' | 'step'>;

function inOrder(one: Spot, other: Spot): number {
  return Number(one.height - other.height) || one.index - other.index || one.step - other.step;
}

async function timeOf(pin: Pin, height: bigint): Promise<Nanoseconds | null> {
  const inMemory = pin.client.blockInMemory(height)?.header;
  const header = inMemory ?? (await ifKept(() => pin.loaders(createBlockLoaders).header.load(height)));
  return header === undefined ? null : parseTime(header.time);
}

/** The first block whose time is after `end`, from a height on whose block is not, up to that of the pin. Null if it is not certain. */
async function firstAfter(pin: Pin, from: bigint, end: Nanoseconds): Promise<{ height: bigint; time: Nanoseconds } | null> {
  let [low, high] = [from, pin.height];
  let time = await timeOf(pin, high);
  if (time === null || time <= end) return null;
  while (low + 1n < high) {
    const middle = (low + high) / 2n;
    const at = await timeOf(pin, middle);
    if (at === null) return null;
    if (at > end) [high, time] = [middle, at];
    else low = middle;
  }
  return { height: high, time };
}

/** Whether the final tally alone rejects, by the policy and the weights that the whole life had. Null if they changed. */
function isRejectedBy({ proposal, tally, group, policy }: EarlierLife & { readonly tally: RecordedTally }): boolean | null {
  if (group === null || group.version !== proposal.groupVersion) return null;
  if (policy === null || policy.version !== proposal.groupPolicyVersion) return null;
  const { type: typeUrl, value } = policy.decisionPolicy;
  const decisionPolicy = decisionPolicyFromWire({ $typeName: 'google.protobuf.Any', typeUrl, value });
  const outcome = proposalOutcome(decisionPolicy, tally, group.totalWeight);
  return outcome === null ? null : outcome.decision === 'REJECTED';
}

type Executed = Extract<Sighting, { readonly kind: 'executed' }>;

interface Found {
  readonly by: NonNullable<EarlierFacts['close']>['by'];
  readonly account: string | null;
  readonly height: bigint;
  readonly hash: string | null;
}

/**
 * The close of a proposal whose tally became final. The chain takes no vote and no execution of a rejected proposal, and executes an accepted one at
 * once. So the first execution that ran has decided it, unless the voting had ended before, and so has a rejected one the last execution, if nothing
 * followed that a rejected proposal does not take.
 */
async function countedClose(
  life: EarlierLife,
  tally: RecordedTally,
  submitted: bigint,
  executions: readonly Executed[],
  pin: Pin,
): Promise<Found | null> {
  const { proposal, status } = life;
  const end = proposal.votingPeriodEnd;
  const isAccepted = status === statusNumber('PROPOSAL_STATUS_ACCEPTED');
  const deciding = isAccepted ? executions.find(({ result }) => result !== notRun) : executions.at(-1);
  const time = deciding && (await timeOf(pin, deciding.height));
  if (deciding !== undefined && time == null) return null;
  const isBeforeEnd = time != null && time <= end;
  if (deciding !== undefined && isBeforeEnd && isAccepted) return { by: 'DECIDED', ...deciding };
  const now = await timeOf(pin, pin.height);
  // Before the end of the voting, only an execution rejects.
  const isVotingTime = now !== null && now <= end;
  const rejects = isAccepted ? false : isVotingTime || isRejectedBy({ ...life, tally });
  if (deciding !== undefined && isBeforeEnd && rejects !== false) {
    const later = await sightings(pin, 'EventVote.proposal_id', [`${proposal.id}`], deciding.height);
    if (later === null) return null;
    const hasVote = later.some((note) => note.kind === 'voted' && note.id === proposal.id && inOrder(note, deciding) > 0);
    if (!hasVote) return rejects === null ? null : { by: 'DECIDED', ...deciding };
  }
  const over = await firstAfter(pin, submitted, end);
  if (over === null) return null;
  if (deciding === undefined || deciding.height !== over.height || deciding.index === afterTransactions)
    return { by: 'VOTING_ENDED', account: null, height: over.height, hash: null };
  // An execution in the first block after the voting period comes before the end of that block, which ends the voting.
  const by = isAccepted || rejects === true ? 'DECIDED' : rejects === null ? null : 'VOTING_ENDED';
  return { ...deciding, by };
}

async function closeOf(life: EarlierLife, submission: Sighting | undefined, executions: readonly Executed[] | null, pin: Pin) {
  const { proposal, status, tally } = life;
  const id = `${proposal.id}`;
  if (status === statusNumber('PROPOSAL_STATUS_WITHDRAWN')) {
    const notes = await sightings(pin, 'EventWithdrawProposal.proposal_id', [id], 1n);
    const withdrawal = notes?.find((note) => note.kind === 'withdrawn' && note.id === proposal.id);
    return withdrawal?.kind === 'withdrawn' ? { ...withdrawal, by: 'WITHDRAWN' as const } : null;
  }
  // Only an index that shows the submission shows that nothing came before what it shows.
  if (submission === undefined) return null;
  if (status === statusNumber('PROPOSAL_STATUS_ABORTED')) {
    const address = proposal.groupPolicyAddress;
    // The event spells the address as the message does.
    const spellings = [address, address.toUpperCase()];
    const notes = await sightings(pin, 'EventUpdateGroupPolicy.address', spellings, submission.height);
    const abort = notes?.find(
      (note) => note.kind === 'policy' && recordedAddress(note.address) === address && inOrder(note, submission) > 0,
    );
    return abort?.kind === 'policy' ? { ...abort, by: 'ABORTED' as const } : null;
  }
  return tally === null || executions === null ? null : countedClose(life, tally, submission.height, executions, pin);
}

/**
 * What the blocks and events up to the height of the pin show of the close and the executions of a proposal. Everything that they do not prove is left
 * out. Rejects with INDEX_UNAVAILABLE if no node has an index of transactions.
 */
export async function earlierFacts(life: EarlierLife, pin: Pin): Promise<EarlierFacts> {
  const { proposal, status } = life;
  const { id } = proposal;
  const submissions = await sightings(pin, 'EventSubmitProposal.proposal_id', [`${id}`], 1n);
  const submission = submissions?.find((note) => note.kind === 'submitted' && note.id === id);
  const notes = await sightings(pin, 'EventExec.proposal_id', [`${id}`], submission?.height ?? 1n);
  const executions = notes?.filter((note): note is Executed => note.kind === 'executed' && note.id === id) ?? null;
  const close = status === null ? null : await closeOf(life, submission, executions, pin);

  async function placeOf({ height, hash }: Pick<Found, 'height' | 'hash'>, order: number): Promise<Place | null> {
    const time = await timeOf(pin, height);
    return time === null ? null : { height, hash, time, order };
  }

  const count = executions?.length ?? 0;
  // A close comes before the execution that led to it. The numbers below 0 are those of facts that were found later.
  const at = close && (await placeOf(close, -count - 1));
  const executionFacts = [];
  for (const [index, { account: executor, result, logs, ...spot }] of (executions ?? []).entries()) {
    const place = await placeOf(spot, index - count);
    if (place !== null) executionFacts.push({ executor, result, logs, at: place });
  }
  return { close: close && at && { by: close.by, account: close.account, at }, executions: executionFacts };
}
