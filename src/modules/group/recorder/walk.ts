import { create, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import type { RecordedOrigin } from '../../../archive/facts.ts';
import type { Event } from '../../../chain/base/execution.ts';
import { type AnyMessage, typeNameOf } from '../../../chain/wire/protoJson.ts';
import { MsgExecSchema as AuthorizedSchema } from '../../../proto/cosmos/authz/v1beta1/tx_pb.js';
import * as tx from '../../../proto/cosmos/group/v1/tx_pb.js';
import { Exec } from '../../../proto/cosmos/group/v1/tx_pb.js';
import { VoteOption } from '../../../proto/cosmos/group/v1/types_pb.js';
import type { Pin } from '../../../reads/pin.ts';
import { fromAny } from '../../any/codec.ts';
import { eventFields, msgIndex } from '../../events/events.ts';
import { type GroupEvent, groupEventOf, isGroupEvent } from '../events.ts';
import type { GroupChange, PolicyChange } from './groups.ts';
import type { Ledger } from './ledger.ts';
import { govMessages, recordedAddress, recordedAny, triggerActions } from './state.ts';

/** The messages that change group governance by themselves, or that carry such messages. */
const schemas = [
  AuthorizedSchema,
  tx.MsgSubmitProposalSchema,
  tx.MsgVoteSchema,
  tx.MsgExecSchema,
  tx.MsgWithdrawProposalSchema,
  tx.MsgCreateGroupSchema,
  tx.MsgCreateGroupWithPolicySchema,
  tx.MsgCreateGroupPolicySchema,
  tx.MsgUpdateGroupMembersSchema,
  tx.MsgUpdateGroupAdminSchema,
  tx.MsgUpdateGroupMetadataSchema,
  tx.MsgLeaveGroupSchema,
  tx.MsgUpdateGroupPolicyAdminSchema,
  tx.MsgUpdateGroupPolicyDecisionPolicySchema,
  tx.MsgUpdateGroupPolicyMetadataSchema,
] as const;

const schemasByType: ReadonlyMap<string, (typeof schemas)[number]> = new Map(
  schemas.map((schema) => [schema.typeName, schema]),
);

/** One of these messages; its type is `$typeName`. */
export type GovernanceMessage = MessageShape<(typeof schemas)[number]>;

interface Addressed {
  admin?: string;
  newAdmin?: string;
  voter?: string;
  address?: string;
  executor?: string;
  groupPolicyAddress?: string;
  proposers?: string[];
  members?: { address: string }[];
  memberUpdates?: { address: string }[];
}

const addressFields = ['admin', 'newAdmin', 'voter', 'address', 'executor', 'groupPolicyAddress'] as const;

/**
 * Decodes a message, with addresses as they are recorded. Returns null if its type has no part in group governance, or if its bytes are invalid.
 */
export function governanceMessage({ type, value }: AnyMessage): GovernanceMessage | null {
  try {
    const schema = schemasByType.get(typeNameOf(type));
    if (schema === undefined) return null;
    const governance = fromBinary(schema, value);
    if (governance.$typeName === 'cosmos.authz.v1beta1.MsgExec') return governance;
    const message: Addressed = governance;
    for (const field of addressFields) {
      const address = message[field];
      if (address !== undefined) message[field] = recordedAddress(address);
    }
    if (message.proposers !== undefined) message.proposers = message.proposers.map(recordedAddress);
    for (const member of [...(message.members ?? []), ...(message.memberUpdates ?? [])])
      member.address = recordedAddress(member.address);
    return governance;
  } catch {
    return null;
  }
}

/** An event of the group module, with what it says of the message that it comes from. Addresses are as they are recorded. */
export interface PlacedEvent {
  readonly event: GroupEvent;
  /** The index of its message in the transaction; null for an event of fees or of the block. */
  readonly message: number | null;
  /** The indexes of the authorized messages that it comes from, the outermost first. */
  readonly authorized: readonly number[];
}

/** The events of the group module among `events`, in order. */
export function placedEvents(events: readonly Event[]): readonly PlacedEvent[] {
  const placed: PlacedEvent[] = [];
  for (const each of events) {
    const event = groupEventOf(each);
    if (event === null) continue;
    const authorized: number[] = [];
    for (const { key, value } of each.attributes) if (key === 'authz_msg_index') authorized.push(Number(value));
    placed.push({
      event: 'address' in event ? { ...event, address: recordedAddress(event.address) } : event,
      message: msgIndex(each),
      // The chain appends them from the innermost to the outermost.
      authorized: authorized.reverse(),
    });
  }
  return placed;
}

/** Messages with one cause. */
interface Walk {
  readonly ledger: Ledger;
  /** The origin of a vote among them. */
  readonly origin: Exclude<RecordedOrigin, 'PROPOSER'>;
  /** The indexes of the authorized messages around them, the outermost first. */
  readonly path: readonly number[];
}

type Events = readonly PlacedEvent[];
type EventsByKind = { readonly [E in GroupEvent as E['kind']]: E };
type EventKind = keyof EventsByKind;
/** An id, an address, or for a member who leaves both with a space between. */
type Subject = bigint | string;

const emptyAny: Any = create(AnySchema);

/** Whether an event is of a kind, concerns the subject if one is given, and comes from messages at this path. */
function isOf<K extends EventKind>(
  placed: PlacedEvent,
  kind: K,
  subject: Subject | undefined,
  path: readonly number[],
): placed is PlacedEvent & { readonly event: EventsByKind[K] } {
  const { event, authorized } = placed;
  if (event.kind !== kind || authorized.length !== path.length) return false;
  for (const [depth, index] of path.entries()) if (authorized[depth] !== index) return false;
  if (subject === undefined) return true;
  if ('proposalId' in event) return event.proposalId === subject;
  if (event.kind === 'left') return `${event.groupId} ${event.address}` === subject;
  return 'groupId' in event ? event.groupId === subject : 'address' in event && event.address === subject;
}

/** Records an event that no message explains. */
export async function recordUnexplained(ledger: Ledger, event: GroupEvent): Promise<void> {
  switch (event.kind) {
    case 'submitted':
      return ledger.submitted(event.proposalId, null);
    case 'voted':
      return ledger.votedUnknown(event.proposalId);
    case 'withdrawn':
      return ledger.withdrawn(event.proposalId, null);
    case 'executed':
      return ledger.executed(event, null);
    case 'pruned':
      return ledger.pruned(event);
    case 'groupCreated':
      return ledger.groupAdopted(event.groupId);
    case 'groupUpdated':
      return ledger.groupChanged(event.groupId, undefined, null);
    case 'left':
      return ledger.left(event.groupId, event.address);
    case 'policyCreated':
      return ledger.policyAdopted(event.address);
    case 'policyUpdated':
      return ledger.policyChanged(event.address, undefined, null);
    case 'tallyFailed':
    case 'other':
      return;
  }
}

/** Takes the first event that matches. The events before it come from others. Returns null if there is none: nothing was recorded then. */
async function take<K extends EventKind>(
  { ledger, path }: Walk,
  events: Events,
  kind: K,
  subject?: Subject,
): Promise<{ readonly event: EventsByKind[K]; readonly rest: Events } | null> {
  for (const [index, placed] of events.entries()) {
    if (!isOf(placed, kind, subject, path)) continue;
    for (const { event: other } of events.slice(0, index)) await recordUnexplained(ledger, other);
    return { event: placed.event, rest: events.slice(index + 1) };
  }
  return null;
}

/** Takes an event and records what it means. Without the event, the message did nothing. */
async function taking<K extends EventKind>(
  walk: Walk,
  events: Events,
  kind: K,
  subject: Subject | undefined,
  record: (event: EventsByKind[K]) => Promise<void> | void,
): Promise<Events> {
  const match = await take(walk, events, kind, subject);
  if (match === null) return events;
  await record(match.event);
  return match.rest;
}

/** An attempt to execute a proposal. If it succeeded, the events of the proposal's messages come before its deletion. */
async function execution(walk: Walk, id: bigint, executor: string, events: Events): Promise<Events> {
  const { ledger, path } = walk;
  const first = events.find((placed) => isOf(placed, 'executed', id, path))?.event;
  let rest = events;
  if (first?.kind === 'executed' && first.result === 'PROPOSAL_EXECUTOR_RESULT_SUCCESS') {
    const end = Math.max(
      events.findIndex((placed) => isOf(placed, 'pruned', id, path)),
      0,
    );
    const messages = ((await ledger.accepted(id, executor)) ?? []).map(governanceMessage);
    const others = await walkMessages({ ledger, origin: 'PROPOSAL', path }, messages, events.slice(0, end));
    for (const { event } of others) await recordUnexplained(ledger, event);
    rest = await taking(walk, events.slice(end), 'pruned', id, (event) => ledger.pruned(event));
  }
  return taking(walk, rest, 'executed', id, (event) => ledger.executed(event, executor));
}

/** The submission of a proposal, with the votes of its proposers and the attempt to execute it that the message asks for. */
async function submission(walk: Walk, message: tx.MsgSubmitProposal, events: Events): Promise<Events> {
  const { ledger } = walk;
  const match = await take(walk, events, 'submitted');
  if (match === null) return events;
  const { proposalId } = match.event;
  await ledger.submitted(proposalId, message);
  let { rest } = match;
  const [executor] = message.proposers;
  if (message.exec !== Exec.TRY || executor === undefined) return rest;
  for (const voter of message.proposers) {
    rest = await taking(walk, rest, 'voted', proposalId, () =>
      ledger.voted({ proposalId, voter, option: VoteOption.YES, metadata: '', origin: 'PROPOSER' }),
    );
  }
  return execution(walk, proposalId, executor, rest);
}

function groupUpdate(
  walk: Walk,
  events: Events,
  { groupId, admin }: { readonly groupId: bigint; readonly admin: string },
  change: GroupChange,
): Promise<Events> {
  return taking(walk, events, 'groupUpdated', groupId, () => walk.ledger.groupChanged(groupId, change, admin));
}

function policyUpdate(
  walk: Walk,
  events: Events,
  { groupPolicyAddress: address, admin }: { readonly groupPolicyAddress: string; readonly admin: string },
  change: PolicyChange,
): Promise<Events> {
  return taking(walk, events, 'policyUpdated', address, () => walk.ledger.policyChanged(address, change, admin));
}

/** Records what a message did. Returns the events that follow those of the message. */
async function walkMessage(walk: Walk, message: GovernanceMessage, events: Events): Promise<Events> {
  const { ledger, origin, path } = walk;
  switch (message.$typeName) {
    case 'cosmos.authz.v1beta1.MsgExec': {
      let rest = events;
      for (const [index, inner] of message.msgs.entries()) {
        const innerWalk: Walk = { ledger, origin: 'AUTHORIZATION', path: [...path, index] };
        rest = await walkMessages(innerWalk, [governanceMessage(fromAny(inner))], rest);
      }
      return rest;
    }
    case 'cosmos.group.v1.MsgSubmitProposal':
      return submission(walk, message, events);
    case 'cosmos.group.v1.MsgVote': {
      const { proposalId, voter, option, metadata, exec } = message;
      const match = await take(walk, events, 'voted', proposalId);
      if (match === null) return events;
      await ledger.voted({ proposalId, voter, option, metadata, origin });
      return exec === Exec.TRY ? execution(walk, proposalId, voter, match.rest) : match.rest;
    }
    case 'cosmos.group.v1.MsgExec':
      return execution(walk, message.proposalId, message.executor, events);
    case 'cosmos.group.v1.MsgWithdrawProposal': {
      const { proposalId, address } = message;
      return taking(walk, events, 'withdrawn', proposalId, () => ledger.withdrawn(proposalId, address));
    }
    case 'cosmos.group.v1.MsgCreateGroup': {
      const { admin, metadata, members } = message;
      return taking(walk, events, 'groupCreated', undefined, ({ groupId }) =>
        ledger.groupCreated({ groupId, version: 1n, admin, metadata }, members),
      );
    }
    case 'cosmos.group.v1.MsgCreateGroupPolicy': {
      const { admin, groupId, metadata } = message;
      const decisionPolicy = recordedAny(fromAny(message.decisionPolicy ?? emptyAny));
      return taking(walk, events, 'policyCreated', undefined, ({ address }) =>
        ledger.policyCreated({ address, groupId, version: 1n, admin, metadata, decisionPolicy }),
      );
    }
    case 'cosmos.group.v1.MsgCreateGroupWithPolicy': {
      const { admin, members, groupMetadata, groupPolicyMetadata: metadata, groupPolicyAsAdmin } = message;
      const group = await take(walk, events, 'groupCreated');
      if (group === null) return events;
      const { groupId } = group.event;
      ledger.groupCreated({ groupId, version: 1n, admin, metadata: groupMetadata }, members);
      const policy = await take(walk, group.rest, 'policyCreated');
      if (policy === null) return group.rest;
      const { address } = policy.event;
      const decisionPolicy = recordedAny(fromAny(message.decisionPolicy ?? emptyAny));
      ledger.policyCreated({ address, groupId, version: 1n, admin, metadata, decisionPolicy });
      if (!groupPolicyAsAdmin) return policy.rest;
      const change = { admin: address };
      const rest = await groupUpdate(walk, policy.rest, { groupId, admin }, change);
      return policyUpdate(walk, rest, { groupPolicyAddress: address, admin }, change);
    }
    case 'cosmos.group.v1.MsgUpdateGroupMembers':
      return groupUpdate(walk, events, message, { members: message.memberUpdates });
    case 'cosmos.group.v1.MsgUpdateGroupAdmin':
      return groupUpdate(walk, events, message, { admin: message.newAdmin });
    case 'cosmos.group.v1.MsgUpdateGroupMetadata':
      return groupUpdate(walk, events, message, { metadata: message.metadata });
    case 'cosmos.group.v1.MsgLeaveGroup': {
      const { groupId, address } = message;
      return taking(walk, events, 'left', `${groupId} ${address}`, () => ledger.left(groupId, address));
    }
    case 'cosmos.group.v1.MsgUpdateGroupPolicyAdmin':
      return policyUpdate(walk, events, message, { admin: message.newAdmin });
    case 'cosmos.group.v1.MsgUpdateGroupPolicyDecisionPolicy': {
      const decisionPolicy = recordedAny(fromAny(message.decisionPolicy ?? emptyAny));
      return policyUpdate(walk, events, message, { decisionPolicy });
    }
    case 'cosmos.group.v1.MsgUpdateGroupPolicyMetadata':
      return policyUpdate(walk, events, message, { metadata: message.metadata });
  }
}

/**
 * Records what messages did. The messages ran in order, and their events are in the order in which they happened. Each message that the recorder knows
 * takes its own events. Returns the events that no message took: they come from others, such as contracts.
 */
async function walkMessages(walk: Walk, messages: readonly (GovernanceMessage | null)[], events: Events): Promise<Events> {
  let rest = events;
  for (const message of messages) if (message !== null) rest = await walkMessage(walk, message, rest);
  return rest;
}

/** A transaction that changed something of the group module. */
export interface GroupTransaction {
  readonly hash: string;
  /** Its messages; null for those that have no part in group governance. */
  readonly messages: readonly (GovernanceMessage | null)[];
  readonly events: readonly PlacedEvent[];
}

/** Records a transaction. The events of a message have its index; those without one are of the fees. */
export async function walkTransaction(ledger: Ledger, { hash, messages, events }: GroupTransaction): Promise<void> {
  ledger.enter(hash);
  const eventsOf = new Map<number, PlacedEvent[]>();
  const others: PlacedEvent[] = [];
  for (const placed of events) {
    const index = placed.message ?? messages.length;
    const sameMessage = index < messages.length ? (eventsOf.get(index) ?? []) : others;
    sameMessage.push(placed);
    if (sameMessage !== others) eventsOf.set(index, sameMessage);
  }
  const walk: Walk = { ledger, origin: 'MESSAGE', path: [] };
  for (const [index, message] of messages.entries()) {
    const messageEvents = eventsOf.get(index);
    if (messageEvents === undefined) continue;
    for (const { event } of await walkMessages(walk, [message], messageEvents)) await recordUnexplained(ledger, event);
  }
  for (const { event } of others) await recordUnexplained(ledger, event);
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

/** Whether an event of a block is of its end, after the transactions. */
function isOfBlockEnd({ attributes }: Event): boolean {
  for (const { key, value } of attributes) if (key === 'mode' && value === 'EndBlock') return true;
  return false;
}

/**
 * Records events of the block itself: those of its end, or those before the transactions. The actions of triggers and the messages of governance proposals
 * run there; an event that says so follows theirs. Returns the events after the last of them.
 */
export async function walkBlockEvents(
  ledger: Ledger,
  events: readonly Event[],
  part: 'BEGIN' | 'END',
  now: Pin,
): Promise<readonly PlacedEvent[]> {
  let waiting: Event[] = [];
  for (const event of events) {
    if (isOfBlockEnd(event) !== (part === 'END')) continue;
    if (isGroupEvent(event)) waiting.push(event);
    else if (waiting.length > 0) {
      const messages = await messagesBefore(event, now);
      if (messages === null) continue;
      const walk: Walk = { ledger, origin: 'OTHER', path: [] };
      const rest = await walkMessages(walk, messages.map(governanceMessage), placedEvents(waiting));
      for (const { event: other } of rest) await recordUnexplained(ledger, other);
      waiting = [];
    }
  }
  return placedEvents(waiting);
}
