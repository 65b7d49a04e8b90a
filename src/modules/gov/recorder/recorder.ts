import type {
  Fact,
  GovDepositEnd,
  GovProposalFact,
  GovStepFact,
  GovVoteFact,
  OpenProposals,
  Place,
  RecordedTally,
  Recorder,
} from '../../../archive/facts.ts';
import { type Nanoseconds, parseTime } from '../../../chain/base/time.ts';
import type { CommittedBlock } from '../../../chain/blocks/committedBlock.ts';
import { canonicalDecimal } from '../../../reads/decimal.ts';
import { isModuleAbsent } from '../../../reads/errors.ts';
import { readEvery } from '../../../reads/page.ts';
import type { Pin } from '../../../reads/pin.ts';
import { type VoteOption, voteOptions } from '../../group/model.ts';
import { createGovLoaders, type GovCounts, type GovProposal, govDeposits, govProposals, govVotes } from '../query.ts';
import { type GovEvent, govEventOf, isOfBeginning } from './events.ts';
import { countVotes } from './powers.ts';

/** What the recorder of one module does. */
export type ModuleRecorder = Pick<Recorder, 'block' | 'start' | 'absent'>;

interface PlacedEvent {
  readonly event: GovEvent;
  readonly hash: string | null;
}

/** The events of the module in a block, in the order in which they happened. Those of failed transactions did not happen. */
function eventsOf({ transactions, events }: CommittedBlock): readonly PlacedEvent[] {
  const placed = (list: CommittedBlock['events'], hash: string | null): readonly PlacedEvent[] =>
    list.flatMap((each) => {
      const event = govEventOf(each);
      return event === null ? [] : [{ event, hash }];
    });
  return [
    ...placed(events.filter(isOfBeginning), null),
    ...transactions.flatMap(({ hash, result }) => (result.code === 0 ? placed(result.events, hash) : [])),
    ...placed(
      events.filter((event) => !isOfBeginning(event)),
      null,
    ),
  ];
}

const tallyText = ({ YES, ABSTAIN, NO, NO_WITH_VETO }: GovCounts): RecordedTally => ({
  yesCount: String(YES),
  abstainCount: String(ABSTAIN),
  noCount: String(NO),
  noWithVetoCount: String(NO_WITH_VETO),
});

function proposalFact(proposal: GovProposal, submitted: Place | null): GovProposalFact {
  const { id, proposer, title, summary, metadata, messages, expedited, submitTime, depositEndTime } = proposal;
  return {
    kind: 'govProposal',
    id,
    proposer,
    title,
    summary,
    metadata,
    messages,
    expedited,
    submitTime,
    depositEndTime,
    submitted,
  };
}

/** What is known of a proposal that was submitted and deleted in one block: the state never had it. */
function deletedProposal(id: bigint, proposer: string, submitted: Place): GovProposalFact {
  return {
    ...{ kind: 'govProposal', id, proposer, title: '', summary: '', metadata: '', messages: [], expedited: false },
    ...{ submitTime: submitted.time, depositEndTime: null, submitted },
  };
}

const noStep = {
  kind: 'govStep',
  account: null,
  log: '',
  votingStart: null,
  votingEnd: null,
  deposits: null,
  tally: null,
  computed: null,
  powers: [],
} as const;

