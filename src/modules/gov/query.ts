import { fromSecondsAndNanos, type Nanoseconds } from '../../chain/base/time.ts';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import type * as wire from '../../proto/cosmos/gov/v1/gov_pb.js';
import { Query } from '../../proto/cosmos/gov/v1/query_pb.js';
import { type Dec, decOf } from '../../reads/decimal.ts';
import { addressKey, unrecognized } from '../../reads/input.ts';
import { chainList, listOnce, type NamedList, stateList } from '../../reads/page.ts';
import { type Awaitable, andThen, lazyLoaders, type Pinned, pinnedValue, pinOf, type ReadOnce } from '../../reads/pin.ts';
import { stateRead, stateReadOrNull, valueOnce } from '../../reads/query.ts';
import { fromAny } from '../any/codec.ts';
import { type Coin, coinFromWire } from '../bank/query.ts';
import { optionName, type VoteOption } from '../group/model.ts';
import { idKey } from '../group/query.ts';
import type { GovOption } from './tally.ts';

/** Names of `cosmos.gov.v1.ProposalStatus` by number. */
export const govStatuses = [
  'PROPOSAL_STATUS_UNSPECIFIED',
  'PROPOSAL_STATUS_DEPOSIT_PERIOD',
  'PROPOSAL_STATUS_VOTING_PERIOD',
  'PROPOSAL_STATUS_PASSED',
  'PROPOSAL_STATUS_REJECTED',
  'PROPOSAL_STATUS_FAILED',
] as const;

export type GovStatus = (typeof govStatuses)[number] | typeof unrecognized;

/** Tokens by option, as integers. */
export type GovCounts = Readonly<Record<GovOption, bigint>>;

/** A proposal as the chain stores it. Times are nanoseconds since 1970. */
export interface GovProposal {
  readonly id: bigint;
  readonly messages: readonly AnyMessage[];
  readonly status: GovStatus;
  /** All counts are 0 until the tally is final. */
  readonly finalTally: GovCounts;
  readonly submitTime: Nanoseconds;
  readonly depositEndTime: Nanoseconds;
  readonly totalDeposit: readonly Coin[];
  /** null until the voting period has begun. */
  readonly votingStartTime: Nanoseconds | null;
  readonly votingEndTime: Nanoseconds | null;
  readonly metadata: string;
  readonly title: string;
  readonly summary: string;
  /** Empty for proposals of chains before SDK 0.47. */
  readonly proposer: string;
  readonly expedited: boolean;
  /** Why the execution failed; empty otherwise. */
  readonly failedReason: string;
}

/** A vote. The weights of its options add up to 1. */
export interface GovVote {
  readonly proposalId: bigint;
  readonly voter: string;
  readonly options: readonly { readonly option: VoteOption; readonly weight: string }[];
  readonly metadata: string;
}

export interface GovDeposit {
  readonly proposalId: bigint;
  readonly depositor: string;
  readonly amount: readonly Coin[];
}

/** The parameters of the module. Parts are numbers from 0 to 1. */
export interface GovParams {
  readonly minDeposit: readonly Coin[];
  readonly expeditedMinDeposit: readonly Coin[];
  readonly maxDepositPeriod: Nanoseconds;
  readonly votingPeriod: Nanoseconds;
  readonly expeditedVotingPeriod: Nanoseconds;
  readonly quorum: Dec;
  readonly threshold: Dec;
  readonly expeditedThreshold: Dec;
  readonly vetoThreshold: Dec;
  readonly burnsWithoutQuorum: boolean;
  readonly burnsAfterVeto: boolean;
}

const countOf = (text: string | undefined): bigint => BigInt(text || '0');

function countsFromWire(tally: wire.TallyResult | undefined): GovCounts {
  return {
    YES: countOf(tally?.yesCount),
    ABSTAIN: countOf(tally?.abstainCount),
    NO: countOf(tally?.noCount),
    NO_WITH_VETO: countOf(tally?.noWithVetoCount),
  };
}

function proposalFromWire(proposal: wire.Proposal): GovProposal {
  const { votingStartTime, votingEndTime } = proposal;
  return {
    id: proposal.id,
    messages: proposal.messages.map(fromAny),
    status: govStatuses[proposal.status] ?? unrecognized,
    finalTally: countsFromWire(proposal.finalTallyResult),
    submitTime: fromSecondsAndNanos(proposal.submitTime),
    depositEndTime: fromSecondsAndNanos(proposal.depositEndTime),
    totalDeposit: proposal.totalDeposit.map(coinFromWire),
    votingStartTime: votingStartTime ? fromSecondsAndNanos(votingStartTime) : null,
    votingEndTime: votingEndTime ? fromSecondsAndNanos(votingEndTime) : null,
    metadata: proposal.metadata,
    title: proposal.title,
    summary: proposal.summary,
    proposer: proposal.proposer,
    expedited: proposal.expedited,
    failedReason: proposal.failedReason,
  };
}

function voteFromWire({ proposalId, voter, options, metadata }: wire.Vote): GovVote {
  const weighted = options.map(({ option, weight }) => ({ option: optionName(option), weight }));
  return { proposalId, voter, options: weighted, metadata };
}

