import { idInput } from '../../reads/input.ts';
import { andThen } from '../../reads/loader.ts';
import { pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { addConnection } from '../../schema/connection.ts';
import { addEntity } from '../../schema/entities.ts';
import { accountInput } from '../account/query.ts';
import { addAccountFields } from './accountFields.ts';
import { addDecisionPolicies } from './decisionPolicySchema.ts';
import { addGroups } from './groupSchema.ts';
import { groupAt, groupPolicyAt, proposalAt } from './lookups.ts';
import { addProposals } from './proposalSchema.ts';
import { addGroupQueries } from './querySchema.ts';
import { groupEnums } from './state/enums.ts';
import * as refs from './state/refs.ts';
import { addGroupUpdates } from './updates/updateSchema.ts';

/** Adds the group module: its types, queries and subscriptions, and its fields of `Account`. */
export function addGroup(builder: Builder): void {
  addConnection(builder, refs.ProposalRef, refs.ProposalConnectionRef, 'proposals');
  addConnection(builder, refs.VoteRef, refs.VoteConnectionRef, 'votes');
  addConnection(builder, refs.GroupRef, refs.GroupConnectionRef, 'groups');
  addConnection(builder, refs.GroupMemberRef, refs.GroupMemberConnectionRef, 'group members');
  addConnection(builder, refs.GroupPolicyRef, refs.GroupPolicyConnectionRef, 'group policies');
  addEntity(builder, refs.ProposalRef, { id: (root, id) => proposalAt(root, idInput('id', id)) });
  addEntity(builder, refs.GroupRef, { id: (root, id) => groupAt(root, idInput('id', id)) });
  addEntity(builder, refs.GroupPolicyRef, {
    address: (root, address) => andThen(accountInput(pinOf(root), 'address', address), (of) => groupPolicyAt(root, of)),
  });
  const enums = groupEnums(builder);
  addProposals(builder, enums);
  addGroups(builder, enums);
  addDecisionPolicies(builder);
  addGroupQueries(builder);
  addAccountFields(builder, enums);
  addGroupUpdates(builder, enums);
}
