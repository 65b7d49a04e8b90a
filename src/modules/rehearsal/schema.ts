import { createHash } from 'node:crypto';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { ProposalRecord } from '../../archive/records.ts';
import { typeNameOf } from '../../chain/wire/protoJson.ts';
import { type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import {
  type Builder,
  createRef,
  type GraphQLContext,
  liveField,
  nonNull,
  nonNullList,
  rowsField,
  usesContext,
} from '../../schema/builder.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { accountInput, createAccountLoaders } from '../account/query.ts';
import { accountField, accountOrNull } from '../account/schema.ts';
import { messageInput } from '../any/messageInput.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { displayOf } from '../bank/query.ts';
import { coinsField, DisplayAmountRef } from '../bank/schema.ts';
import { EventRef } from '../events/schema.ts';
import { GovProposalRef } from '../gov/schema.ts';
import type { GroupPolicy, Proposal } from '../group/model.ts';
import { createGroupLoaders } from '../group/query.ts';
import { ProposalRef } from '../group/refs.ts';
import { recordsAt } from '../records/loaders.ts';
import { ProposalRecordRef } from '../records/refs.ts';
import { summaryOf } from '../summaries/schema.ts';
import { CannotRehearse, type Cause, causes } from './causes.ts';
import { packed } from './envelope.ts';
import { rehearsalsOf } from './keeper.ts';
import { keepRehearsal, readKept } from './recorded.ts';
import { type BalanceChange, cannotRehearse, type Rehearsal, type RehearsalOutcome, rehearse } from './rehearsal.ts';
import type { Movement } from './result.ts';

type PinnedRehearsal = Pinned<Rehearsal>;
type PinnedRecorded = Pinned<Rehearsal & { readonly agreed: boolean | null }>;

const RehearsalRef = createRef<PinnedRehearsal>('Rehearsal');
const RecordedRehearsalRef = createRef<PinnedRecorded>('RecordedRehearsal');
const FailedMessageRef = createRef<Pinned<NonNullable<Rehearsal['failed']>>>('RehearsedFailure');
const MovementRef = createRef<Pinned<Movement>>('RehearsedTransfer');
const BalanceChangeRef = createRef<Pinned<BalanceChange>>('RehearsedBalance');

/** A rehearsal costs as much as the objects of its lists, and the simulation. */
const rehearsalPoints = 10;

/** Blocks that the head may move while a request waits. A request for an older block is one for the past. */
const recentBlocks = 3n;

/** The runs that streams of several callers share. */
const sharedRuns = 4;

/** The name of the caller that a pin reads for. */
const createCaller = ({ caller }: { readonly caller: string | undefined }) => ({ caller });

/** Rehearses at most once a block, under the pin. `name` is equal for equal proposals. */
async function rehearsalAt(
  pin: Pin,
  { limits, outcome, viewer }: GraphQLContext,
  name: string,
  policy: GroupPolicy,
  what: Proposal | readonly Any[],
): Promise<PinnedRehearsal> {
  // It is of the newest block, whatever the height of the request.
  outcome.immutable = false;
  if (viewer.isAnonymous === true) return pinned(pin, cannotRehearse(new CannotRehearse('NO_TOKEN')));
  const { client, height } = pin;
  const newest = client.head.current()?.height ?? height;
  if (height + recentBlocks < newest) return pinned(pin, cannotRehearse(new CannotRehearse('PAST')));
  const { caller } = pin.loaders(createCaller);
  const keeper = rehearsalsOf(client);
  const most = limits['rehearsal.perMinute'];
  const spend = (): (() => void) | undefined => keeper.spend(caller ?? '', caller === undefined ? sharedRuns * most : most);
  const bounds = { bytes: limits['simulation.bytes'], spend };
  const run = async (): Promise<Rehearsal> => {
    const rehearsal = await rehearse(client, height, policy, what, bounds);
    if ('messages' in what) keepRehearsal(client, what.id, rehearsal);
    return rehearsal;
  };
  return pinned(pin, await keeper.at(name, height, run));
}

/** The kept rehearsal of a recorded proposal, and whether it agreed with its execution. */
async function ofRecord(record: Pinned<ProposalRecord>, context: GraphQLContext): Promise<PinnedRecorded | null> {
  const loaders = await recordsAt(record, context);
  const recorded = (await loaders?.rehearsal.load(record)) ?? null;
  return recorded === null ? null : pinned(pinOf(record), { ...readKept(recorded.content), agreed: recorded.agreed });
}

async function ofProposal(proposal: Pinned<Proposal>, context: GraphQLContext): Promise<PinnedRehearsal | null> {
  const pin = pinOf(proposal);
  const policy = await pin.loaders(createGroupLoaders).groupPolicy.load(proposal.groupPolicyAddress);
  if (policy === null) return null;
  return rehearsalAt(pin, context, `proposal ${proposal.id}`, policy, proposal);
}

async function ofMessages(
  root: Pinned<object>,
  { groupPolicyAddress, messages }: { readonly groupPolicyAddress: string; readonly messages: readonly unknown[] },
  context: GraphQLContext,
): Promise<PinnedRehearsal | null> {
  const pin = pinOf(root);
  const address = await accountInput(pin, 'groupPolicyAddress', groupPolicyAddress);
  const inputs = await Promise.all(messages.map((message, index) => messageInput(pin, `messages[${index}]`, message)));
  const anys = inputs.map(({ type, value }) => packed(typeNameOf(type), value));
  const policy = await pin.loaders(createGroupLoaders).groupPolicy.load(address);
  if (policy === null) {
    const account = await pin.loaders(createAccountLoaders).account.load(address);
    return account?.moduleName === 'gov' ? pinned(pin, cannotRehearse(new CannotRehearse('GOVERNANCE_MODULE'))) : null;
  }
  const hash = createHash('sha256').update(address);
  for (const { typeUrl, value } of anys) hash.update(`${typeUrl} ${value.length} `).update(value);
  return rehearsalAt(pin, context, `messages ${hash.digest('hex')}`, policy, anys);
}

/** Adds what a proposal would do: `Proposal.rehearsal`, `GovProposal.rehearsal` and `Query.rehearse`. */
export function addRehearsals(builder: Builder): void {
  addTypes(builder);
  const price = rowsField({ points: rehearsalPoints });
  builder.objectField(ProposalRef, 'rehearsal', (t) =>
    t.field({
      type: RehearsalRef,
      description:
        'derived: what would happen if the proposal ran now, by a simulation on the newest block, with the votes that it still needs taken for granted. It\nneeds a node for simulations. Run again at a later block only if a store that it touched has changed, or if it failed. null if its policy is gone.',
      extensions: price,
      resolve: usesContext((proposal, _args, context) => ofProposal(proposal, context)),
    }),
  );
  builder.objectField(GovProposalRef, 'rehearsal', (t) =>
    t.field({
      type: RehearsalRef,
      description:
        'derived: always CANNOT_REHEARSE, because no node simulates what the account of the governance module would sign.',
      resolve: (proposal) => pinned(pinOf(proposal), cannotRehearse(new CannotRehearse('GOVERNANCE_MODULE'))),
    }),
  );
  builder.objectType(RecordedRehearsalRef, {
    description: 'The last rehearsal of a proposal that this server ran, beside its execution.',
    fields: (t) => ({
      rehearsal: t.field({
        ...nonNull(RehearsalRef, 'The rehearsal, as it was.'),
        resolve: (recorded) => recorded,
      }),
      agreed: t.exposeBoolean('agreed', {
        description:
          'Whether the first execution after it succeeded or failed as the rehearsal said. null if there was none at this height.',
      }),
    }),
  });
  builder.objectField(ProposalRecordRef, 'rehearsal', (t) =>
    t.field({
      type: RecordedRehearsalRef,
      description:
        'The last rehearsal of the proposal that was run on this archive, up to this height. Only those that somebody asked for are known. null if there is none.',
      extensions: { ...liveField, ...price },
      resolve: usesContext((record, _args, context) => ofRecord(record, context)),
    }),
  );
  addHeightFields(builder, (t) => ({
    rehearse: t.field({
      type: RehearsalRef,
      description:
        'derived: what these messages would do as a proposal of a group policy that is accepted and runs now. `messages` are protobuf JSON with `@type`, as in\n`AnyMessage.json`. null if there is no such policy. It runs\non the newest block: for a block in the past it is CANNOT_REHEARSE.',
      extensions: price,
      args: {
        groupPolicyAddress: t.arg.string({ required: true }),
        messages: t.arg({ type: ['JSON'], required: { list: true, items: true } }),
      },
      resolve: usesContext((root, args, context) => ofMessages(root, args, context)),
    }),
  }));
}

function addTypes(builder: Builder): void {
  const OutcomeRef = builder.enumType('RehearsalOutcome', {
    description: 'How a rehearsal ends.',
    values: {
      SUCCEEDS: { description: 'All messages would be executed.' },
      FAILS: { description: 'A message would fail, and nothing would be changed.' },
      CANNOT_REHEARSE: { description: 'It is not known what would happen. `cause` and `reason` say why.' },
    } satisfies Record<RehearsalOutcome, object>,
  });
  const CauseRef = builder.enumType('RehearsalCause', {
    description: 'Why a proposal cannot be rehearsed.',
    values: Object.fromEntries(Object.entries(causes).map(([name, description]) => [name, { description }])) as Record<
      Cause,
      { description: string }
    >,
  });
  builder.objectType(RehearsalRef, {
    description: 'derived: what would happen if a proposal ran after the block `height`.',
    fields: (t) => ({
      outcome: t.expose('outcome', { type: OutcomeRef, nullable: false, description: 'How it ends.' }),
      cause: t.expose('cause', { type: CauseRef, description: 'Why it cannot be rehearsed; null if it was.' }),
      reason: t.exposeString('reason', {
        description: 'Why it fails or cannot be rehearsed, in a sentence; null if it succeeds.',
      }),
      assumption: t.exposeString('assumption', {
        description: 'What is taken for granted: whose votes, or which copy of the proposal. null if nothing was run.',
      }),
      height: t.expose('height', {
        type: 'Int64',
        description:
          'The block after which it ran. It can be older than the answer, if nothing that it touched has changed since. null if nothing was run.',
      }),
      failedMessage: t.field({
        type: FailedMessageRef,
        description: 'The message that fails; null if none does, and if the chain refuses the proposal as a whole.',
        resolve: (rehearsal) => rehearsal.failed && pinned(pinOf(rehearsal), rehearsal.failed),
      }),
      gasUsed: t.expose('gasUsed', {
        type: 'Int64',
        description:
          'The gas of the simulated transaction, which casts the missing votes too and pays no fee. null if it was not run to the end.',
      }),
      gasShare: t.exposeFloat('gasShare', {
        description: 'That gas as a part of the gas of a block, from 0. null if a block has no limit.',
      }),
      transfers: t.field({
        ...nonNullList(MovementRef, 'The coins that would move, in order.'),
        resolve: (rehearsal) => rehearsal.movements.map((movement) => pinned(pinOf(rehearsal), movement)),
      }),
      balanceChanges: t.field({
        ...nonNullList(BalanceChangeRef, 'The balances that would change.'),
        resolve: (rehearsal) => rehearsal.balances.map((balance) => pinned(pinOf(rehearsal), balance)),
      }),
      events: t.expose('events', nonNull([EventRef], 'The events of the messages, without `msg_index`.')),
      stateChanges: t.exposeStringList('changes', {
        nullable: false,
        description: 'What else the chain would have afterwards, in sentences without a final period.',
      }),
      isCut: t.exposeBoolean('isCut', {
        nullable: false,
        description: 'Whether a list is cut: there are at most 100 transfers, balances and sentences, and 500 events.',
      }),
    }),
  });
  builder.objectType(FailedMessageRef, {
    description: 'The message of a proposal that would fail.',
    fields: (t) => ({
      index: t.exposeInt('index', { description: 'Its place among the messages, from 0; null if the chain names none.' }),
      error: t.exposeString('error', { nullable: false, description: 'The error of the chain.' }),
      inWords: t.string({
        description: 'What the message is to do, as `AnyMessage.inWords`.',
        resolve: (failure) => failure.message && summaryOf(pinOf(failure), failure.message),
      }),
      message: t.field({
        type: AnyMessageRef,
        description: 'The message.',
        resolve: (failure) => failure.message && anyOf(failure, failure.message),
      }),
    }),
  });
  builder.objectType(MovementRef, {
    description: 'Coins that would move.',
    fields: (t) => ({
      sender: accountOrNull(t, 'The account that sends them; null if the event names none.', ({ sender }) => sender),
      recipient: accountField(t, 'The account that receives them.', ({ recipient }) => recipient),
      amount: coinsField(t, 'The coins.', ({ amount }) => amount),
    }),
  });
  builder.objectType(BalanceChangeRef, {
    description: 'A balance that would change.',
    fields: (t) => ({
      account: accountField(t, 'The account.', ({ account }) => account),
      denom: t.exposeString('denom', { nullable: false, description: 'The denom.' }),
      before: t.exposeString('before', { nullable: false, description: 'The balance at `height`, in base units.' }),
      after: t.exposeString('after', { nullable: false, description: 'The balance afterwards, in base units.' }),
      displayBefore: t.field({
        type: DisplayAmountRef,
        description: '`before` in the display unit; null if the denom has no metadata.',
        resolve: (balance) => displayOf(pinOf(balance), { denom: balance.denom, amount: balance.before }),
      }),
      displayAfter: t.field({
        type: DisplayAmountRef,
        description: '`after` in the display unit; null if the denom has no metadata.',
        resolve: (balance) => displayOf(pinOf(balance), { denom: balance.denom, amount: balance.after }),
      }),
    }),
  });
}
