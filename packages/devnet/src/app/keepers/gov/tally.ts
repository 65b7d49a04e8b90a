import { create } from '@bufbuild/protobuf';
import {
  type Params,
  type Proposal,
  type TallyResult,
  TallyResultSchema,
  VoteOption,
} from '../../../../../../src/proto/cosmos/gov/v1/gov_pb.js';
import { encodeAddress } from '../../runtime/address.ts';
import { type Dec, divide, multiply, one, parseDecimal } from '../../runtime/dec.ts';
import type { StoreView } from '../../state/store.ts';
import { worthOf } from '../staking/shares.ts';
import { bondedValidators, delegationsOf, operatorAccount } from '../staking/state.ts';
import { votesOn } from './state.ts';

/** The result of counting the votes. */
export interface Count {
  readonly tally: TallyResult;
  readonly passes: boolean;
  readonly burnsDeposits: boolean;
}

const dec = (text: string): Dec => parseDecimal(text) ?? 0n;

/**
 * Counts the votes on a proposal with the stake in the state. A delegator's vote takes its shares out of those of the validator, which votes with the rest. The
 * recorded tallies are counted in test/devnet/app/gov.test.ts.
 */
export function countVotes(state: StoreView, proposal: Proposal, params: Params): Count {
  const validators = bondedValidators(state);
  const ownShares = new Map(validators.map((validator) => [validator.operatorAddress, BigInt(validator.delegatorShares)]));
  const sums = new Map<VoteOption, Dec>();
  let power = 0n;
  const votes = votesOn(state, proposal.id);
  const ballots: { readonly power: Dec; readonly options: (typeof votes)[number]['options'] }[] = [];
  for (const { voter, options } of votes) {
    for (const { validatorAddress, shares } of delegationsOf(state, voter)) {
      const validator = validators.find(({ operatorAddress }) => operatorAddress === validatorAddress);
      if (validator === undefined) continue;
      ownShares.set(validatorAddress, (ownShares.get(validatorAddress) ?? 0n) - BigInt(shares));
      ballots.push({ power: worthOf(validator, BigInt(shares)), options });
    }
  }
  for (const validator of validators) {
    const account = encodeAddress(operatorAccount(validator.operatorAddress));
    const vote = votes.find(({ voter }) => voter === account);
    if (vote === undefined) continue;
    ballots.push({ power: worthOf(validator, ownShares.get(validator.operatorAddress) ?? 0n), options: vote.options });
  }
  for (const ballot of ballots) {
    for (const { option, weight } of ballot.options) {
      sums.set(option, (sums.get(option) ?? 0n) + multiply(ballot.power, dec(weight)));
    }
    power += ballot.power;
  }
  const sum = (option: VoteOption): Dec => sums.get(option) ?? 0n;
  const whole = (option: VoteOption): string => String(sum(option) / one);
  const tally = create(TallyResultSchema, {
    yesCount: whole(VoteOption.YES),
    abstainCount: whole(VoteOption.ABSTAIN),
    noCount: whole(VoteOption.NO),
    noWithVetoCount: whole(VoteOption.NO_WITH_VETO),
  });
  const decided = (passes: boolean, burnsDeposits = false): Count => ({ tally, passes, burnsDeposits });

  const bonded = validators.reduce((total, { tokens }) => total + BigInt(tokens), 0n);
  if (bonded === 0n) return decided(false);
  if (divide(power, bonded * one) < dec(params.quorum)) return decided(false, params.burnVoteQuorum);
  const valid = power - sum(VoteOption.ABSTAIN);
  if (valid === 0n) return decided(false);
  if (divide(sum(VoteOption.NO_WITH_VETO), power) > dec(params.vetoThreshold)) return decided(false, params.burnVoteVeto);
  const threshold = dec(proposal.expedited ? params.expeditedThreshold : params.threshold);
  return decided(divide(sum(VoteOption.YES), valid) > threshold);
}
