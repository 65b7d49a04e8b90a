import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { Coin } from '../../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import {
  DepositSchema,
  type Params,
  type Proposal,
  ProposalSchema,
  ProposalStatus,
  VoteOption,
  VoteSchema,
  type WeightedVoteOption,
} from '../../../../../../src/proto/cosmos/gov/v1/gov_pb.js';
import {
  type MsgCancelProposal,
  MsgCancelProposalResponseSchema,
  MsgCancelProposalSchema,
  MsgDepositResponseSchema,
  MsgDepositSchema,
  type MsgSubmitProposal,
  MsgSubmitProposalResponseSchema,
  MsgSubmitProposalSchema,
  MsgVoteResponseSchema,
  MsgVoteSchema,
  MsgVoteWeightedResponseSchema,
  MsgVoteWeightedSchema,
} from '../../../../../../src/proto/cosmos/gov/v1/tx_pb.js';
import { abciError, PlainError } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import { type Amount, coinsText, parseCoins } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { decimalText, multiply, one, parseDecimal } from '../../runtime/dec.ts';
import { plainEvent } from '../../runtime/events.ts';
import { type DecodedMessage, type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { lengthOf, momentOf, timestampOf } from '../../runtime/time.ts';
import { burnCoins, sendCoins } from '../bank/state.ts';
import {
  emptyTally,
  findDeposit,
  findProposal,
  govAccount,
  govAddress,
  nextProposalId,
  readParams,
  removeProposal,
  removeVotes,
  saveDeposit,
  saveProposal,
  saveVote,
  sumOf,
  takeDeposits,
  wireCoins,
} from './state.ts';

const { DEPOSIT_PERIOD, VOTING_PERIOD } = ProposalStatus;
const maxMetadata = 255;
const maxSummary = 40 * maxMetadata;

function requireAddress(address: string, role: string): void {
  try {
    decodeAddress(address);
  } catch (error) {
    if (error instanceof PlainError) throw abciError('invalidAddress', `invalid ${role} address: ${error.message}`);
    throw error;
  }
}

function amountOf(coins: readonly Amount[], denom: string): bigint {
  return coins.find((coin) => coin.denom === denom)?.amount ?? 0n;
}

/** What a proposal must have before it is voted on. */
const minDepositOf = ({ expedited }: Proposal, params: Params): Amount[] =>
  sumOf([expedited ? params.expeditedMinDeposit : params.minDeposit]);

/** Adds a deposit. Begins the voting period when there is enough; then returns true. */
function addDeposit(context: Context, proposal: Proposal, depositor: string, coins: readonly Amount[]): boolean {
  const params = readParams(context);
  const minimum = minDepositOf(proposal, params);
  const unknown = coins.find(({ denom }) => !minimum.some((coin) => coin.denom === denom));
  if (unknown !== undefined) {
    const accepted = minimum.map(({ denom }) => denom).join(' ');
    throw abciError(
      'govDepositDenom',
      `deposited ${coinsText(coins)}, but gov accepts only the following denom(s): [${accepted}]`,
    );
  }
  const ratio = parseDecimal(params.minDepositRatio) ?? 0n;
  const least = minimum.map(({ denom, amount }) => ({ denom, amount: (amount * ratio) / one }));
  if (least.every(({ denom, amount }) => amountOf(coins, denom) < amount)) {
    const text = `received ${coinsText(coins)} but need at least one of the following: ${coinsText(least)}`;
    throw abciError('govSmallDeposit', text);
  }
  sendCoins(context, decodeAddress(depositor), govAccount, coins);
  const total = sumOf([proposal.totalDeposit, wireCoins(coins)]);
  const starts = proposal.status === DEPOSIT_PERIOD && minimum.every(({ denom, amount }) => amountOf(total, denom) >= amount);
  const { time } = context.block;
  const period = lengthOf(proposal.expedited ? params.expeditedVotingPeriod : params.votingPeriod);
  saveProposal(
    context,
    create(ProposalSchema, {
      ...proposal,
      totalDeposit: wireCoins(total),
      ...(starts && {
        status: VOTING_PERIOD,
        votingStartTime: timestampOf(time),
        votingEndTime: timestampOf(time + period),
      }),
    }),
  );
  const before = findDeposit(context, proposal.id, depositor)?.amount ?? [];
  const amount = wireCoins(sumOf([before, wireCoins(coins)]));
  saveDeposit(context, create(DepositSchema, { proposalId: proposal.id, depositor, amount }));
  context.emit(
    plainEvent('proposal_deposit', [
      ['depositor', depositor],
      ['amount', coinsText(coins)],
      ['proposal_id', String(proposal.id)],
    ]),
  );
  return starts;
}

function requireTexts({ title, summary, metadata, messages }: MsgSubmitProposal): void {
  if (title === '') throw abciError('invalidRequest', 'proposal title cannot be empty');
  if (summary === '') throw abciError('invalidRequest', 'proposal summary cannot be empty');
  if (messages.length === 0 && metadata === '') {
    throw abciError('govNoMessages', 'either metadata or Msgs length must be non-nil');
  }
  if (metadata.length > maxMetadata) throw abciError('govLongMetadata', `got metadata with length ${metadata.length}`);
  if (summary.length > maxSummary) throw abciError('govLongSummary', `got summary with length ${summary.length}`);
  if (title.length > maxMetadata) throw abciError('govLongMetadata', `got title with length ${title.length}`);
}

function submit(context: Context, message: MsgSubmitProposal, decode: (message: Any) => DecodedMessage): bigint {
  requireAddress(message.proposer, 'proposer');
  requireTexts(message);
  const deposit = message.initialDeposit.length === 0 ? [] : parseCoins(message.initialDeposit);
  for (const inner of message.messages) {
    const signers = decode(inner).signers;
    const stranger = signers.find((signer) => signer !== govAddress);
    if (stranger !== undefined || signers.length !== 1) throw abciError('govInvalidSigner', stranger ?? '');
  }
  const { messages, metadata, title, summary, proposer, expedited } = message;
  const { time } = context.block;
  const { maxDepositPeriod } = readParams(context);
  const proposal = create(ProposalSchema, {
    ...{ id: nextProposalId(context), messages, metadata, title, summary, proposer, expedited },
    status: DEPOSIT_PERIOD,
    finalTallyResult: emptyTally(),
    submitTime: timestampOf(time),
    depositEndTime: timestampOf(time + lengthOf(maxDepositPeriod)),
  });
  saveProposal(context, proposal);
  const id = String(proposal.id);
  context.emit(
    plainEvent('submit_proposal', [
      ['proposal_id', id],
      ['proposal_proposer', proposer],
      ['proposal_messages', messages.map(({ typeUrl }) => `,${typeUrl}`).join('')],
    ]),
  );
  // Without a deposit, the voting period cannot begin.
  const starts = deposit.length > 0 && addDeposit(context, proposal, proposer, deposit);
  if (starts) context.emit(plainEvent('submit_proposal', [['voting_period_start', id]]));
  return proposal.id;
}

function deposit(context: Context, id: bigint, depositor: string, amount: readonly Coin[]): void {
  requireAddress(depositor, 'depositor');
  const coins = parseCoins(amount);
  const proposal = findProposal(context, id);
  // Guess: an unknown proposal is refused as a vote on it is.
  if (proposal === undefined || (proposal.status !== DEPOSIT_PERIOD && proposal.status !== VOTING_PERIOD)) {
    throw abciError('govInactive', String(id));
  }
  const starts = addDeposit(context, proposal, depositor, coins);
  if (starts) context.emit(plainEvent('proposal_deposit', [['voting_period_start', String(id)]]));
}

/** Checks the options of a vote: their weights must add up to 1. The texts are recorded for sums below 1 and for an option twice. */
function requireOptions(options: readonly WeightedVoteOption[]): void {
  if (options.length === 0) throw abciError('invalidRequest', 'empty options');
  const earlierOptions = new Set<VoteOption>();
  let total = 0n;
  for (const { option, weight } of options) {
    const part = parseDecimal(weight);
    const isOption = option !== VoteOption.UNSPECIFIED && VoteOption[option] !== undefined;
    if (!isOption || part === undefined || part === 0n || part > one)
      throw abciError('govInvalidVote', `option:${option} weight:"${weight}"`);
    total += part;
    if (earlierOptions.has(option)) throw abciError('govInvalidVote', 'duplicated vote option');
    earlierOptions.add(option);
  }
  if (total > one) throw abciError('govInvalidVote', 'total weight overflow 1.00');
  if (total < one) throw abciError('govInvalidVote', 'total weight lower than 1.00');
}

interface Ballot {
  readonly proposalId: bigint;
  readonly voter: string;
  readonly options: readonly WeightedVoteOption[];
  readonly metadata: string;
}

function vote(context: Context, { proposalId, voter, options, metadata }: Ballot): void {
  requireAddress(voter, 'voter');
  requireOptions(options);
  if (findProposal(context, proposalId)?.status !== VOTING_PERIOD) throw abciError('govInactive', String(proposalId));
  if (metadata.length > maxMetadata) throw abciError('govLongMetadata', `got metadata with length ${metadata.length}`);
  saveVote(context, create(VoteSchema, { proposalId, voter, options: [...options], metadata }));
  const rows = options.map(({ option, weight }) => ({ option, weight }));
  context.emit(
    plainEvent('proposal_vote', [
      ['voter', voter],
      ['option', JSON.stringify(rows)],
      ['proposal_id', String(proposalId)],
    ]),
  );
}

/** Deletes a proposal. A part of the deposits is burned, the rest is paid back. The order of the events is recorded, the refusals are those of the Cosmos SDK. */
function cancel(context: Context, { proposalId, proposer }: MsgCancelProposal) {
  requireAddress(proposer, 'proposer');
  const proposal = findProposal(context, proposalId);
  if (proposal === undefined) throw abciError('govInvalidProposal', `proposal ${proposalId} doesn't exist`);
  if (proposal.proposer !== proposer) throw abciError('govInvalidProposer', `invalid proposer ${proposer}`);
  if (proposal.status !== DEPOSIT_PERIOD && proposal.status !== VOTING_PERIOD) {
    throw abciError('govInvalidProposal', 'proposal should be in the deposit or voting period');
  }
  const { time, height } = context.block;
  if (proposal.status === VOTING_PERIOD && momentOf(proposal.votingEndTime) < time) {
    throw abciError('govVotingEnded', `voting period is already ended for this proposal ${proposalId}`);
  }
  const ratio = parseDecimal(readParams(context).proposalCancelRatio) ?? 0n;
  const charges: Amount[] = [];
  for (const { depositor, amount } of takeDeposits(context, proposalId)) {
    const coins = sumOf([amount]);
    const charged = coins.map(({ denom, amount: whole }) => ({ denom, amount: multiply(whole * one, ratio) / one }));
    const back = coins.map(({ denom, amount: whole }) => ({ denom, amount: whole - amountOf(charged, denom) }));
    charges.push(...charged);
    sendCoins(
      context,
      govAccount,
      decodeAddress(depositor),
      back.filter((coin) => coin.amount > 0n),
    );
  }
  const burned = sumOf([charges]);
  if (burned.length > 0) burnCoins(context, govAccount, burned);
  removeVotes(context, proposalId);
  removeProposal(context, proposalId);
  context.emit(
    plainEvent('cancel_proposal', [
      ['sender', proposer],
      ['proposal_id', String(proposalId)],
    ]),
  );
  return { proposalId, canceledTime: timestampOf(time), canceledHeight: height };
}

/** The messages of x/gov. `decode` finds the signers of the messages in a proposal. */
export function govMessages(decode: (message: Any) => DecodedMessage): MessageHandler[] {
  return [
    onMessage(
      MsgSubmitProposalSchema,
      MsgSubmitProposalResponseSchema,
      ({ proposer }) => [proposer],
      (context, message) => ({ proposalId: submit(context, message, decode) }),
    ),
    onMessage(
      MsgDepositSchema,
      MsgDepositResponseSchema,
      ({ depositor }) => [depositor],
      (context, { proposalId, depositor, amount }) => {
        deposit(context, proposalId, depositor, amount);
        return {};
      },
    ),
    onMessage(
      MsgVoteSchema,
      MsgVoteResponseSchema,
      ({ voter }) => [voter],
      (context, { proposalId, voter, option, metadata }) => {
        const options: WeightedVoteOption[] = [
          { $typeName: 'cosmos.gov.v1.WeightedVoteOption', option, weight: decimalText(one) },
        ];
        vote(context, { proposalId, voter, options, metadata });
        return {};
      },
    ),
    onMessage(
      MsgVoteWeightedSchema,
      MsgVoteWeightedResponseSchema,
      ({ voter }) => [voter],
      (context, message) => {
        vote(context, message);
        return {};
      },
    ),
    onMessage(
      MsgCancelProposalSchema,
      MsgCancelProposalResponseSchema,
      ({ proposer }) => [proposer],
      (context, message) => cancel(context, message),
    ),
  ];
}