function paramsFromWire(params: wire.Params): GovParams {
  return {
    minDeposit: params.minDeposit.map(coinFromWire),
    expeditedMinDeposit: params.expeditedMinDeposit.map(coinFromWire),
    maxDepositPeriod: fromSecondsAndNanos(params.maxDepositPeriod),
    votingPeriod: fromSecondsAndNanos(params.votingPeriod),
    expeditedVotingPeriod: fromSecondsAndNanos(params.expeditedVotingPeriod),
    quorum: decOf(params.quorum || '0'),
    threshold: decOf(params.threshold || '0'),
    // A chain before SDK 0.50 has no expedited proposals.
    expeditedThreshold: decOf(params.expeditedThreshold || params.threshold || '0'),
    vetoThreshold: decOf(params.vetoThreshold || '0'),
    burnsWithoutQuorum: params.burnVoteQuorum,
    burnsAfterVeto: params.burnVoteVeto,
  };
}

/** Reads a proposal; null if the chain has none with this id (any more). */
const readProposal = stateReadOrNull({
  method: Query.method.proposal,
  request: (proposalId: bigint) => ({ proposalId }),
  value: ({ proposal }): GovProposal | null => (proposal ? proposalFromWire(proposal) : null),
  absences: [],
});

/** Reads the tally: live in the voting period, then the stored one. null if the proposal does not exist. */
const readTally = stateReadOrNull({
  method: Query.method.tallyResult,
  request: (proposalId: bigint) => ({ proposalId }),
  value: ({ tally }): GovCounts | null => countsFromWire(tally),
  absences: [],
});

const readParams = stateRead({
  method: Query.method.params,
  request: (_: '') => ({}),
  value: ({ params }): GovParams | null => (params ? paramsFromWire(params) : null),
});

/** What selects proposals: a status by number, and addresses. 0 and empty text select all. */
export interface ProposalFilter {
  readonly status: number;
  readonly voter: string;
  readonly depositor: string;
}

const filterText = ({ status, voter, depositor }: ProposalFilter): string => `${status}/${voter}/${depositor}`;

function filterOf(text: string): { proposalStatus: number; voter: string; depositor: string } {
  const [status = '0', voter = '', depositor = ''] = text.split('/');
  return { proposalStatus: Number(status), voter, depositor };
}

/** Reads proposals, by ascending id. */
const readProposals = stateList({
  method: Query.method.proposals,
  request: (filter: string, pagination) => ({ ...filterOf(filter), pagination }),
  part: ({ proposals, pagination }) => [proposals.map(proposalFromWire), pagination],
  isFiltered: true,
});

/** Reads the votes on a proposal, by address. */
const readVotes = stateList({
  method: Query.method.votes,
  request: (proposalId: bigint, pagination) => ({ proposalId, pagination }),
  part: ({ votes, pagination }) => [votes.map(voteFromWire), pagination],
});

/** Reads the vote of an account on a proposal, of which it is certain that it exists. */
const readVote = stateRead({
  method: Query.method.vote,
  request: (of: string) => ({ proposalId: BigInt(of.split('/')[0] ?? '0'), voter: of.split('/')[1] ?? '' }),
  value: ({ vote }): GovVote[] => (vote ? [voteFromWire(vote)] : []),
});

/** Reads the deposits on a proposal, by address. */
const readDeposits = stateList({
  method: Query.method.deposits,
  request: (proposalId: bigint, pagination) => ({ proposalId, pagination }),
  part: ({ deposits, pagination }) => [
    deposits.map(
      (deposit): GovDeposit => ({
        proposalId: deposit.proposalId,
        depositor: deposit.depositor,
        amount: deposit.amount.map(coinFromWire),
      }),
    ),
    pagination,
  ],
});

const keepProposals = (
  { proposal }: { readonly proposal: ReadOnce<bigint, GovProposal | null> },
  items: readonly GovProposal[],
) => proposal.prime(items, ({ id }) => id);

/** Loaders of the module for one pin. A proposal that a list returned is not read again. */
export const createGovLoaders = lazyLoaders({
  proposal: valueOnce(readProposal),
  tally: valueOnce(readTally),
  params: valueOnce(readParams),
  proposals: listOnce(readProposals, keepProposals),
  vote: valueOnce(readVote),
  votes: listOnce(readVotes),
  deposits: listOnce(readDeposits),
});

type GovLoaders = ReturnType<typeof createGovLoaders>;

/** The lists of the module. The form of their page keys is not recorded, so they are paged by offset. */
export const govProposals = (loaders: GovLoaders, filter: ProposalFilter): NamedList<GovProposal> =>
  chainList('govProposals', loaders.proposals, filterText(filter), ({ id }) => idKey(id));

export const govVotes = (loaders: GovLoaders, id: bigint): NamedList<GovVote> =>
  chainList('govVotes', loaders.votes, id, ({ voter }) => addressKey(voter));

export const govDeposits = (loaders: GovLoaders, id: bigint): NamedList<GovDeposit> =>
  chainList('govDeposits', loaders.deposits, id, ({ depositor }) => addressKey(depositor));

/** The votes of an account on the proposals that are not decided, by id of the proposal. */
export function govVotesOf(loaders: GovLoaders, voter: string): NamedList<GovVote> {
  const voted = govProposals(loaders, { status: 0, voter, depositor: '' });
  return {
    name: `govVotesOf/${voter}`,
    keyOf: ({ proposalId }) => idKey(proposalId),
    read: (page) =>
      andThen(voted.read(page), async (part) => {
        const votes = await Promise.all(part.items.map(({ id }) => loaders.vote.load(`${id}/${voter}`)));
        return { ...part, items: votes.flat() };
      }),
  };
}

/** Reads a proposal under the pin of `parent`; null if it does not exist. */
export function govProposalAt(parent: Pinned<object>, id: bigint): Awaitable<Pinned<GovProposal> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createGovLoaders).proposal.load(id));
}
