import type { Event } from '../../../chain/base/execution.ts';
import type { CommittedBlock } from '../../../chain/blocks/blockLog.ts';
import { malformed } from '../../../chain/wire/decode.ts';
import { unrecognized } from '../../../reads/unrecognized.ts';
import { eventFields } from '../../events/events.ts';
import {
  type ProposalExecutorResult,
  type ProposalStatus,
  proposalExecutorResults,
  proposalStatuses,
  type TallyResult,
} from '../model.ts';

/** What a proposal was when the chain deleted it. `tally` is null when it was aborted or withdrawn. */
export interface PrunedProposal {
  readonly status: ProposalStatus;
  readonly tally: TallyResult | null;
}

/** What the chain told of groups in one block: its transactions' events and its own (chain.md 3.5). Proposals and groups by id, policies by address. */
export interface GroupEvents {
  /** Whether there are none at all. */
  readonly none: boolean;
  readonly submitted: ReadonlySet<bigint>;
  readonly voted: ReadonlySet<bigint>;
  readonly withdrawn: ReadonlySet<bigint>;
  /** Tries, each with what the last one of the block came to. */
  readonly executed: ReadonlyMap<bigint, ProposalExecutorResult>;
  readonly pruned: ReadonlyMap<bigint, PrunedProposal>;
  readonly createdPolicies: ReadonlySet<string>;
  readonly updatedPolicies: ReadonlySet<string>;
  readonly createdGroups: ReadonlySet<bigint>;
  /** In whatever way: members, admin or metadata. The chain has one event for all. */
  readonly updatedGroups: ReadonlySet<bigint>;
  /** Who left, by group. */
  readonly left: ReadonlyMap<bigint, ReadonlySet<string>>;
}

const prefix = 'cosmos.group.v1.Event';

function textOf(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw malformed(`an event of the group module has no ${name}`);
}

function idOf(fields: Record<string, unknown>, name: string): bigint {
  const text = textOf(fields, name);
  if (/^\d{1,20}$/.test(text)) return BigInt(text);
  throw malformed(`${name} of an event of the group module is no id`);
}

/** The tally in EventProposalPruned; null where the chain gave none. An absent count is "0". */
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

/** Reads the group module's events of a block. One that is not of their shape is NODE_INVALID_RESPONSE. */
export function groupEvents({ transactions, events }: Pick<CommittedBlock, 'transactions' | 'events'>): GroupEvents {
  const submitted = new Set<bigint>();
  const voted = new Set<bigint>();
  const withdrawn = new Set<bigint>();
  const executed = new Map<bigint, ProposalExecutorResult>();
  const pruned = new Map<bigint, PrunedProposal>();
  const createdPolicies = new Set<string>();
  const updatedPolicies = new Set<string>();
  const createdGroups = new Set<bigint>();
  const updatedGroups = new Set<bigint>();
  const left = new Map<bigint, Set<string>>();
  let none = true;

  function take(event: Event): void {
    if (!event.type.startsWith(prefix)) return;
    none = false;
    const fields = eventFields(event) ?? {};
    switch (event.type.slice(prefix.length)) {
      case 'SubmitProposal':
        submitted.add(idOf(fields, 'proposalId'));
        break;
      case 'Vote':
        voted.add(idOf(fields, 'proposalId'));
        break;
      case 'WithdrawProposal':
        withdrawn.add(idOf(fields, 'proposalId'));
        break;
      case 'Exec':
        executed.set(idOf(fields, 'proposalId'), named(proposalExecutorResults, textOf(fields, 'result')));
        break;
      case 'ProposalPruned': {
        const status = named(proposalStatuses, textOf(fields, 'status'));
        pruned.set(idOf(fields, 'proposalId'), { status, tally: tallyOf(fields.tallyResult) });
        break;
      }
      case 'CreateGroupPolicy':
        createdPolicies.add(textOf(fields, 'address'));
        break;
      case 'UpdateGroupPolicy':
        updatedPolicies.add(textOf(fields, 'address'));
        break;
      case 'CreateGroup':
        createdGroups.add(idOf(fields, 'groupId'));
        break;
      case 'UpdateGroup':
        updatedGroups.add(idOf(fields, 'groupId'));
        break;
      case 'LeaveGroup': {
        const group = idOf(fields, 'groupId');
        left.set(group, (left.get(group) ?? new Set()).add(textOf(fields, 'address')));
        break;
      }
      // EventTallyError tells of a proposal whose status changes, which is seen without it.
    }
  }

  for (const { result } of transactions) for (const event of result.events) take(event);
  for (const event of events) take(event);
  return {
    none,
    submitted,
    voted,
    withdrawn,
    executed,
    pruned,
    createdPolicies,
    updatedPolicies,
    createdGroups,
    updatedGroups,
    left,
  };
}
