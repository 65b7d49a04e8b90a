import { type Nanoseconds, parseTime } from '../../chain/base/time.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { startAfter } from '../../reads/height.ts';
import { addressInput, durationInput, idInput } from '../../reads/input.ts';
import { checkScan } from '../../reads/page.ts';
import { type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type BlockStream, stateStream } from '../../reads/stream.ts';
import { type Builder, createRef, nonNull } from '../../schema/builder.ts';
import { checkAccounts } from '../account/query.ts';
import { blockTime, executableFrom, isOpen, memberOf, outcomeOf, policyProposals } from './derived.ts';
import { groupEvents } from './events.ts';
import type { Proposal } from './model.ts';
import { advanceProposals, emptyWatched, readWatched, type Target, type Watched } from './proposalUpdates.ts';
import { createGroupLoaders } from './query.ts';
import { ProposalRef } from './refs.ts';

/** Why a proposal needs attention now. */
type ReminderReason = 'VOTING_ENDS' | 'EXECUTABLE';

/** A proposal that needs attention from a block on. */
export interface Reminder {
  readonly proposal: Proposal;
  readonly height: bigint;
  /** Block time, RFC 3339. */
  readonly time: string;
  readonly reason: ReminderReason;
  /** The window that the proposal entered, in nanoseconds; null if it can be executed. */
  readonly before: Nanoseconds | null;
}

/** What reminders are for. */
interface ReminderOptions {
  readonly target: Target;
  /** Reminders of votes are sent only while this account is a member and has not voted. undefined: they are sent in any case. */
  readonly member: string | undefined;
  /** Times before the end of the voting period, in nanoseconds. */
  readonly windows: readonly Nanoseconds[];
  readonly after: bigint;
}

/** A proposal that cannot be executed before a time, whatever its votes are. */
interface Waiting {
  readonly policy: string;
  readonly from: Nanoseconds;
}

/** What a stream of reminders carries from block to block. */
interface ReminderState {
  readonly watched: Watched;
  readonly waiting: ReadonlyMap<bigint, Waiting>;
  readonly isOver: false;
}

/** Whether a proposal would be executed if somebody tried it at the height of the pin, whose block has this time. */
async function canExecute(pin: Pin, proposal: Proposal, time: Nanoseconds): Promise<boolean> {
  if (proposal.executorResult === 'PROPOSAL_EXECUTOR_RESULT_SUCCESS') return false;
  const from = await executableFrom(pin, proposal);
  if (from === null || from > time) return false;
  if (proposal.status === 'PROPOSAL_STATUS_ACCEPTED') return true;
  return (await outcomeOf(pin, proposal))?.decision === 'ACCEPTED';
}

/** The entry of a proposal among those that wait; undefined if it does not. */
async function waitingOf(pin: Pin, proposal: Proposal, time: Nanoseconds): Promise<Waiting | undefined> {
  const isPending = isOpen(proposal) || proposal.status === 'PROPOSAL_STATUS_ACCEPTED';
  if (!isPending || proposal.executorResult === 'PROPOSAL_EXECUTOR_RESULT_SUCCESS') return undefined;
  const from = await executableFrom(pin, proposal);
  return from !== null && from > time ? { policy: proposal.groupPolicyAddress, from } : undefined;
}

/** Reads the proposals of policies that can be executed now or later. */
async function pendingProposals(pin: Pin, policies: Iterable<string>): Promise<readonly Proposal[]> {
  const statuses = ['PROPOSAL_STATUS_SUBMITTED', 'PROPOSAL_STATUS_ACCEPTED'] as const;
  const lists = await Promise.all(Array.from(policies, (address) => policyProposals(pin, address, statuses)));
  const proposals = lists.flat();
  checkScan(proposals.length, 'proposals');
  return proposals;
}

async function waitingAmong(
  pin: Pin,
  proposals: readonly Proposal[],
  time: Nanoseconds,
): Promise<readonly (readonly [bigint, Waiting])[]> {
  const entries = await Promise.all(
    proposals.map(async (proposal) => {
      const waiting = await waitingOf(pin, proposal, time);
      return waiting === undefined ? [] : ([[proposal.id, waiting]] as const);
    }),
  );
  return entries.flat();
}

/** Whether a member of the group of an open proposal has not voted on it. */
async function awaitsVote(pin: Pin, watched: Watched, proposal: Proposal, member: string): Promise<boolean> {
  const group = watched.policies.get(proposal.groupPolicyAddress);
  if (group === undefined || (await memberOf(pin, group, member)) === null) return false;
  return (await pin.loaders(createGroupLoaders).vote.load({ proposalId: proposal.id, voter: member })) === null;
}

