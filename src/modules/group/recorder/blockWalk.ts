import type { Event } from '../../../chain/base/execution.ts';
import type { AnyMessage } from '../../../chain/wire/protoJson.ts';
import type { Pin } from '../../../reads/pin.ts';
import { eventFields, msgIndex } from '../../events/events.ts';
import { groupEventOf, isGroupEvent } from '../state/groupEvent.ts';
import { recordedAddress } from './convert.ts';
import type { Ledger } from './ledger.ts';
import { govMessages, triggerActions } from './stateReads.ts';
import { type PlacedEvent, recordUnexplained, walkMessages } from './walk.ts';

/** The indexes of the authorized messages that an event comes from. The chain appends them from the innermost to the outermost. */
function authorizedOf({ attributes }: Event): readonly number[] {
  const indexes = attributes.filter(({ key }) => key === 'authz_msg_index').map(({ value }) => Number(value));
  return indexes.toReversed();
}

/** The events of the group module among `events`, in order, with addresses as they are recorded. */
export function placedEvents(events: readonly Event[]): readonly PlacedEvent[] {
  return events.flatMap((event) => {
    const read = groupEventOf(event);
    if (read === null) return [];
    const shown = 'address' in read ? { ...read, address: recordedAddress(read.address) } : read;
    return [{ event: shown, authorized: authorizedOf(event) }];
  });
}

/** A transaction that changed something of the group module. */
export interface GroupTransaction {
  readonly hash: string;
  readonly messages: readonly AnyMessage[];
  readonly events: readonly Event[];
}

/** Records a transaction. The events of a message have its index; those without one are of the fees. */
export async function walkTransaction(ledger: Ledger, { hash, messages, events }: GroupTransaction): Promise<void> {
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
export async function walkBlockEvents(ledger: Ledger, events: readonly Event[], now: Pin): Promise<readonly PlacedEvent[]> {
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

/** Whether an event of a block is of its end, after the transactions. */
export function isOfBlockEnd({ attributes }: Event): boolean {
  return attributes.some(({ key, value }) => key === 'mode' && value === 'EndBlock');
}
