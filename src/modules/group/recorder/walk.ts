import { create } from '@bufbuild/protobuf';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import type { RecordedOrigin } from '../../../archive/facts.ts';
import type { AnyMessage } from '../../../chain/wire/protoJson.ts';
import { Exec } from '../../../proto/cosmos/group/v1/tx_pb.js';
import { VoteOption } from '../../../proto/cosmos/group/v1/types_pb.js';
import { fromAny } from '../../any/codec.ts';
import type { GroupEvent } from '../state/groupEvent.ts';
import { recordedAny } from './convert.ts';
import type { Ledger } from './ledger.ts';
import { type GovernanceMessage, governanceMessage } from './messages.ts';

/** An event of the group module with the indexes of the authorized messages that it comes from, the outermost first. */
export interface PlacedEvent {
  readonly event: GroupEvent;
  readonly authorized: readonly number[];
}

/** How messages came to run. */
export interface Cause {
  /** The origin of a vote among them. */
  readonly origin: Exclude<RecordedOrigin, 'PROPOSER'>;
  /** The indexes of the authorized messages around them, the outermost first. */
  readonly path: readonly number[];
}

/** The events of some messages, which their walk takes one after the other. */
type Events = readonly PlacedEvent[];

function isAt({ authorized }: PlacedEvent, path: readonly number[]): boolean {
  return authorized.length === path.length && authorized.every((index, depth) => index === path[depth]);
}

const emptyAny: Any = create(AnySchema);

/**
 * Records what messages did. The messages ran in order, and their events are in the order in which they happened. Each message that the recorder knows
 * takes its own events; events that no message takes come from others, such as contracts, and are recorded with what the state shows of them.
 */
export async function walkMessages(
  ledger: Ledger,
  messages: readonly AnyMessage[],
  events: Events,
  cause: Cause,
): Promise<void> {
  for (const { event } of await walkAll(ledger, messages, events, cause)) await recordUnexplained(ledger, event);
}

/** Walks messages. Returns the events that follow theirs. */
async function walkAll(ledger: Ledger, messages: readonly AnyMessage[], events: Events, cause: Cause): Promise<Events> {
  let rest = events;
  for (const message of messages) {
    const known = governanceMessage(message);
    if (known !== null) rest = await createWalk(ledger, cause).message(known, rest);
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
    const taken = await take(events, matches);
    if (taken === null) return events;
    await record(taken.event);
    return taken.rest;
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
    const taken = await take(events, isSubmission);
    if (taken === null) return events;
    const { proposalId } = taken.event;
    await ledger.submitted(proposalId, message);
    let { rest } = taken;
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

  async function message(known: GovernanceMessage, events: Events): Promise<Events> {
    switch (known.kind) {
      case 'authorized': {
        let rest = events;
        for (const [index, inner] of known.message.msgs.entries()) {
          rest = await walkAll(ledger, [fromAny(inner)], rest, { origin: 'AUTHORIZATION', path: [...path, index] });
        }
        return rest;
      }
      case 'submit':
        return submission(known.message, events);
      case 'vote': {
        const { proposalId, voter, option, metadata, exec } = known.message;
        const taken = await take(events, ofProposal('voted', proposalId));
        if (taken === null) return events;
        await ledger.voted({ proposalId, voter, option, metadata, origin });
        return exec === Exec.TRY ? execution(proposalId, voter, taken.rest) : taken.rest;
      }
      case 'exec':
        return execution(known.message.proposalId, known.message.executor, events);
      case 'withdraw': {
        const { proposalId, address } = known.message;
        return taking(events, ofProposal('withdrawn', proposalId), () => ledger.withdrawn(proposalId, address));
      }
      case 'createGroup': {
        const { admin, metadata, members } = known.message;
        return taking(events, isGroup('groupCreated'), ({ groupId }) =>
          ledger.groupCreated({ groupId, version: 1n, admin, metadata }, members),
        );
      }
      case 'createPolicy': {
        const { admin, groupId, metadata, decisionPolicy = emptyAny } = known.message;
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
        } = known.message;
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
      case 'updateMembers': {
        const { groupId, admin, memberUpdates } = known.message;
        return taking(events, isGroup('groupUpdated', groupId), () =>
          ledger.groupChanged(groupId, { members: memberUpdates }, admin),
        );
      }
      case 'updateGroupAdmin': {
        const { groupId, admin, newAdmin } = known.message;
        return taking(events, isGroup('groupUpdated', groupId), () => ledger.groupChanged(groupId, { admin: newAdmin }, admin));
      }
      case 'updateGroupMetadata': {
        const { groupId, admin, metadata } = known.message;
        return taking(events, isGroup('groupUpdated', groupId), () => ledger.groupChanged(groupId, { metadata }, admin));
      }
      case 'leave': {
        const { groupId, address } = known.message;
        const isLeave = (event: GroupEvent): event is Extract<GroupEvent, { readonly kind: 'left' }> =>
          event.kind === 'left' && event.groupId === groupId && event.address === address;
        return taking(events, isLeave, () => ledger.left(groupId, address));
      }
      case 'updatePolicyAdmin': {
        const { groupPolicyAddress: address, admin, newAdmin } = known.message;
        return taking(events, isPolicy('policyUpdated', address), () =>
          ledger.policyChanged(address, { admin: newAdmin }, admin),
        );
      }
      case 'updateDecisionPolicy': {
        const { groupPolicyAddress: address, admin, decisionPolicy = emptyAny } = known.message;
        const change = { decisionPolicy: recordedAny(fromAny(decisionPolicy)) };
        return taking(events, isPolicy('policyUpdated', address), () => ledger.policyChanged(address, change, admin));
      }
      case 'updatePolicyMetadata': {
        const { groupPolicyAddress: address, admin, metadata } = known.message;
        return taking(events, isPolicy('policyUpdated', address), () => ledger.policyChanged(address, { metadata }, admin));
      }
    }
  }

  return { message };
}