/** Derives the facts of one block. */
function createWalk(height: bigint, time: Nanoseconds, before: Pin, now: Pin, recorded: OpenProposals) {
  const facts: Fact[] = [];
  const loaders = now.loaders(createGovLoaders);
  /** The votes of this block, by proposal. */
  const votes = new Map<bigint, GovVoteFact[]>();
  let burnt = false;

  function depositEnd(whenBurnt: GovDepositEnd): GovDepositEnd {
    const end = burnt ? whenBurnt : 'REFUNDED';
    burnt = false;
    return end;
  }

  async function countedVotes(id: bigint): Promise<readonly GovVoteFact[]> {
    const byVoter = new Map((await recorded.govVotes(id)).map((vote) => [vote.voter, vote]));
    for (const vote of votes.get(id) ?? []) byVoter.set(vote.voter, vote);
    return [...byVoter.values()];
  }

  async function endStep({ id, step, log }: Extract<GovEvent, { kind: 'ended' }>, at: Place): Promise<GovStepFact> {
    const fact = { ...noStep, proposalId: id, step, at, log };
    const deposits = step === 'BECAME_REGULAR' ? null : depositEnd('BURNT');
    burnt = false;
    if (step === 'DROPPED') return { ...fact, deposits };
    const [proposal, counted] = await Promise.all([
      loaders.proposal.load(id),
      countedVotes(id).then((list) => countVotes(list, before, now)),
    ]);
    const isRegular = step === 'BECAME_REGULAR';
    return {
      ...fact,
      deposits,
      votingStart: isRegular ? (proposal?.votingStartTime ?? null) : null,
      votingEnd: isRegular ? (proposal?.votingEndTime ?? null) : null,
      tally: proposal && tallyText(proposal.finalTally),
      computed: counted?.tally ?? null,
      powers: counted?.powers ?? [],
    };
  }

  async function add(event: GovEvent, at: Place): Promise<void> {
    if (event.kind === 'burnt') {
      burnt = true;
      return;
    }
    const { id } = event;
    switch (event.kind) {
      case 'submitted': {
        const proposal = await loaders.proposal.load(id);
        facts.push(proposal === null ? deletedProposal(id, event.proposer, at) : proposalFact(proposal, at));
        return;
      }
      case 'votingBegan': {
        const proposal = await loaders.proposal.load(id);
        const period = { votingStart: proposal?.votingStartTime ?? null, votingEnd: proposal?.votingEndTime ?? null };
        facts.push({ ...noStep, ...period, proposalId: id, step: 'VOTING_BEGAN', at });
        return;
      }
      case 'deposited':
        facts.push({ kind: 'govDeposit', proposalId: id, depositor: event.depositor, amount: event.amount, at });
        return;
      case 'voted': {
        const vote: GovVoteFact = { kind: 'govVote', proposalId: id, voter: event.voter, options: event.options, at };
        votes.set(id, [...(votes.get(id) ?? []), vote]);
        facts.push(vote);
        return;
      }
      case 'cancelled':
        facts.push({
          ...{ ...noStep, proposalId: id, step: 'CANCELLED', at, account: event.account, deposits: depositEnd('CHARGED') },
        });
        return;
      case 'ended':
        facts.push(await endStep(event, at));
    }
  }

  return {
    facts,
    async walk(events: readonly PlacedEvent[]): Promise<void> {
      // The proposals share one batch.
      for (const { event } of events)
        if (event.kind !== 'burnt' && event.kind !== 'voted' && event.kind !== 'deposited')
          void Promise.resolve(loaders.proposal.load(event.id)).catch(() => undefined);
      let order = 0;
      let last: string | null = null;
      for (const { event, hash } of events) {
        if (hash !== last) burnt = false;
        last = hash;
        await add(event, { height, order: order++, time, hash });
      }
    },
  };
}

const optionNames: readonly string[] = voteOptions;

/** 0 for an option that this server does not know. */
const optionNumber = (name: VoteOption): number => Math.max(optionNames.indexOf(name), 0);

const notKnown = { height: null, time: null } as const;

const ends: Readonly<Record<string, 'PASSED' | 'REJECTED' | 'FAILED'>> = {
  PROPOSAL_STATUS_PASSED: 'PASSED',
  PROPOSAL_STATUS_REJECTED: 'REJECTED',
  PROPOSAL_STATUS_FAILED: 'FAILED',
};

/** The facts that the state shows of a proposal. The end of its voting is known without its place, and its votes only until then. */
async function storedFacts(pin: Pin, proposal: GovProposal): Promise<readonly Fact[]> {
  const { id, status, votingStartTime, votingEndTime } = proposal;
  const facts: Fact[] = [proposalFact(proposal, null)];
  if (votingStartTime !== null) {
    const period = { votingStart: votingStartTime, votingEnd: votingEndTime };
    facts.push({ ...noStep, ...period, proposalId: id, step: 'VOTING_BEGAN', at: notKnown });
  }
  const step = ends[status];
  if (step !== undefined) {
    const tally = tallyText(proposal.finalTally);
    return [...facts, { ...noStep, proposalId: id, step, at: notKnown, log: proposal.failedReason, tally }];
  }
  const loaders = pin.loaders(createGovLoaders);
  const [votes, deposits] = await Promise.all([readEvery(govVotes(loaders, id)), readEvery(govDeposits(loaders, id))]);
  for (const { depositor, amount } of deposits)
    facts.push({ kind: 'govDeposit', proposalId: id, depositor, amount, at: notKnown });
  for (const { voter, options } of votes)
    facts.push({
      ...{ kind: 'govVote', proposalId: id, voter, at: notKnown },
      options: options.map(({ option, weight }) => ({ option: optionNumber(option), weight: canonicalDecimal(weight) })),
    });
  return facts;
}

async function hasGov(pin: Pin): Promise<boolean> {
  try {
    await pin.loaders(createGovLoaders).params.load('');
    return true;
  } catch (error) {
    if (isModuleAbsent(error)) return false;
    throw error;
  }
}

/** Makes the recorder of the governance module. Nothing is read for a block without its events. */
export function createGovRecorder(): ModuleRecorder {
  return {
    async block(block, before, now, recorded) {
      const events = eventsOf(block);
      if (events.length === 0) return [];
      const { height, time } = block.header;
      const { facts, walk } = createWalk(height, parseTime(time), before, now, recorded);
      await walk(events);
      return facts;
    },
    async start(pin) {
      if (!(await hasGov(pin))) return [];
      const proposals = await readEvery(govProposals(pin.loaders(createGovLoaders), { status: 0, voter: '', depositor: '' }));
      const facts: Fact[] = [];
      for (const proposal of proposals) facts.push(...(await storedFacts(pin, proposal)));
      return facts;
    },
    absent: async (pin) => ((await hasGov(pin)) ? [] : ['cosmos.gov.v1']),
  };
}
