import type { GraphQLResolveInfo } from 'graphql';
import { type GovBallotRecord, type GovProposalRecord, type GovVoteRecord, govVoteKey } from '../../archive/govRecords.ts';
import { recordKey } from '../../archive/records.ts';
import type { RecordPageRequest } from '../../archive/store/reader.ts';
import { badInput } from '../../reads/errors.ts';
import { idInput } from '../../reads/input.ts';
import type { Page } from '../../reads/page.ts';
import { type Awaitable, andThen, both, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createInputRef, type GraphQLContext, rowsField, usesContext } from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, connectionOf, pageRequest } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { accountInput } from '../account/query.ts';
import { AccountRef } from '../account/schema.ts';
import { GovProposalRef } from '../gov/schema.ts';
import { stakingValidator } from '../staking/schema.ts';
import { ValidatorRef } from '../validators/schema.ts';
import {
  checkedGovFilter,
  type GovFilterInput,
  govAccountVoteListName,
  govProposalListName,
  govVoteListName,
} from './govFilter.ts';
import { type GovRecordLoaders, govRecordStores, govRecordsAt } from './govLoaders.ts';
import { addGovRecordTypes, govRecordStatus } from './govRecordSchema.ts';
import * as refs from './govRefs.ts';
import { readForRequest } from './loaders.ts';
import { recordArgs } from './recordSchema.ts';

const FilterRef = createInputRef<GovFilterInput>('GovProposalRecordFilter');

/** The most decided proposals that `govParticipation` looks at. */
const participationMax = 100;

/** Adds the records of the governance module: `Query.govProposalRecord(s)`, and the fields of other types. */
export function addGovRecords(builder: Builder): void {
  addConnection(builder, refs.GovProposalRecordRef, refs.GovProposalRecordConnectionRef, 'recorded governance proposals');
  addConnection(builder, refs.GovVoteRecordRef, refs.GovVoteRecordConnectionRef, 'recorded governance votes');
  addEntity(builder, refs.GovProposalRecordRef, { id: govRecordById });
  addGovRecordTypes(builder, { votesOf, voteOf });
  builder.inputType(FilterRef, {
    description: 'Conditions on recorded proposals of the governance module. They are combined with AND.',
    fields: (t) => ({
      status: t.field({ type: [govRecordStatus(builder)], description: 'The last status is one of these.' }),
      proposer: t.string({ description: 'Proposals that this account submitted.' }),
      voter: t.string({ description: 'Proposals that this account has voted on.' }),
      depositor: t.string({ description: 'Proposals that this account has deposited for.' }),
      missedBy: t.string({
        description:
          'Decided proposals that the validator with this `…valoper1…` address did not vote on, although it was bonded when they were decided.',
      }),
    }),
  });
  addQueries(builder);
  addFields(builder);
}

function govRecordById(root: Pinned<object>, id: string, context: GraphQLContext) {
  const key = idInput('id', id);
  return andThen(govRecordsAt(root, context), async (loaders) => {
    const record = loaders && (await loaders.record.load(key));
    return record && pinned(pinOf(root), record);
  });
}

/** Reads a page of a list of records under the pin of `parent`; null if the server has no archive. */
function page<T extends object>(
  parent: Pinned<object>,
  name: string,
  args: ConnectionArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  keyOf: (item: T) => Uint8Array,
  read: (loaders: GovRecordLoaders, request: RecordPageRequest) => Promise<Page<T>>,
): Awaitable<Connection<Pinned<T>> | null> {
  const pin = pinOf(parent);
  const request = pageRequest(pin, name, args, info);
  return andThen(govRecordsAt(parent, context), (loaders) => {
    if (loaders === null) return null;
    return read(loaders, request).then((items) => connectionOf(pin, name, items, keyOf));
  });
}

