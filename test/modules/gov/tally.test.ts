import { describe, expect, it } from 'vitest';
import { decide, type GovRules, type GovTally, type TallyInput, tallyVotes } from '../../../src/modules/gov/tally.ts';
import { ProposalStatus } from '../../../src/proto/cosmos/gov/v1/gov_pb.js';
import { decOf, decText } from '../../../src/reads/decimal.ts';
import { finalInput, govBlocks, govRecordings, govState, liveInput, stateAt } from '../../recordings/gov.ts';

const texts = ({ counts }: GovTally) => Object.values(counts).map(String);

interface Case {
  readonly name: string;
  readonly input: TallyInput;
  readonly tally: readonly string[];
}

/** Each tally that the node answered with for an open proposal. */
const live: readonly Case[] = govRecordings.flatMap((name) => {
  const recorded = govState(name);
  return Object.keys(recorded.state).flatMap((height) => {
    const state = stateAt(recorded, height);
    return state.ids
      .filter((id) => state.proposal(id)?.status === ProposalStatus.VOTING_PERIOD)
      .map((id): Case => {
        const { yesCount, abstainCount, noCount, noWithVetoCount } = state.tally(id)!;
        const tally = [yesCount, abstainCount, noCount, noWithVetoCount];
        return { name: `proposal ${id} at ${height}`, input: liveInput(recorded, height, id), tally };
      });
  });
});

/** Each tally that the node stored when it decided a proposal. */
const final = govRecordings.flatMap((name) => {
  const recorded = govState(name);
  return recorded.finals.map(({ id, H, final: { yes, abstain, no, veto }, result }) => ({
    name: `proposal ${id}, decided at ${H}`,
    input: finalInput(recorded, govBlocks(name), H, String(id)),
    tally: [yes, abstain, no, veto],
    result: result.split(' | ')[1],
    isExpedited: stateAt(recorded, String(H - 1)).proposal(String(id))!.expedited,
  }));
});

describe('a tally', () => {
  it('of each open proposal at each height is the one of the node', () => {
    expect(live).toHaveLength(145);
    expect(live.map(({ name, input }) => [name, texts(tallyVotes(input))])).toEqual(
      live.map(({ name, tally }) => [name, tally]),
    );
  });

  it('of each decided proposal is the stored one', () => {
    expect(final).toHaveLength(11);
    expect(final.map(({ name, input }) => [name, texts(tallyVotes(input))])).toEqual(
      final.map(({ name, tally }) => [name, tally]),
    );
  });

  it('needs the votes and the stake of the deciding block', () => {
    const recorded = govState('late');
    const [
      {
        H,
        final: { yes },
      } = expect.fail(),
    ] = recorded.finals;
    const input = finalInput(recorded, govBlocks('late'), H, '13');
    const before = stateAt(recorded, String(H - 1));
    const withoutVotes = tallyVotes({ ...input, votes: before.votes('13') });
    expect(String(withoutVotes.counts.YES)).not.toBe(yes);
    // The delegation is one of the last votes' voter; those who had none were not asked before.
    const stakeBefore = (voter: string) =>
      voter === 'tp1lrp26pn0fqpm5vzajpyjk7t33ylsh5jrql6nhg' ? [] : input.delegations(voter);
    expect(texts(tallyVotes({ ...input, delegations: stakeBefore }))).not.toEqual(texts(tallyVotes(input)));
  });
});

/** The parameters of the recorded chain (E1). */
const rules = (isExpedited: boolean): GovRules => ({
  quorum: decOf('0.334'),
  threshold: decOf(isExpedited ? '0.667' : '0.5'),
  vetoThreshold: decOf('0.334'),
  burnsWithoutQuorum: false,
  burnsAfterVeto: true,
});

describe('a decision', () => {
  it.each(final)('of $name is that of the node: $result', ({ input, result, isExpedited }) => {
    const bonded = input.validators.reduce((sum, { tokens }) => sum + tokens, 0n);
    const { passes } = decide(tallyVotes(input), rules(isExpedited), bonded);
    // A proposal whose execution fails has passed.
    expect(passes).toBe(result === 'proposal_passed' || result === 'proposal_failed');
  });
});

describe('a decimal', () => {
  it.each(['0.000000000000000001', '1.000000000000000000', '-0.500000000000000000', '123456789.000000000000000010'])(
    '%s is printed as it was read',
    (text) => {
      expect(decText(decOf(text))).toBe(text);
    },
  );
  it.each(['', '1.', '.5', '1e3', '0.0000000000000000001', 'x'])('"%s" is refused', (text) => {
    expect(() => decOf(text)).toThrow('not a decimal');
  });
});
