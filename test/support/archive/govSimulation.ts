import type {
  Fact,
  GovDepositFact,
  GovPower,
  GovProposalFact,
  GovStep,
  GovStepFact,
  GovVoteFact,
  Place,
  RecordedOption,
  RecordedTally,
} from '../../../src/archive/facts.ts';
import type { Dice } from './simulation.ts';

interface LiveProposal {
  readonly fact: GovProposalFact;
  readonly deposits: GovDepositFact[];
  /** The last vote of each account in the present round. */
  readonly votes: Map<string, GovVoteFact>;
  readonly steps: GovStepFact[];
  isRegular: boolean;
}

const noStep: Omit<GovStepFact, 'proposalId' | 'step' | 'at'> = {
  ...{
    kind: 'govStep',
    account: null,
    log: '',
    votingStart: null,
    votingEnd: null,
    deposits: null,
    tally: null,
    computed: null,
  },
  powers: [],
};

const notKnown = { height: null, time: null } as const;

/** What a validator has of delegators who do not vote. */
const fromDelegators = 5n;

/** One account has one token, the next one two, and so on. */
const powerOf = (voters: readonly string[], voter: string): bigint => BigInt(voters.indexOf(voter) + 1);

/**
 * A random history of the governance module: deposits, votes that are replaced, expedited proposals whose votes are deleted, decisions with powers, cancelled and
 * dropped proposals. The first two accounts operate validators.
 */