/** One block of a stream: the state before it, its pin and the one before (null at height 1), and the times of both. */
interface Step {
  readonly state: ReminderState;
  readonly watched: Watched;
  readonly before: Pin | null;
  readonly now: Pin;
  readonly timeBefore: Nanoseconds;
  readonly time: Nanoseconds;
}

/** The open proposals that entered a window with the block, each with the shortest window that it entered. */
async function endingVotes(
  { windows, member }: ReminderOptions,
  { state, watched, now, timeBefore, time }: Step,
): Promise<readonly (readonly [Proposal, Nanoseconds])[]> {
  const entries = [...watched.open].flatMap(([id, { votingPeriodEnd }]) => {
    if (votingPeriodEnd < time) return [];
    const since = state.watched.open.has(id) ? timeBefore : 0n;
    const entered = windows.filter((window) => votingPeriodEnd - window <= time && votingPeriodEnd - window > since);
    const shortest = entered.toSorted((a, b) => (a < b ? -1 : 1))[0];
    return shortest === undefined ? [] : [[id, shortest] as const];
  });
  const reminders = await Promise.all(
    entries.map(async ([id, window]) => {
      const proposal = await now.loaders(createGroupLoaders).proposal.load(id);
      if (proposal === null) return [];
      if (member !== undefined && !(await awaitsVote(now, watched, proposal, member))) return [];
      return [[proposal, window] as const];
    }),
  );
  return reminders.flat();
}

/** Those of the proposals that could not be executed before the block, and can be since. */
async function executableSince({ before, now, timeBefore, time }: Step, ids: Iterable<bigint>): Promise<readonly Proposal[]> {
  const proposals = await Promise.all(
    Array.from(ids, async (id) => {
      const proposal = await now.loaders(createGroupLoaders).proposal.load(id);
      if (proposal === null || !(await canExecute(now, proposal, time))) return [];
      const earlier = (await before?.loaders(createGroupLoaders).proposal.load(id)) ?? null;
      const couldExecute = before !== null && earlier !== null && (await canExecute(before, earlier, timeBefore));
      return couldExecute ? [] : [proposal];
    }),
  );
  return proposals.flat();
}

/**
 * Creates the stream of reminders, each under the pin of its block. A block has at most two for a proposal: that its voting period ends, and that it can be
 * executed.
 */
export function reminders(root: Pinned<object>, options: ReminderOptions): BlockStream<Pinned<Reminder>> {
  const pin = pinOf(root);
  const { target, after } = options;
  return stateStream<ReminderState, Pinned<Reminder>>({
    pin,
    after,
    async load(at, beforeFirstBlock) {
      const watched = await readWatched(at, target);
      // Before the first block nothing is open, and nothing waits.
      if (beforeFirstBlock) return { watched: { ...watched, open: emptyWatched.open }, waiting: new Map(), isOver: false };
      const proposals = await pendingProposals(at, watched.policies.keys());
      return { watched, waiting: new Map(await waitingAmong(at, proposals, await blockTime(at))), isOver: false };
    },
    async advance(state, block, before, now) {
      const { updates, watched } = await advanceProposals(target, state.watched, block, before, now);
      const time = parseTime(block.header.time);
      const timeBefore = before === null ? 0n : await blockTime(before);
      const step: Step = { state, watched, before, now, timeBefore, time };

      // A policy that changed can have another period before an execution.
      const { policyUpdated } = groupEvents(block);
      const changedPolicies = [...watched.policies.keys()].filter(
        (address) => policyUpdated.has(address) || !state.watched.policies.has(address),
      );
      const touched = new Map((await pendingProposals(now, changedPolicies)).map((proposal) => [proposal.id, proposal]));
      for (const { proposalId, proposal } of updates) if (proposal !== null) touched.set(proposalId, proposal);
      const updated = new Set(updates.map(({ proposalId }) => proposalId));

      const waiting = new Map<bigint, Waiting>();
      const ready = new Set(touched.keys());
      for (const [id, entry] of state.waiting) {
        if (updated.has(id) || touched.has(id) || !watched.policies.has(entry.policy)) continue;
        if (entry.from > time) waiting.set(id, entry);
        else ready.add(id);
      }
      for (const [id, entry] of await waitingAmong(now, [...touched.values()], time)) waiting.set(id, entry);

      const [ending, executable] = await Promise.all([endingVotes(options, step), executableSince(step, ready)]);
      const { height, time: timeText } = block.header;
      const events: Reminder[] = [
        ...ending.map(([proposal, window]) => ({
          ...{ proposal, height, time: timeText, before: window },
          reason: 'VOTING_ENDS' as const,
        })),
        ...executable.map((proposal) => ({
          ...{ proposal, height, time: timeText, before: null },
          reason: 'EXECUTABLE' as const,
        })),
      ];
      events.sort((a, b) => (a.proposal.id < b.proposal.id ? -1 : a.proposal.id > b.proposal.id ? 1 : 0));
      return { state: { watched, waiting, isOver: false }, events: events.map((event) => pinned(now, event)) };
    },
  });
}

