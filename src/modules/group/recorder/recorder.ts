import { LRUCache } from 'lru-cache';
import type { Fact, OpenProposals, Recorder } from '../../../archive/facts.ts';
import type { Event } from '../../../chain/base/execution.ts';
import { parseTime } from '../../../chain/base/time.ts';
import type { CommittedBlock } from '../../../chain/blocks/committedBlock.ts';
import { decodeTx } from '../../../chain/transactions/decodedTx.ts';
import type { AnyMessage } from '../../../chain/wire/protoJson.ts';
import type { Pin } from '../../../reads/pin.ts';
import { fromAny } from '../../any/codec.ts';
import { eventFields, msgIndex } from '../../events/events.ts';
import { groupEventOf, isGroupEvent } from '../state/groupEvent.ts';
import { recordedAddress } from './convert.ts';
import { type BlockGroups, createBlockGroups } from './groups.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { governanceMessage } from './messages.ts';
import { startFacts } from './start.ts';
import { govMessages, recorderState, triggerActions } from './stateReads.ts';
import { type PlacedEvent, recordUnexplained, walkMessages } from './walk.ts';

/** The indexes of the authorized messages that an event comes from. The chain appends them from the innermost to the outermost. */
function authorizedOf({ attributes }: Event): readonly number[] {
  const indexes = attributes.filter(({ key }) => key === 'authz_msg_index').map(({ value }) => Number(value));
  return indexes.toReversed();
}

/** The events of the group module among `events`, in order, with addresses as they are recorded. */
function placedEvents(events: readonly Event[]): readonly PlacedEvent[] {
  return events.flatMap((event) => {
    const read = groupEventOf(event);
    if (read === null) return [];
    const shown = 'address' in read ? { ...read, address: recordedAddress(read.address) } : read;
    return [{ event: shown, authorized: authorizedOf(event) }];
  });
}

/** A transaction that changed something of the group module. */
interface GroupTransaction {
  readonly hash: string;
  readonly messages: readonly AnyMessage[];
  readonly events: readonly Event[];
}

function groupTransactions({ transactions }: CommittedBlock): readonly GroupTransaction[] {
  return transactions
    .filter(({ result }) => result.code === 0 && result.events.some(isGroupEvent))
    .map(({ tx, hash, result: { events } }) => {
      const messages = decodeTx(Buffer.from(tx, 'base64'))?.body.messages ?? [];
      return { hash, messages: messages.map(fromAny), events };
    });
}

/** The groups of policies. The group of a policy never changes. */
type GroupIds = LRUCache<string, bigint>;

/** The policies whose groups are kept. */
const keptPolicies = 10_000;

/** Begins to read the policies of all submissions of a block, and their groups if they are known. */
function readPolicies(groups: BlockGroups, transactions: readonly GroupTransaction[], groupIds: GroupIds): void {
  for (const message of transactions.flatMap(({ messages }) => messages)) {
    const known = governanceMessage(message);
    if (known?.kind !== 'submit') continue;
    const { groupPolicyAddress } = known.message;
    groups.readAheadForSubmission(groupPolicyAddress, groupIds.get(groupPolicyAddress));
  }
}

/** Notes the groups of policies that facts show. */
function noteGroups(facts: readonly Fact[], groupIds: GroupIds): readonly Fact[] {
  for (const fact of facts) {
    if (fact.kind === 'policy') groupIds.set(fact.address, fact.groupId);
    else if (fact.kind === 'proposal' && fact.groupId !== null) groupIds.set(fact.groupPolicyAddress, fact.groupId);
  }
  return facts;
}

/** Records a transaction. The events of a message have its index; those without one are of the fees. */
async function walkTransaction(ledger: Ledger, { hash, messages, events }: GroupTransaction): Promise<void> {
  ledger.enter(hash);
  const eventsOf = new Map<number, Event[]>();
  const others: Event[] = [];
  for (const event of events) {
    if (!isGroupEvent(event)) continue;
    const index = msgIndex(event) ?? messages.length;
    const own = index < messages.length ? (eventsOf.get(index) ?? []) : others;
    own.push(event);
    if (own !== others) eventsOf.set(index, own);
  }
  for (const [index, message] of messages.entries()) {
    const own = eventsOf.get(index);
    if (own !== undefined) await walkMessages(ledger, [message], placedEvents(own), { origin: 'MESSAGE', path: [] });
  }
  for (const { event } of placedEvents(others)) await recordUnexplained(ledger, event);
}

