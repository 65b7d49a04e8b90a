import type { Event } from '../../../chain/base/execution.ts';
import type { CommittedBlock } from '../../../chain/blocks/blockLog.ts';
import { groupEventOf } from '../state/groupEvent.ts';
import type { ProposalExecutorResult, ProposalStatus, TallyResult } from '../state/model.ts';

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
    const read = groupEventOf(event);
    if (read === null) return;
    isEmpty = false;
    switch (read.kind) {
      case 'submitted':
        submitted.add(read.proposalId);
        break;
      case 'voted':
        voted.add(read.proposalId);
        break;
      case 'withdrawn':
        withdrawn.add(read.proposalId);
        break;
      case 'executed':
        executed.set(read.proposalId, read.result);
        break;
      case 'pruned':
        pruned.set(read.proposalId, { status: read.status, tally: read.tally });
        break;
      case 'policyCreated':
        createdPolicies.add(read.address);
        break;
      case 'policyUpdated':
        updatedPolicies.add(read.address);
        break;
      case 'groupCreated':
        createdGroups.add(read.groupId);
        break;
      case 'groupUpdated':
        updatedGroups.add(read.groupId);
        break;
      case 'left':
        leavers.set(read.groupId, (leavers.get(read.groupId) ?? new Set()).add(read.address));
        break;
      // The kind tallyFailed needs no case: the status of the proposal changes in the same block.
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