export function simulateGov(dice: Dice, voters: readonly string[]) {
  const open = new Map<bigint, LiveProposal>();
  const decided: LiveProposal[] = [];
  let next = 1n;

  /** The tally of the powers of {@link powersOf}. All weights are halves or 1. */
  function tallyOf(votes: ReadonlyMap<string, GovVoteFact>): RecordedTally {
    const halves = [0n, 0n, 0n, 0n, 0n];
    for (const { voter, options } of votes.values()) {
      const power = powerOf(voters, voter) + (voters.indexOf(voter) < 2 ? fromDelegators : 0n);
      for (const { option, weight } of options) halves[option] = halves[option]! + power * (weight === '1' ? 2n : 1n);
    }
    const [, yesCount, abstainCount, noCount, noWithVetoCount] = halves.map((half) => String(half / 2n));
    return { yesCount: yesCount!, abstainCount: abstainCount!, noCount: noCount!, noWithVetoCount: noWithVetoCount! };
  }

  const powersOf = (votes: ReadonlyMap<string, GovVoteFact>): readonly GovPower[] =>
    voters.flatMap((address, index): readonly GovPower[] => {
      const vote = votes.get(address);
      const operator = index < 2 ? `oper-${address}` : null;
      if (vote === undefined)
        return operator === null ? [] : [{ address, operator, options: null, delegated: '0', validator: null }];
      return [
        {
          address,
          operator,
          options: vote.options,
          delegated: String(powerOf(voters, address)),
          validator: operator && String(fromDelegators),
        },
      ];
    });

  /** The facts of a block. */
  function block(place: (hash: boolean) => Place): readonly Fact[] {
    const facts: Fact[] = [];

    function addStep(live: LiveProposal, step: GovStep, at: Place, rest: Partial<GovStepFact> = {}): void {
      const fact: GovStepFact = { ...noStep, proposalId: live.fact.id, step, at, ...rest };
      live.steps.push(fact);
      facts.push(fact);
    }

    function end(live: LiveProposal, step: GovStep, rest: Partial<GovStepFact>): void {
      const tally = tallyOf(live.votes);
      const counted = { tally, computed: tally, powers: powersOf(live.votes) };
      addStep(live, step, place(false), { ...rest, ...(step === 'DROPPED' ? {} : counted) });
      live.votes.clear();
      if (step === 'BECAME_REGULAR') {
        live.isRegular = true;
        return;
      }
      open.delete(live.fact.id);
      if (step !== 'DROPPED') decided.push(live);
    }

    for (let actions = dice.roll(4); actions > 0; actions--) {
      const live = open.size === 0 ? undefined : dice.pick([...open.values()]);
      const isVoting = live !== undefined && live.steps.length > 0;
      const kind = dice.roll(10);
      if (live === undefined || kind === 0) {
        const submitted = place(true);
        const fact: GovProposalFact = {
          ...{ kind: 'govProposal', id: next++, proposer: dice.pick(voters), title: 'A title', summary: '', metadata: '' },
          ...{
            messages: [],
            expedited: dice.chance(0.4),
            submitTime: submitted.time,
            depositEndTime: submitted.time,
            submitted,
          },
        };
        open.set(fact.id, { fact, deposits: [], votes: new Map(), steps: [], isRegular: !fact.expedited });
        facts.push(fact);
      } else if (kind <= 2) {
        const deposit: GovDepositFact = {
          ...{ kind: 'govDeposit', proposalId: live.fact.id, depositor: dice.pick(voters), at: place(true) },
          amount: [{ denom: 'nhash', amount: String(1 + dice.roll(9)) }],
        };
        live.deposits.push(deposit);
        facts.push(deposit);
        if (!isVoting && dice.chance(0.7)) addStep(live, 'VOTING_BEGAN', place(true));
      } else if (isVoting && kind <= 8) {
        const options: readonly RecordedOption[] = dice.chance(0.2)
          ? [
              { option: 1, weight: '0.5' },
              { option: 2 + dice.roll(3), weight: '0.5' },
            ]
          : [{ option: 1 + dice.roll(4), weight: '1' }];
        const vote: GovVoteFact = {
          kind: 'govVote',
          proposalId: live.fact.id,
          voter: dice.pick(voters),
          options,
          at: place(true),
        };
        live.votes.set(vote.voter, vote);
        facts.push(vote);
      } else if (kind === 9 && dice.chance(0.2)) {
        addStep(live, 'CANCELLED', place(true), { account: live.fact.proposer, deposits: 'CHARGED' });
        open.delete(live.fact.id);
      }
    }
    for (const live of [...open.values()]) {
      if (!dice.chance(0.06)) continue;
      if (live.steps.length === 0) end(live, 'DROPPED', { deposits: 'REFUNDED' });
      else if (!live.isRegular) end(live, dice.chance(0.5) ? 'BECAME_REGULAR' : 'PASSED', {});
      else end(live, dice.pick(['PASSED', 'REJECTED', 'FAILED']), { deposits: dice.pick(['REFUNDED', 'BURNT']), log: 'a log' });
    }
    return facts;
  }

  /** What the state shows. */
  function start(): readonly Fact[] {
    const sums = (deposits: readonly GovDepositFact[]): readonly GovDepositFact[] =>
      [...new Set(deposits.map(({ depositor }) => depositor))].map((depositor) => {
        const own = deposits.filter((deposit) => deposit.depositor === depositor);
        const amount = own.reduce((sum, { amount: [coin] }) => sum + BigInt(coin!.amount), 0n);
        return { ...own[0]!, amount: [{ denom: 'nhash', amount: String(amount) }], at: notKnown };
      });
    const seen = (step: GovStepFact): GovStepFact => ({ ...step, at: notKnown, computed: null, powers: [], deposits: null });
    return [
      ...decided.flatMap(({ fact, steps }) => [
        { ...fact, submitted: null },
        ...steps.filter(({ step }) => step !== 'BECAME_REGULAR').map(seen),
      ]),
      ...[...open.values()].flatMap(({ fact, deposits, votes, steps }) => [
        { ...fact, submitted: null, expedited: fact.expedited && !steps.some(({ step }) => step === 'BECAME_REGULAR') },
        ...steps.filter(({ step }) => step === 'VOTING_BEGAN').map(seen),
        ...sums(deposits),
        ...[...votes.values()].map((vote) => ({ ...vote, at: notKnown })),
      ]),
    ];
  }

  return { block, start };
}