function idIn(value: unknown): bigint | null {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : null;
}

/** The messages that ran right before this event of the block; null if it does not end a run of messages. */
async function messagesBefore(event: Event, now: Pin): Promise<readonly AnyMessage[] | null> {
  if (event.type === 'provenance.trigger.v1.EventTriggerExecuted') {
    const { triggerId, success } = eventFields(event) ?? {};
    const id = idIn(triggerId);
    return success === true && id !== null ? triggerActions(now, id) : null;
  }
  if (event.type === 'active_proposal') {
    const attribute = (name: string) => event.attributes.find(({ key }) => key === name)?.value;
    const id = idIn(attribute('proposal_id'));
    return attribute('proposal_result') === 'proposal_passed' && id !== null ? govMessages(now, id) : null;
  }
  return null;
}

/**
 * Records events of the block itself. The actions of triggers and the messages of governance proposals run there; an event that says so follows theirs.
 * Returns the events after the last of them.
 */
async function walkBlockEvents(ledger: Ledger, events: readonly Event[], now: Pin): Promise<readonly PlacedEvent[]> {
  let waiting: Event[] = [];
  for (const event of events) {
    if (isGroupEvent(event)) waiting.push(event);
    else if (waiting.length > 0) {
      const messages = await messagesBefore(event, now);
      if (messages === null) continue;
      await walkMessages(ledger, messages, placedEvents(waiting), { origin: 'OTHER', path: [] });
      waiting = [];
    }
  }
  return placedEvents(waiting);
}

function isOfBlockEnd({ attributes }: Event): boolean {
  return attributes.some(({ key, value }) => key === 'mode' && value === 'EndBlock');
}

async function blockFacts(
  block: CommittedBlock,
  before: Pin,
  now: Pin,
  recorded: OpenProposals,
  groupIds: GroupIds,
): Promise<readonly Fact[]> {
  const { height, time: timeText } = block.header;
  const time = parseTime(timeText);
  const all = [...block.transactions.flatMap(({ result }) => result.events), ...block.events].filter(isGroupEvent);
  const open = await recorded.open(height);
  if (all.length === 0 && open.every(({ votingPeriodEnd }) => votingPeriodEnd >= time)) return [];

  const stateBefore = recorderState(height > 1n ? before : null);
  const stateNow = recorderState(now);
  const events = placedEvents(all).map(({ event }) => event);
  const reads = { open: () => Promise.resolve(open), proposal: recorded.proposal };
  const groups = createBlockGroups(stateBefore, stateNow);
  const ledger = createLedger({ height, time, events }, groups, stateBefore, stateNow, reads);
  const transactions = groupTransactions(block);
  await ledger.readAhead();
  readPolicies(groups, transactions, groupIds);

  const begun = block.events.filter((event) => !isOfBlockEnd(event));
  for (const { event } of await walkBlockEvents(ledger, begun, now)) await recordUnexplained(ledger, event);
  for (const transaction of transactions) await walkTransaction(ledger, transaction);
  ledger.enter(null);
  const last = await walkBlockEvents(ledger, block.events.filter(isOfBlockEnd), now);
  await ledger.endVoting();
  for (const { event } of last) await recordUnexplained(ledger, event);
  return ledger.finish();
}

/**
 * Makes the recorder of group governance. Events say what happened. The messages that ran explain it: those of transactions, of authorizations, of
 * executed proposals, of triggers and of governance proposals. The state at the height of the block explains what no message does.
 */
export function createRecorder(): Recorder {
  const groupIds: GroupIds = new LRUCache({ max: keptPolicies });
  return {
    block: async (block, before, now, recorded) =>
      noteGroups(await blockFacts(block, before, now, recorded, groupIds), groupIds),
    start: async (pin) => noteGroups(await startFacts(pin), groupIds),
  };
}
