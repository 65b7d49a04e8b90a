import { fromBinary } from '@bufbuild/protobuf';
import type { Event } from '../../chain/base/execution.ts';
import type { CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import { malformed } from '../../chain/wire/json.ts';
import { MsgSubmitProposalSchema } from '../../proto/cosmos/group/v1/tx_pb.js';
import { unrecognized } from '../../reads/input.ts';
import { eventFields, msgIndex } from '../events/events.ts';
import { signedTx } from '../transactions/query.ts';
import {
  type ProposalExecutorResult,
  type ProposalStatus,
  proposalExecutorResults,
  proposalStatuses,
  type TallyResult,
} from './model.ts';

/** An event of the group module (docs/chain.md, "Events of the group module"). The kind `other` is an event that has no use here. */
export type GroupEvent =
  | { readonly kind: 'submitted' | 'voted' | 'withdrawn' | 'tallyFailed'; readonly proposalId: bigint }
  | {
      readonly kind: 'executed';
      readonly proposalId: bigint;
      readonly result: ProposalExecutorResult;
      readonly logs: string;
    }
  | {
      readonly kind: 'pruned';
      readonly proposalId: bigint;
      /** The last status of the proposal. */
      readonly status: ProposalStatus;
      /** Null if the proposal was aborted or withdrawn. */
      readonly tally: TallyResult | null;
    }
  | { readonly kind: 'policyCreated' | 'policyUpdated'; readonly address: string }
  | { readonly kind: 'groupCreated' | 'groupUpdated'; readonly groupId: bigint }
  | { readonly kind: 'left'; readonly groupId: bigint; readonly address: string }
  | { readonly kind: 'other' };

const prefix = 'cosmos.group.v1.Event';

function textOf(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw malformed(`an event of the group module lacks ${name}`);
}

function idOf(fields: Record<string, unknown>, name: string): bigint {
  const text = textOf(fields, name);
  if (/^\d{1,20}$/.test(text)) return BigInt(text);
  throw malformed(`${name} in an event of the group module is not an id`);
}

/** Reads the tally of EventProposalPruned. Returns null if the event has none. A missing count is "0". */
function tallyOf(value: unknown): TallyResult | null {
  if (typeof value !== 'object' || value === null) return null;
  const counts = new Map(Object.entries(value));
  const count = (name: string): string => {
    const text: unknown = counts.get(name);
    return typeof text === 'string' && text !== '' ? text : '0';
  };
  return {
    yesCount: count('yesCount'),
    abstainCount: count('abstainCount'),
    noCount: count('noCount'),
    noWithVetoCount: count('noWithVetoCount'),
  };
}

function nameAmong<N extends string>(names: readonly N[], text: string): N | typeof unrecognized {
  return names.find((name) => name === text) ?? unrecognized;
}

/** Whether an event is of the group module. Decodes nothing. */
export function isGroupEvent({ type }: Event): boolean {
  return type.startsWith(prefix);
}

/** Reads an event of the group module. Returns null for all other events. Throws NODE_INVALID_RESPONSE if it is malformed. */
export function groupEventOf(event: Event): GroupEvent | null {
  if (!event.type.startsWith(prefix)) return null;
  const fields = eventFields(event) ?? {};
  switch (event.type.slice(prefix.length)) {
    case 'SubmitProposal':
      return { kind: 'submitted', proposalId: idOf(fields, 'proposalId') };
    case 'Vote':
      return { kind: 'voted', proposalId: idOf(fields, 'proposalId') };
    case 'WithdrawProposal':
      return { kind: 'withdrawn', proposalId: idOf(fields, 'proposalId') };
    case 'TallyError':
      return { kind: 'tallyFailed', proposalId: idOf(fields, 'proposalId') };
    case 'Exec': {
      const logs = typeof fields.logs === 'string' ? fields.logs : '';
      const result = nameAmong(proposalExecutorResults, textOf(fields, 'result'));
      return { kind: 'executed', proposalId: idOf(fields, 'proposalId'), result, logs };
    }
    case 'ProposalPruned': {
      const status = nameAmong(proposalStatuses, textOf(fields, 'status'));
      return { kind: 'pruned', proposalId: idOf(fields, 'proposalId'), status, tally: tallyOf(fields.tallyResult) };
    }
    case 'CreateGroupPolicy':
      return { kind: 'policyCreated', address: textOf(fields, 'address') };
    case 'UpdateGroupPolicy':
      return { kind: 'policyUpdated', address: textOf(fields, 'address') };
    case 'CreateGroup':
      return { kind: 'groupCreated', groupId: idOf(fields, 'groupId') };
    case 'UpdateGroup':
      return { kind: 'groupUpdated', groupId: idOf(fields, 'groupId') };
    case 'LeaveGroup':
      return { kind: 'left', groupId: idOf(fields, 'groupId'), address: textOf(fields, 'address') };
    default:
      return { kind: 'other' };
  }
}

export type GroupEvents = Readonly<ReturnType<typeof groupEvents>>;

/**
 * Events of the group module in one block: those of its transactions and those of the block itself (docs/chain.md, "Events of
 * the group module"). Proposals and groups are identified by id, policies by address. Throws NODE_INVALID_RESPONSE for a malformed event.
 */
export function groupEvents({ transactions, events }: Pick<CommittedBlock, 'transactions' | 'events'>) {
  const byKind = {
    isEmpty: true,
    submitted: new Set<bigint>(),
    voted: new Set<bigint>(),
    withdrawn: new Set<bigint>(),
    /** Attempted executions, with the result of the last attempt in the block. */
    executed: new Map<bigint, ProposalExecutorResult>(),
    /** The final states of the proposals that the chain deleted. The tally is null if the proposal was aborted or withdrawn. */
    pruned: new Map<bigint, { readonly status: ProposalStatus; readonly tally: TallyResult | null }>(),
    policyCreated: new Set<string>(),
    policyUpdated: new Set<string>(),
    groupCreated: new Set<bigint>(),
    /** Groups whose members, admin or metadata changed. The chain emits the same event for all three. */
    groupUpdated: new Set<bigint>(),
    /** Addresses of the members who left, by group id. */
    leavers: new Map<bigint, Set<string>>(),
  };
  for (const { result } of [...transactions, { result: { events } }]) {
    for (const each of result.events) {
      const event = groupEventOf(each);
      if (event === null) continue;
      byKind.isEmpty = false;
      // The kind tallyFailed has no use: the status of the proposal changes in the same block.
      if (event.kind === 'submitted' || event.kind === 'voted' || event.kind === 'withdrawn')
        byKind[event.kind].add(event.proposalId);
      else if (event.kind === 'executed') byKind.executed.set(event.proposalId, event.result);
      else if (event.kind === 'pruned') byKind.pruned.set(event.proposalId, { status: event.status, tally: event.tally });
      else if (event.kind === 'policyCreated' || event.kind === 'policyUpdated') byKind[event.kind].add(event.address);
      else if (event.kind === 'groupCreated' || event.kind === 'groupUpdated') byKind[event.kind].add(event.groupId);
      else if (event.kind === 'left')
        byKind.leavers.set(event.groupId, (byKind.leavers.get(event.groupId) ?? new Set()).add(event.address));
    }
  }
  return byKind;
}

const submitType = `/${MsgSubmitProposalSchema.typeName}`;

/**
 * Returns the group policy that a proposal was submitted to, read from the transaction in this block. A proposal that is
 * submitted and deleted in the same block is in no state. Returns undefined if the proposal was not submitted in this block, or
 * if a nested message submitted it (of an authorization or an executed proposal).
 */
export function policyOfSubmission({ transactions }: Pick<CommittedBlock, 'transactions'>, id: bigint): string | undefined {
  for (const { tx, result } of transactions) {
    const event = result.events.find(
      (each) => each.type === 'cosmos.group.v1.EventSubmitProposal' && eventFields(each)?.proposalId === id.toString(),
    );
    const index = event && msgIndex(event);
    if (index == null) continue;
    const message = signedTx(tx).decoded()?.body.messages[index];
    if (message?.typeUrl === submitType) return fromBinary(MsgSubmitProposalSchema, message.value).groupPolicyAddress;
  }
  return undefined;
}
