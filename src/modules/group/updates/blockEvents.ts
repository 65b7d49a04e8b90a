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
} from '../state/model.ts';

/** Final state of a proposal that the chain deleted. `tally` is null if the proposal was aborted or withdrawn. */
export interface PrunedProposal {
  readonly status: ProposalStatus;
  readonly tally: TallyResult | null;
}

/**
 * Events of the group module in one block: those of its transactions and those of the block itself (docs/chain.md, "Events of
 * the group module"). Proposals and groups are identified by id, policies by address.
 */
export interface GroupEvents {
  /** Whether the block has no event of the group module. */
  readonly isEmpty: boolean;
  readonly submitted: ReadonlySet<bigint>;
  readonly voted: ReadonlySet<bigint>;
  readonly withdrawn: ReadonlySet<bigint>;
  /** Attempted executions, with the result of the last attempt in the block. */
  readonly executed: ReadonlyMap<bigint, ProposalExecutorResult>;
  readonly pruned: ReadonlyMap<bigint, PrunedProposal>;
  readonly createdPolicies: ReadonlySet<string>;
  readonly updatedPolicies: ReadonlySet<string>;
  readonly createdGroups: ReadonlySet<bigint>;
  /** Groups whose members, admin or metadata changed. The chain emits the same event for all three. */
  readonly updatedGroups: ReadonlySet<bigint>;
  /** Addresses of the members who left, by group id. */
  readonly leavers: ReadonlyMap<bigint, ReadonlySet<string>>;
}

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

/** Reads the group module's events of a block. Throws NODE_INVALID_RESPONSE for a malformed event. */
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
  const leavers = new Map<bigint, Set<string>>();
  let isEmpty = true;

  function add(event: Event): void {
    if (!event.type.startsWith(prefix)) return;
    isEmpty = false;
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
        leavers.set(group, (leavers.get(group) ?? new Set()).add(textOf(fields, 'address')));
        break;
      }
      // EventTallyError needs no case: the status of the proposal changes in the same block.
    }
  }

  for (const { result } of transactions) for (const event of result.events) add(event);
  for (const event of events) add(event);
  return {
    isEmpty,
    submitted,
    voted,
    withdrawn,
    executed,
    pruned,
    createdPolicies,
    updatedPolicies,
    createdGroups,
    updatedGroups,
    leavers,
  };
}
