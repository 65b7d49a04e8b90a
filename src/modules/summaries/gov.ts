import { decimal, decimalText, isDecimal } from '../../reads/decimal.ts';
import { andThen } from '../../reads/pin.ts';
import {
  coinFrom,
  enumText,
  join,
  type MessageReader,
  NoSummaryError,
  quote,
  type Summarizers,
  type SummaryContext,
} from './phrases.ts';

const proposalOf = (message: MessageReader): string => `governance proposal ${message.word('proposalId')}`;

const optionOf = (message: MessageReader): string => enumText(message.word('option'), 'VOTE_OPTION_');

/** A weighted option, as in "60 % yes". */
function weightedOption(option: MessageReader): string {
  const weight = option.word('weight');
  if (!isDecimal(weight)) throw new NoSummaryError('not a weight');
  return `${decimalText(decimal(weight).times(100))} % ${optionOf(option)}`;
}

const quotedTitle = (title: string): string => (title === '' ? '' : ` ${quote(title)}`);

async function depositText(message: MessageReader, { coins }: SummaryContext): Promise<string> {
  const deposit = message.parts('initialDeposit');
  return deposit.length === 0 ? '' : ` with a deposit of ${await coins(deposit.map(coinFrom))}`;
}

/** What version 1beta1 proposes, as in "of type ParameterChangeProposal". */
function contentType(content: MessageReader): string {
  const type = content.word('@type');
  return `of type ${type.slice(type.lastIndexOf('.') + 1)}`;
}

const common: Summarizers = {
  MsgVote: (message) => `${message.word('voter')} votes ${optionOf(message)} on ${proposalOf(message)}`,
  MsgVoteWeighted: (message) =>
    `${message.word('voter')} votes ${join(message.parts('options').map(weightedOption))} on ${proposalOf(message)}`,
  MsgDeposit: (message, { coins }) =>
    andThen(
      coins(message.parts('amount').map(coinFrom)),
      (amount) => `${message.word('depositor')} deposits ${amount} for ${proposalOf(message)}`,
    ),
};

/** Summaries of the messages of `cosmos.gov.v1`. */
export const govSummaries: Summarizers = {
  ...common,
  async MsgSubmitProposal(message, context) {
    const kind = `${message.flag('expedited') ? 'expedited ' : ''}governance proposal${quotedTitle(message.freeText('title'))}`;
    const start = `${message.word('proposer')} submits the ${kind}${await depositText(message, context)}`;
    return `${start}${await context.messages(message.parts('messages'))}`;
  },
  MsgCancelProposal: (message) => `${message.word('proposer')} cancels ${proposalOf(message)}`,
  MsgExecLegacyContent(message) {
    const content = message.part('content');
    return `${message.word('authority')} executes the content${quotedTitle(content.freeText('title'))} ${contentType(content)}`;
  },
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the gov module`,
};

/** Summaries of the messages of `cosmos.gov.v1beta1`. */
export const govBetaSummaries: Summarizers = {
  ...common,
  async MsgSubmitProposal(message, context) {
    const content = message.part('content');
    const kind = `governance proposal${quotedTitle(content.freeText('title'))} ${contentType(content)}`;
    return `${message.word('proposer')} submits the ${kind}${await depositText(message, context)}`;
  },
};
