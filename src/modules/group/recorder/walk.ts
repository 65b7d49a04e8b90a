import { create, type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import type { RecordedOrigin } from '../../../archive/facts.ts';
import type { Event } from '../../../chain/base/execution.ts';
import { type AnyMessage, typeNameOf } from '../../../chain/wire/protoJson.ts';
import { type MsgExec as Authorized, MsgExecSchema as AuthorizedSchema } from '../../../proto/cosmos/authz/v1beta1/tx_pb.js';
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

/** A message that changes group governance by itself, or that carries such messages. */
type GovernanceMessage =
  | { readonly kind: 'authorized'; readonly message: Authorized }
  | { readonly kind: 'submit'; readonly message: tx.MsgSubmitProposal }
  | { readonly kind: 'vote'; readonly message: tx.MsgVote }
  | { readonly kind: 'exec'; readonly message: tx.MsgExec }
  | { readonly kind: 'withdraw'; readonly message: tx.MsgWithdrawProposal }
  | { readonly kind: 'createGroup'; readonly message: tx.MsgCreateGroup }
  | { readonly kind: 'createGroupWithPolicy'; readonly message: tx.MsgCreateGroupWithPolicy }
  | { readonly kind: 'createPolicy'; readonly message: tx.MsgCreateGroupPolicy }
  | { readonly kind: 'updateMembers'; readonly message: tx.MsgUpdateGroupMembers }
  | { readonly kind: 'updateGroupAdmin'; readonly message: tx.MsgUpdateGroupAdmin }
  | { readonly kind: 'updateGroupMetadata'; readonly message: tx.MsgUpdateGroupMetadata }
  | { readonly kind: 'leave'; readonly message: tx.MsgLeaveGroup }
  | { readonly kind: 'updatePolicyAdmin'; readonly message: tx.MsgUpdateGroupPolicyAdmin }
  | { readonly kind: 'updateDecisionPolicy'; readonly message: tx.MsgUpdateGroupPolicyDecisionPolicy }
  | { readonly kind: 'updatePolicyMetadata'; readonly message: tx.MsgUpdateGroupPolicyMetadata };

type Decode = (bytes: Uint8Array) => GovernanceMessage;

function decoder<D extends DescMessage>(
  schema: D,
  wrap: (message: MessageShape<D>) => GovernanceMessage,
): readonly [string, Decode] {
  return [schema.typeName, (bytes) => wrap(fromBinary(schema, bytes))];
}

const decoders: ReadonlyMap<string, Decode> = new Map([
  decoder(AuthorizedSchema, (message) => ({ kind: 'authorized', message })),
  decoder(tx.MsgSubmitProposalSchema, (message) => ({ kind: 'submit', message })),
  decoder(tx.MsgVoteSchema, (message) => ({ kind: 'vote', message })),
  decoder(tx.MsgExecSchema, (message) => ({ kind: 'exec', message })),
  decoder(tx.MsgWithdrawProposalSchema, (message) => ({ kind: 'withdraw', message })),
  decoder(tx.MsgCreateGroupSchema, (message) => ({ kind: 'createGroup', message })),
  decoder(tx.MsgCreateGroupWithPolicySchema, (message) => ({ kind: 'createGroupWithPolicy', message })),
  decoder(tx.MsgCreateGroupPolicySchema, (message) => ({ kind: 'createPolicy', message })),
  decoder(tx.MsgUpdateGroupMembersSchema, (message) => ({ kind: 'updateMembers', message })),
  decoder(tx.MsgUpdateGroupAdminSchema, (message) => ({ kind: 'updateGroupAdmin', message })),
  decoder(tx.MsgUpdateGroupMetadataSchema, (message) => ({ kind: 'updateGroupMetadata', message })),
  decoder(tx.MsgLeaveGroupSchema, (message) => ({ kind: 'leave', message })),
  decoder(tx.MsgUpdateGroupPolicyAdminSchema, (message) => ({ kind: 'updatePolicyAdmin', message })),
  decoder(tx.MsgUpdateGroupPolicyDecisionPolicySchema, (message) => ({ kind: 'updateDecisionPolicy', message })),
  decoder(tx.MsgUpdateGroupPolicyMetadataSchema, (message) => ({ kind: 'updatePolicyMetadata', message })),
]);

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

function replaceAddresses(message: Addressed): void {
  for (const field of addressFields) {
    const address = message[field];
    if (address !== undefined) message[field] = recordedAddress(address);
  }
  if (message.proposers !== undefined) message.proposers = message.proposers.map(recordedAddress);
  for (const member of [...(message.members ?? []), ...(message.memberUpdates ?? [])])
    member.address = recordedAddress(member.address);
}

/**
 * Decodes a message, with addresses as they are recorded. Returns null if its type has no part in group governance, or if its bytes are invalid.
 */
export function governanceMessage({ type, value }: AnyMessage): GovernanceMessage | null {
  try {
    const governance = decoders.get(typeNameOf(type))?.(value) ?? null;
    if (governance !== null && governance.kind !== 'authorized') replaceAddresses(governance.message);
    return governance;
  } catch {
    return null;
  }
}

/** An event of the group module with the indexes of the authorized messages that it comes from, the outermost first. */
interface PlacedEvent {
  readonly event: GroupEvent;
  readonly authorized: readonly number[];
}

interface Cause {
  /** The origin of a vote among them. */
  readonly origin: Exclude<RecordedOrigin, 'PROPOSER'>;
  /** The indexes of the authorized messages around them, the outermost first. */
  readonly path: readonly number[];
}

type Events = readonly PlacedEvent[];

function isAt({ authorized }: PlacedEvent, path: readonly number[]): boolean {
  return authorized.length === path.length && authorized.every((index, depth) => index === path[depth]);
}

const emptyAny: Any = create(AnySchema);

/**
 * Records what messages did. The messages ran in order, and their events are in the order in which they happened. Each message that the recorder knows
 * takes its own events; events that no message takes come from others, such as contracts, and are recorded with what the state shows of them.
 */
async function walkMessages(ledger: Ledger, messages: readonly AnyMessage[], events: Events, cause: Cause): Promise<void> {
  for (const { event } of await walkAll(ledger, messages, events, cause)) await recordUnexplained(ledger, event);
}

async function walkAll(ledger: Ledger, messages: readonly AnyMessage[], events: Events, cause: Cause): Promise<Events> {
  let rest = events;
  for (const message of messages) {
    const governance = governanceMessage(message);
    if (governance !== null) rest = await createWalk(ledger, cause).message(governance, rest);
  }
  return rest;
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

/** The walk of messages with one cause. Each function takes the events of what it records, and returns those that follow. */
function createWalk(ledger: Ledger, cause: Cause) {
  const { origin, path } = cause;

  /** Takes the first event that matches. The events before it come from others. Returns null if there is none: nothing was recorded then. */
  async function take<E extends GroupEvent>(
    events: Events,
    matches: (event: GroupEvent) => event is E,
  ): Promise<{ readonly event: E; readonly rest: Events } | null> {
    for (const [index, placed] of events.entries()) {
      const { event } = placed;
      if (!matches(event) || !isAt(placed, path)) continue;
      for (const { event: other } of events.slice(0, index)) await recordUnexplained(ledger, other);
      return { event, rest: events.slice(index + 1) };
    }
    return null;
  }

  type OfProposal = Extract<GroupEvent, { readonly proposalId: bigint }>;
  const ofProposal =
    <K extends OfProposal['kind']>(kind: K, id: bigint) =>
    (event: GroupEvent): event is Extract<OfProposal, { readonly kind: K }> =>
      event.kind === kind && 'proposalId' in event && event.proposalId === id;

  /** Takes an event and records what it means. Without the event, the message did nothing. */
  async function taking<E extends GroupEvent>(
    events: Events,
    matches: (event: GroupEvent) => event is E,
    record: (event: E) => Promise<void> | void,
  ): Promise<Events> {
    const match = await take(events, matches);
    if (match === null) return events;
    await record(match.event);
    return match.rest;
  }

  /** An attempt to execute a proposal. If it succeeded, the events of the proposal's messages come before its deletion. */
  async function execution(id: bigint, executor: string, events: Events): Promise<Events> {
    const first = events.find((placed) => ofProposal('executed', id)(placed.event) && isAt(placed, path))?.event;
    let rest = events;
    if (first?.kind === 'executed' && first.result === 'PROPOSAL_EXECUTOR_RESULT_SUCCESS') {
      const end = events.findIndex((placed) => ofProposal('pruned', id)(placed.event) && isAt(placed, path));
      const messages = await ledger.accepted(id, executor);
      await walkMessages(ledger, messages ?? [], events.slice(0, Math.max(end, 0)), { origin: 'PROPOSAL', path });
      rest = await taking(events.slice(Math.max(end, 0)), ofProposal('pruned', id), (event) => ledger.pruned(event));
    }
    return taking(rest, ofProposal('executed', id), (event) => ledger.executed(event, executor));
  }

  async function submission(
    message: Extract<GovernanceMessage, { readonly kind: 'submit' }>['message'],
    events: Events,
  ): Promise<Events> {
    const isSubmission = (event: GroupEvent): event is OfProposal => event.kind === 'submitted';
    const match = await take(events, isSubmission);
    if (match === null) return events;
    const { proposalId } = match.event;
    await ledger.submitted(proposalId, message);
    let { rest } = match;
    const [executor] = message.proposers;
    if (message.exec !== Exec.TRY || executor === undefined) return rest;
    for (const voter of message.proposers) {
      rest = await taking(rest, ofProposal('voted', proposalId), () =>
        ledger.voted({ proposalId, voter, option: VoteOption.YES, metadata: '', origin: 'PROPOSER' }),
      );
    }
    return execution(proposalId, executor, rest);
  }

  const isGroup =
    <K extends 'groupCreated' | 'groupUpdated'>(kind: K, id?: bigint) =>
    (event: GroupEvent): event is Extract<GroupEvent, { readonly groupId: bigint }> =>
      event.kind === kind && 'groupId' in event && (id === undefined || event.groupId === id);
  const isPolicy =
    (kind: 'policyCreated' | 'policyUpdated', address?: string) =>
    (event: GroupEvent): event is Extract<GroupEvent, { readonly kind: 'policyCreated' | 'policyUpdated' }> =>
      event.kind === kind && 'address' in event && (address === undefined || event.address === address);

  function groupUpdate(
    { groupId, admin }: { readonly groupId: bigint; readonly admin: string },
    change: GroupChange,
    events: Events,
  ): Promise<Events> {
    return taking(events, isGroup('groupUpdated', groupId), () => ledger.groupChanged(groupId, change, admin));
  }

  function policyUpdate(
    { groupPolicyAddress: address, admin }: { readonly groupPolicyAddress: string; readonly admin: string },
    change: PolicyChange,
    events: Events,
  ): Promise<Events> {
    return taking(events, isPolicy('policyUpdated', address), () => ledger.policyChanged(address, change, admin));
  }

  async function message(chainMessage: GovernanceMessage, events: Events): Promise<Events> {
    switch (chainMessage.kind) {
      case 'authorized': {
        let rest = events;
        for (const [index, inner] of chainMessage.message.msgs.entries()) {
          rest = await walkAll(ledger, [fromAny(inner)], rest, { origin: 'AUTHORIZATION', path: [...path, index] });
        }
        return rest;
      }
      case 'submit':
        return submission(chainMessage.message, events);
      case 'vote': {
        const { proposalId, voter, option, metadata, exec } = chainMessage.message;
        const match = await take(events, ofProposal('voted', proposalId));
        if (match === null) return events;
        await ledger.voted({ proposalId, voter, option, metadata, origin });
        return exec === Exec.TRY ? execution(proposalId, voter, match.rest) : match.rest;
      }
      case 'exec':
        return execution(chainMessage.message.proposalId, chainMessage.message.executor, events);
      case 'withdraw': {
        const { proposalId, address } = chainMessage.message;
        return taking(events, ofProposal('withdrawn', proposalId), () => ledger.withdrawn(proposalId, address));
      }
      case 'createGroup': {
        const { admin, metadata, members } = chainMessage.message;
        return taking(events, isGroup('groupCreated'), ({ groupId }) =>
          ledger.groupCreated({ groupId, version: 1n, admin, metadata }, members),
        );
      }
      case 'createPolicy': {
        const { admin, groupId, metadata, decisionPolicy = emptyAny } = chainMessage.message;
        return taking(events, isPolicy('policyCreated'), ({ address }) =>
          ledger.policyCreated({
            address,
            groupId,
            version: 1n,
            admin,
            metadata,
            decisionPolicy: recordedAny(fromAny(decisionPolicy)),
          }),
        );
      }
      case 'createGroupWithPolicy': {
        const {
          admin,
          members,
          groupMetadata,
          groupPolicyMetadata,
          groupPolicyAsAdmin,
          decisionPolicy = emptyAny,
        } = chainMessage.message;
        const group = await take(events, isGroup('groupCreated'));
        if (group === null) return events;
        const { groupId } = group.event;
        ledger.groupCreated({ groupId, version: 1n, admin, metadata: groupMetadata }, members);
        const policy = await take(group.rest, isPolicy('policyCreated'));
        if (policy === null) return group.rest;
        const { address } = policy.event;
        const decision = recordedAny(fromAny(decisionPolicy));
        const version = { address, groupId, version: 1n, admin, metadata: groupPolicyMetadata, decisionPolicy: decision };
        ledger.policyCreated(version);
        if (!groupPolicyAsAdmin) return policy.rest;
        const change = { admin: address };
        const rest = await taking(policy.rest, isGroup('groupUpdated', groupId), () =>
          ledger.groupChanged(groupId, change, admin),
        );
        return taking(rest, isPolicy('policyUpdated', address), () => ledger.policyChanged(address, change, admin));
      }
      case 'updateMembers':
        return groupUpdate(chainMessage.message, { members: chainMessage.message.memberUpdates }, events);
      case 'updateGroupAdmin':
        return groupUpdate(chainMessage.message, { admin: chainMessage.message.newAdmin }, events);
      case 'updateGroupMetadata':
        return groupUpdate(chainMessage.message, { metadata: chainMessage.message.metadata }, events);
      case 'leave': {
        const { groupId, address } = chainMessage.message;
        const isLeave = (event: GroupEvent): event is Extract<GroupEvent, { readonly kind: 'left' }> =>
          event.kind === 'left' && event.groupId === groupId && event.address === address;
        return taking(events, isLeave, () => ledger.left(groupId, address));
      }
      case 'updatePolicyAdmin':
        return policyUpdate(chainMessage.message, { admin: chainMessage.message.newAdmin }, events);
      case 'updateDecisionPolicy': {
        const { decisionPolicy = emptyAny } = chainMessage.message;
        return policyUpdate(chainMessage.message, { decisionPolicy: recordedAny(fromAny(decisionPolicy)) }, events);
      }
      case 'updatePolicyMetadata':
        return policyUpdate(chainMessage.message, { metadata: chainMessage.message.metadata }, events);
    }
  }

  return { message };
}

/** The indexes of the authorized messages that an event comes from. The chain appends them from the innermost to the outermost. */
function authorizedOf({ attributes }: Event): readonly number[] {
  const indexes = attributes.filter(({ key }) => key === 'authz_msg_index').map(({ value }) => Number(value));
  return indexes.toReversed();
}

/** The events of the group module among `events`, in order, with addresses as they are recorded. */
export function placedEvents(events: readonly Event[]): readonly PlacedEvent[] {
  return events.flatMap((event) => {
    const groupEvent = groupEventOf(event);
    if (groupEvent === null) return [];
    const recordedEvent =
      'address' in groupEvent ? { ...groupEvent, address: recordedAddress(groupEvent.address) } : groupEvent;
    return [{ event: recordedEvent, authorized: authorizedOf(event) }];
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
    const sameMessage = index < messages.length ? (eventsOf.get(index) ?? []) : others;
    sameMessage.push(event);
    if (sameMessage !== others) eventsOf.set(index, sameMessage);
  }
  for (const [index, message] of messages.entries()) {
    const messageEvents = eventsOf.get(index);
    if (messageEvents !== undefined)
      await walkMessages(ledger, [message], placedEvents(messageEvents), { origin: 'MESSAGE', path: [] });
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