/** The most windows of one subscription. */
const mostWindows = 10;

/** The longest window: 366 days, in nanoseconds. */
const longestWindow = 366n * 86_400n * 1_000_000_000n;

function windowsInput(texts: readonly string[]): readonly Nanoseconds[] {
  if (texts.length < 1 || texts.length > mostWindows)
    throw badInput('before', `${texts.length} durations`, `1 to ${mostWindows} durations`);
  return texts.map((text) => durationInput('before', text, { least: 1n, most: longestWindow }));
}

const ReminderRef = createRef<Pinned<Reminder>>('ProposalReminder');

/** Adds the subscription `reminders`. */
export function addReminders(builder: Builder): void {
  const ProposalReminderReason = builder.enumType('ProposalReminderReason', {
    description: 'Why a proposal needs attention.',
    values: {
      VOTING_ENDS: { description: 'Its voting period ends soon.' },
      EXECUTABLE: { description: 'It is accepted, and can be executed from now on.' },
    },
  });
  builder.objectType(ReminderRef, {
    description: 'A proposal of a group that needs attention.',
    fields: (t) => ({
      proposalId: t.field({
        ...nonNull('ID', 'Id of the proposal.'),
        resolve: ({ proposal }) => proposal.id.toString(),
      }),
      height: t.expose('height', nonNull('Int64', 'Height of the block from which on it needs attention.')),
      time: t.expose('time', nonNull('DateTime', 'Block time.')),
      reason: t.expose('reason', nonNull(ProposalReminderReason, 'Why it needs attention.')),
      before: t.expose('before', {
        type: 'Duration',
        description:
          'The one of the requested times before the end of the voting period that was reached; null for EXECUTABLE.',
      }),
      proposal: t.field({
        ...nonNull(ProposalRef, 'The proposal after the block.'),
        resolve: (reminder) => pinned(pinOf(reminder), reminder.proposal),
      }),
    }),
  });
  builder.subscriptionFields((t) => ({
    reminders: t.field({
      ...nonNull(
        ReminderRef,
        'Reminders of proposals of groups: one when the rest of the voting period of an open proposal reaches each of the times in `before`, and one when the proposal can be executed. They are about a group (`groupId`), a group policy (`groupPolicyAddress`), all groups of an account (`member`), or the whole chain. With `member`, reminders of votes are sent only if the account is a member and has not voted. If a proposal reaches several of the times in one block, as one that is submitted late, one reminder is sent, with the shortest time. `after` resumes after the block of that height.',
      ),
      args: {
        member: t.arg.string({
          description: 'An account. Together with `groupId` or `groupPolicyAddress`, only that one is watched.',
        }),
        groupId: t.arg.id(),
        groupPolicyAddress: t.arg.string(),
        before: t.arg({
          type: ['Duration'],
          required: true,
          description:
            '1 to 10 times before the end of the voting period, such as `["24h", "1h"]`: in seconds (`s`), minutes (`m`), hours (`h`) or days (`d`), at most 366 days.',
        }),
        after: t.arg({ type: 'Int64' }),
      },
      subscribe: async (root, { member, groupId, groupPolicyAddress, before, after }) => {
        await checkAccounts(pinOf(root), { groupPolicyAddress, member });
        if (groupId != null && groupPolicyAddress != null) {
          throw new RequestError('BAD_USER_INPUT', 'At most one of `groupId` and `groupPolicyAddress` is allowed.', {
            argument: 'groupId',
            bound: 'the only one of `groupId` and `groupPolicyAddress` that is given',
          });
        }
        const account = member == null ? undefined : addressInput('member', member);
        return reminders(root, {
          target: targetOf(account, groupId, groupPolicyAddress),
          member: account,
          windows: windowsInput(before),
          after: startAfter(root, after),
        });
      },
      resolve: (reminder) => reminder,
    }),
  }));
}

function targetOf(
  member: string | undefined,
  groupId: string | number | null | undefined,
  groupPolicyAddress: string | null | undefined,
): Target {
  if (groupId != null) return { of: 'group', id: idInput('groupId', String(groupId)) };
  if (groupPolicyAddress != null) return { of: 'policy', address: addressInput('groupPolicyAddress', groupPolicyAddress) };
  return member === undefined ? { of: 'chain' } : { of: 'member', address: member };
}
