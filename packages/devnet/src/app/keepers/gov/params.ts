import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ParamsSchema } from '../../../../../../src/proto/cosmos/gov/v1/gov_pb.js';
import { feeDenom } from '../../runtime/coins.ts';
import { durationOf, seconds } from '../../runtime/time.ts';

const hash = 1_000_000_000n;
const day = 24 * 3600;
const coins = (amount: bigint) => [{ denom: feeDenom, amount: String(amount * hash) }];

/** How long a vote takes, in seconds. */
export const votingSeconds = { regular: 5 * day, expedited: day } as const;
/** How long deposits are collected, in seconds. */
export const depositSeconds = 3 * day;

/** The parameters of x/gov. The parts are those of the recorded chain; the amounts and periods are the devnet's own. */
export const defaultParams = (): MessageInitShape<typeof ParamsSchema> => ({
  minDeposit: coins(1_000n),
  maxDepositPeriod: durationOf(seconds(depositSeconds)),
  votingPeriod: durationOf(seconds(votingSeconds.regular)),
  quorum: '0.334000000000000000',
  threshold: '0.500000000000000000',
  vetoThreshold: '0.334000000000000000',
  minInitialDepositRatio: '0.000000000000000000',
  proposalCancelRatio: '0.500000000000000000',
  expeditedVotingPeriod: durationOf(seconds(votingSeconds.expedited)),
  expeditedThreshold: '0.667000000000000000',
  expeditedMinDeposit: coins(5_000n),
  burnVoteVeto: true,
  minDepositRatio: '0.010000000000000000',
});