function votesOf(
  record: Pinned<GovProposalRecord>,
  args: ConnectionArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<GovVoteRecord>> | null> {
  return page(record, govVoteListName(record.id), args, context, info, govVoteKey, (loaders, request) =>
    loaders.votes(request).load(record),
  );
}

function voteOf(record: Pinned<GovProposalRecord>, voter: string, context: GraphQLContext) {
  const pin = pinOf(record);
  return both(accountInput(pin, 'voter', voter), govRecordsAt(record, context), async (address, loaders) => {
    const vote = loaders && (await loaders.vote(address).load(record));
    return vote && pinned(pin, vote);
  });
}

function addQueries(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    govProposalRecord: t.field({
      type: refs.GovProposalRecordRef,
      description:
        'The record of a proposal of the governance module, open or decided, also after the chain has deleted it. null if the archive has none with this id, and\nwithout an archive.',
      args: { id: t.arg.id({ required: true }) },
      resolve: usesContext((root, { id }, context) => govRecordById(root, id, context)),
    }),
    govProposalRecords: t.field({
      type: refs.GovProposalRecordConnectionRef,
      description: 'Recorded proposals of the governance module, newest first. null without an archive.',
      args: { filter: t.arg({ type: FilterRef }), ...recordArgs(builder) },
      resolve: usesContext((root, { filter: input, ...args }, context, info) =>
        andThen(checkedGovFilter(pinOf(root), input), (filter) =>
          page(root, govProposalListName(filter), args, context, info, recordKey, ({ reader }, request) =>
            readForRequest(reader.gov.recordPage(filter, request, pinOf(root).heightOf(govRecordStores))),
          ),
        ),
      ),
    }),
  }));
}

function participationOf(ballots: readonly GovBallotRecord[]): refs.GovParticipation {
  const votes = new Map<number, number>();
  for (const { options } of ballots) {
    if (options === null) continue;
    const [only] = options;
    const option = options.length === 1 && only !== undefined ? only.option : 0;
    votes.set(option, (votes.get(option) ?? 0) + 1);
  }
  return { decided: ballots.length, voted: ballots.filter(({ options }) => options !== null).length, votes };
}

function addFields(builder: Builder): void {
  builder.objectField(GovProposalRef, 'record', (t) =>
    t.field({
      type: refs.GovProposalRecordRef,
      description:
        'The record of this proposal: every vote with its transaction and its power at the close, deposits, and how it ended. null without an archive.',
      resolve: usesContext((proposal, _args, context) => govRecordById(proposal, proposal.id.toString(), context)),
    }),
  );
  builder.objectField(AccountRef, 'govVoteRecords', (t) =>
    t.field({
      type: refs.GovVoteRecordConnectionRef,
      description:
        'Votes that the account has cast on proposals of the governance module, newest first, also on decided ones. null without an archive.',
      args: recordArgs(builder),
      resolve: usesContext((account, args, context, info) =>
        page(account, govAccountVoteListName(account.address), args, context, info, govVoteKey, ({ reader }, request) =>
          readForRequest(reader.gov.votesByAccount(account.address, request, pinOf(account).heightOf(govRecordStores))),
        ),
      ),
    }),
  );
  builder.objectField(ValidatorRef, 'govParticipation', (t) =>
    t.field({
      extensions: rowsField({ points: 1, times: 'last' }),
      type: refs.GovParticipationRef,
      description:
        'How it voted on the last `last` decided proposals of the governance module (1 to 100) for which it was bonded. null without an archive, and if the staking\nmodule does not have it.',
      args: { last: t.arg.int({ defaultValue: 20 }) },
      resolve: usesContext((validator, { last }, context) => {
        const count = last ?? 20;
        if (count < 1 || count > participationMax) throw badInput('last', String(count), `from 1 to ${participationMax}`);
        return both(stakingValidator(validator), govRecordsAt(validator, context), async (staked, loaders) => {
          if (staked === null || loaders === null) return null;
          const asOf = pinOf(validator).heightOf(govRecordStores);
          return participationOf(await readForRequest(loaders.reader.gov.ballots(staked.operatorAddress, count, asOf)));
        });
      }),
    }),
  );
}
