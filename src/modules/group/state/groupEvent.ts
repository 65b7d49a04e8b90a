import type { Event } from '../../../chain/base/execution.ts';
import { malformed } from '../../../chain/wire/json.ts';
import { unrecognized } from '../../../reads/input.ts';
import { eventFields } from '../../events/events.ts';
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

function named<N extends string>(names: readonly N[], text: string): N | typeof unrecognized {
  return names.find((name) => name === text) ?? unrecognized;
}

/** Whether an event is of the group module. Decodes nothing. */
export function isGroupEvent({ type }: Event): boolean {
  return type.startsWith(prefix);
}

/** Reads an event of the group module. Returns null for all other events. Throws NODE_INVALID_RESPONSE if it is malformed. */
export function groupEventOf(event: Event): GroupEvent | null {
  if (!isGroupEvent(event)) return null;
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
      const result = named(proposalExecutorResults, textOf(fields, 'result'));
      return { kind: 'executed', proposalId: idOf(fields, 'proposalId'), result, logs };
    }
    case 'ProposalPruned': {
      const status = named(proposalStatuses, textOf(fields, 'status'));
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
