import { badInput } from '../../reads/errors.ts';
import { idInput } from '../../reads/input.ts';
import { andThen, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, type GraphQLContext, liveField, rowsField, usesContext } from '../../schema/builder.ts';
import { addConnection } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { AccountRef } from '../account/schema.ts';
import { GroupPolicyRef, GroupRef, groupEnums, ProposalRef } from '../group/refs.ts';
import { TransactionConnectionRef } from '../transactions/schema.ts';
import { addArchive } from './archiveSchema.ts';
import { proposalRecords, transactionsByAccount, votesByAccount } from './connections.ts';
import { addFilter, FilterRef } from './filter.ts';
import { readForRequest, recordStores, recordsAt } from './loaders.ts';
import { addProposalRecord, addRecordParts, keyedArgs, recordArgs } from './recordSchema.ts';
import * as refs from './refs.ts';
import { addRecordEnums } from './refs.ts';

/** The most closed proposals that `participation` looks at. */
const participationMax = 100;

/** Adds the records of the archive: `Query.archive`, the records of proposals, and their fields of other types. */
export function addRecords(builder: Builder): void {
  addConnection(builder, refs.ProposalRecordRef, refs.ProposalRecordConnectionRef, 'recorded proposals');
  addConnection(builder, refs.VoteRecordRef, refs.VoteRecordConnectionRef, 'recorded votes');
  addConnection(builder, refs.ElectorRef, refs.ElectorConnectionRef, 'electors');
  addEntity(builder, refs.ProposalRecordRef, { id: recordById });
  const group = groupEnums(builder);
  const enums = { ...addRecordEnums(builder), ...group };
  addFilter(builder, group);
  addRecordParts(builder, enums);
  addProposalRecord(builder, enums);
  addArchive(builder);
  addQueries(builder);
  addFields(builder);
}

function recordById(root: Pinned<object>, id: string, context: GraphQLContext) {
  const key = idInput('id', id);
  return andThen(recordsAt(root, context), async (loaders) => {
    const record = loaders && (await loaders.record.load(key));
    return record && pinned(pinOf(root), record);
  });
}

function addQueries(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    proposalRecord: t.field({
      type: refs.ProposalRecordRef,
      description:
        'The record of a proposal, open or closed, also after the chain has deleted it. null if the archive has none with this id, and without an archive.',
      args: { id: t.arg.id({ required: true }) },
      resolve: usesContext((root, { id }, context) => recordById(root, id, context)),
    }),
    proposalRecords: t.field({
      type: refs.ProposalRecordConnectionRef,
      description: 'Recorded proposals, newest first. null without an archive.',
      args: { filter: t.arg({ type: FilterRef }), ...recordArgs(builder) },
      resolve: usesContext((root, { filter, ...args }, context, info) => proposalRecords(root, filter, args, context, info)),
    }),
  }));
}

function addFields(builder: Builder): void {
  builder.objectField(ProposalRef, 'record', (t) =>
    t.field({
      type: refs.ProposalRecordRef,
      description:
        'The record of this proposal: when it was submitted, every vote with its transaction, and how it ended. null without an archive.',
      resolve: usesContext((proposal, _args, context) => recordById(proposal, proposal.id.toString(), context)),
    }),
  );
  builder.objectFields(GroupRef, (t) => ({
    proposalRecords: t.field({
      type: refs.ProposalRecordConnectionRef,
      description: 'Recorded proposals of all policies of the group, newest first. null without an archive.',
      args: { filter: t.arg({ type: FilterRef }), ...recordArgs(builder) },
      resolve: usesContext((group, { filter, ...args }, context, info) =>
        proposalRecords(group, { ...filter, groupId: group.id.toString() }, args, context, info),
      ),
    }),
    participation: t.field({
      extensions: rowsField({ points: 10, times: 'last' }),
      type: [refs.ParticipationRef],
      description:
        'For each member now in the group: how many of the last `last` closed proposals (1 to 100) it could vote on and did. null without an archive, and if\nthe members are not known.',
      args: { last: t.arg.int({ defaultValue: 20 }) },
      resolve: usesContext((group, { last }, context) => {
        const count = last ?? 20;
        if (count < 1 || count > participationMax) throw badInput('last', String(count), `from 1 to ${participationMax}`);
        return andThen(recordsAt(group, context), async (loaders) => {
          const pin = pinOf(group);
          const members =
            loaders && (await readForRequest(loaders.reader.participation(group.id, count, pin.heightOf(recordStores))));
          return members?.map((one) => pinned(pin, one));
        });
      }),
    }),
  }));
  builder.objectField(GroupPolicyRef, 'proposalRecords', (t) =>
    t.field({
      type: refs.ProposalRecordConnectionRef,
      description: 'Recorded proposals of the policy, newest first. null without an archive.',
      args: { filter: t.arg({ type: FilterRef }), ...recordArgs(builder) },
      resolve: usesContext((policy, { filter, ...args }, context, info) =>
        proposalRecords(policy, { ...filter, groupPolicyAddress: policy.address }, args, context, info),
      ),
    }),
  );
  const TransactionRoleEnum = builder.enumType('TransactionRole', {
    description: 'The part of an account in a transaction.',
    values: {
      SIGNER: { description: 'The account signed it.' },
      ANY: { description: 'The account signed it, or an event of the transaction names it.' },
    },
  });
  builder.objectField(AccountRef, 'transactions', (t) =>
    t.field({
      type: TransactionConnectionRef,
      description:
        'Transactions that the account signed or took part in, newest first. null without an archive of mode FULL. Only transactions in blocks that the archive\nholds.',
      // Contents of blocks expire, and older blocks are filled in.
      extensions: liveField,
      args: { role: t.arg({ type: TransactionRoleEnum, defaultValue: 'ANY' }), ...keyedArgs(builder) },
      resolve: usesContext(transactionsByAccount),
    }),
  );
  builder.objectField(AccountRef, 'voteRecords', (t) =>
    t.field({
      type: refs.VoteRecordConnectionRef,
      description:
        'Votes that the account has cast, newest first, also on proposals that the chain has deleted. null without an archive.',
      args: recordArgs(builder),
      resolve: usesContext(votesByAccount),
    }),
  );
}
