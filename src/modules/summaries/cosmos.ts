import type { JsonValue } from '../../chain/wire/json.ts';
import { andThen } from '../../reads/pin.ts';
import {
  coinFrom,
  count,
  durationText,
  enumText,
  join,
  type MessageReader,
  NoSummaryError,
  quote,
  type Summarizers,
  type SummaryContext,
  timeText,
  verb,
} from './phrases.ts';

/** Outputs of a multi-send that are listed one by one. */
const outputsMax = 3;

/** Summaries of the messages of `cosmos.bank.v1beta1`. */
export const bankSummaries: Summarizers = {
  MsgSend(message, { coins }) {
    const [from, to] = [message.word('fromAddress'), message.word('toAddress')];
    return andThen(coins(message.parts('amount').map(coinFrom)), (amount) => `${from} sends ${amount} to ${to}`);
  },
  async MsgMultiSend(message, { coins }) {
    const inputs = message.parts('inputs');
    const outputs = message.parts('outputs');
    const senders = inputs.map((input) => input.word('address'));
    const subject = `${join(senders)} ${senders.length === 1 ? 'sends' : 'send'}`;
    if (outputs.length > outputsMax) {
      const total = await coins(inputs.flatMap((input) => input.parts('coins').map(coinFrom)));
      return `${subject} ${total} to ${count(outputs.length, 'account')}`;
    }
    const transfers = outputs.map(
      async (output) => `${await coins(output.parts('coins').map(coinFrom))} to ${output.word('address')}`,
    );
    return `${subject} ${join(await Promise.all(transfers))}`;
  },
  MsgSetSendEnabled(message) {
    const rules = message
      .parts('sendEnabled')
      .map((rule) => `${rule.flag('enabled') ? 'enables' : 'disables'} sending of ${rule.word('denom')}`);
    const reset = message.wordList('useDefaultFor').map((denom) => `resets sending of ${denom} to the default`);
    return `${message.word('authority')} ${join([...rules, ...reset])}`;
  },
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the bank module`,
};

/** Levels of nested allowances that are summarized. */
const depthMax = 3;

function lastPart(type: string): string {
  return type.slice(type.lastIndexOf('/') + 1);
}

async function spendLimitText(basic: MessageReader, { coins }: SummaryContext): Promise<string> {
  const limit = basic.parts('spendLimit').map(coinFrom);
  return limit.length === 0 ? 'without limit' : `of up to ${await coins(limit)}`;
}

function expirationText(basic: MessageReader): readonly string[] {
  const expiry = basic.optionalWord('expiration');
  return expiry === undefined ? [] : [`until ${timeText(expiry)}`];
}

/**
 * Summarizes the terms of a fee allowance: "of up to 5 HASH until …". The allowance is canonical JSON with its type in `@type`.
 * Throws `NoSummaryError` for an unknown type.
 */
export async function allowanceSummary(allowance: MessageReader, context: SummaryContext, depth = 0): Promise<string> {
  switch (lastPart(allowance.word('@type'))) {
    case 'cosmos.feegrant.v1beta1.BasicAllowance': {
      return [await spendLimitText(allowance, context), ...expirationText(allowance)].join(' ');
    }
    case 'cosmos.feegrant.v1beta1.PeriodicAllowance': {
      const limit = await context.coins(allowance.parts('periodSpendLimit').map(coinFrom));
      const period = durationText(allowance.word('period')).replace(/^1 (?=\w+$)/, '');
      const basic = allowance.part('basic');
      const total = basic.parts('spendLimit').length === 0 ? [] : [`and ${await spendLimitText(basic, context)} in total`];
      return [`of up to ${limit} every ${period}`, ...total, ...expirationText(basic)].join(' ');
    }
    case 'cosmos.feegrant.v1beta1.AllowedMsgAllowance': {
      if (depth >= depthMax) throw new NoSummaryError('too deep');
      const inner = await allowanceSummary(allowance.part('allowance'), context, depth + 1);
      return `${inner}, for ${join(allowance.wordList('allowedMessages').map(lastPart))} only`;
    }
    default:
      throw new NoSummaryError('an unknown allowance type');
  }
}

/** Summaries of the messages of `cosmos.feegrant.v1beta1`. */
export const feegrantSummaries: Summarizers = {
  MsgGrantAllowance: async (message, context) =>
    `${message.word('granter')} grants ${message.word('grantee')} a fee allowance ${await allowanceSummary(message.part('allowance'), context)}`,
  MsgRevokeAllowance: (message) => `${message.word('granter')} revokes the fee allowance of ${message.word('grantee')}`,
  MsgPruneAllowances: (message) => `${message.word('pruner')} removes expired fee allowances`,
};

const executedNow = (message: MessageReader): string =>
  message.optionalWord('exec') === 'EXEC_TRY' ? ' and tries to execute it immediately' : '';
const group = (message: MessageReader): string => `group ${message.word('groupId')}`;

function passCondition(message: MessageReader): string {
  const policy = message.part('decisionPolicy');
  const windows = policy.optionalPart('windows');
  const period = windows?.optionalWord('votingPeriod');
  const within = period === undefined ? '' : ` within ${durationText(period)}`;
  const threshold = policy.optionalWord('threshold');
  const percentage = policy.optionalWord('percentage');
  if (threshold !== undefined) return `a yes weight of ${threshold}${within}`;
  if (percentage !== undefined) return `a yes share of ${percentage} of the total weight${within}`;
  throw new NoSummaryError('an unknown decision policy');
}

/** A weight of 0 removes a member. */
function memberChanges(message: MessageReader): string {
  const updates = message.parts('memberUpdates');
  return join(
    updates.map((member) => {
      const weight = member.word('weight');
      const address = member.word('address');
      return /^0*(\.0*)?$/.test(weight) ? `removes ${address}` : `sets ${address} to weight ${weight}`;
    }),
  );
}

/** Summaries of the messages of `cosmos.group.v1`. */
export const groupSummaries: Summarizers = {
  MsgCreateGroup: (message) =>
    `${message.word('admin')} creates a group of ${count(message.parts('members').length, 'member')}`,
  MsgUpdateGroupMembers: (message) =>
    `${message.word('admin')} updates the members of ${group(message)}: ${memberChanges(message)}`,
  MsgUpdateGroupAdmin: (message) =>
    `${message.word('admin')} makes ${message.word('newAdmin')} the administrator of ${group(message)}`,
  MsgUpdateGroupMetadata: (message) =>
    `${message.word('admin')} sets the metadata of ${group(message)} to ${quote(message.freeText('metadata'))}`,
  MsgCreateGroupPolicy: (message) =>
    `${message.word('admin')} creates a policy of ${group(message)} whose proposals pass with ${passCondition(message)}`,
  MsgCreateGroupWithPolicy: (message) =>
    `${message.word('admin')} creates a group of ${count(message.parts('members').length, 'member')} with a policy whose proposals pass with ${passCondition(message)}${message.flag('groupPolicyAsAdmin') ? ', and makes the policy its administrator' : ''}`,
  MsgUpdateGroupPolicyAdmin: (message) =>
    `${message.word('admin')} makes ${message.word('newAdmin')} the administrator of the policy ${message.word('groupPolicyAddress')}`,
  MsgUpdateGroupPolicyDecisionPolicy: (message) =>
    `${message.word('admin')} changes the policy ${message.word('groupPolicyAddress')}: proposals pass with ${passCondition(message)}`,
  MsgUpdateGroupPolicyMetadata: (message) =>
    `${message.word('admin')} sets the metadata of the policy ${message.word('groupPolicyAddress')} to ${quote(message.freeText('metadata'))}`,
  MsgSubmitProposal(message, { messages }) {
    const proposers = message.wordList('proposers');
    const title = message.freeText('title');
    const what = title === '' ? 'an untitled proposal' : quote(title);
    const verbs = verb(proposers, 'propose', 'proposes');
    const start = `${join(proposers)} ${verbs} ${what} to the policy ${message.word('groupPolicyAddress')}${executedNow(message)}`;
    return andThen(messages(message.parts('messages')), (nested) => `${start}${nested}`);
  },
  MsgWithdrawProposal: (message) => `${message.word('address')} withdraws proposal ${message.word('proposalId')}`,
  MsgVote: (message) =>
    `${message.word('voter')} votes ${enumText(message.word('option'), 'VOTE_OPTION_')} on proposal ${message.word('proposalId')}${executedNow(message)}`,
  MsgExec: (message) => `${message.word('executor')} executes proposal ${message.word('proposalId')}`,
  MsgLeaveGroup: (message) => `${message.word('address')} leaves ${group(message)}`,
};

/** Summaries of the messages of `cosmos.staking.v1beta1`. */
export const stakingSummaries: Summarizers = {
  MsgCreateValidator: async (message, { coins }) =>
    `${message.word('validatorAddress')} creates the validator ${quote(message.part('description').freeText('moniker'))} with a self-delegation of ${await coins([coinFrom(message.part('value'))])}`,
  MsgEditValidator: (message) => `${message.word('validatorAddress')} changes its description or commission`,
  MsgDelegate: async (message, { coins }) =>
    `${message.word('delegatorAddress')} delegates ${await coins([coinFrom(message.part('amount'))])} to ${message.word('validatorAddress')}`,
  MsgBeginRedelegate: async (message, { coins }) =>
    `${message.word('delegatorAddress')} redelegates ${await coins([coinFrom(message.part('amount'))])} from ${message.word('validatorSrcAddress')} to ${message.word('validatorDstAddress')}`,
  MsgUndelegate: async (message, { coins }) =>
    `${message.word('delegatorAddress')} undelegates ${await coins([coinFrom(message.part('amount'))])} from ${message.word('validatorAddress')}`,
  MsgCancelUnbondingDelegation: async (message, { coins }) =>
    `${message.word('delegatorAddress')} cancels the undelegation of ${await coins([coinFrom(message.part('amount'))])} from ${message.word('validatorAddress')}`,
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the staking module`,
};

/** Summaries of the messages of `cosmos.auth.v1beta1`. */
export const authSummaries: Summarizers = {
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the auth module`,
};

/** Summaries of the messages of `provenance.hold.v1`. */
export const holdSummaries: Summarizers = {
  MsgUnlockVestingAccountsRequest: (message) =>
    `${message.word('authority')} unlocks ${count(message.wordList('addresses').length, 'vesting account')}: ${join(message.wordList('addresses'))}`,
};

/** Summaries of the messages of `provenance.flatfees.v1`. */
export const flatfeesSummaries: Summarizers = {
  MsgUpdateParamsRequest: (message) => `${message.word('authority')} changes the parameters of the flatfees module`,
  async MsgUpdateConversionFactorRequest(message, { coins }) {
    const factor = message.part('conversionFactor');
    const [from, to] = await Promise.all(
      ['definitionAmount', 'convertedAmount'].map((name) => coins([coinFrom(factor.part(name))])),
    );
    return `${message.word('authority')} sets the fee conversion to ${to} for each ${from}`;
  },
  async MsgUpdateMsgFeesRequest(message, { coins }) {
    const nameOf = (type: string): string => type.slice(type.lastIndexOf('/') + 1);
    const set = message.parts('toSet').map(async (fee) => {
      const cost = fee.parts('cost');
      return `${nameOf(fee.word('msgTypeUrl'))} cost ${cost.length === 0 ? 'nothing' : await coins(cost.map(coinFrom))}`;
    });
    const unset = message.wordList('toUnset').map((type) => `${nameOf(type)} cost the default`);
    return `${message.word('authority')} makes ${join([...(await Promise.all(set)), ...unset])}`;
  },
  MsgAddOracleAddressRequest: (message) => `${message.word('authority')} adds the fee oracle ${message.word('oracleAddress')}`,
  MsgRemoveOracleAddressRequest: (message) =>
    `${message.word('authority')} removes the fee oracle ${message.word('oracleAddress')}`,
};

const code = (message: MessageReader): string => `code ${message.word('codeId')}`;

/** Members of the arguments of a call that are listed one by one. */
const argumentsMax = 6;

/** The arguments of a call, as the end of a sentence: `: recipient “tp1…” and amount “5”`. Empty if it has none. */
function argumentsText(value: JsonValue): string {
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) return '';
  if (typeof value !== 'object' || Array.isArray(value)) return `: ${quote(JSON.stringify(value))}`;
  const each = Object.entries(value).map(([name, inner]) => {
    const text = typeof inner === 'string' ? inner : JSON.stringify(inner ?? null);
    return `${/^\w{1,40}$/.test(name) ? name : quote(name)} ${quote(text)}`;
  });
  return `: ${join(each, argumentsMax)}`;
}

/**
 * The call in the message of a contract: its name and its arguments. By convention, the message is an object with one member, whose name is
 * that of the call. undefined for a message of any other form.
 */
function callIn(value: JsonValue): { readonly name: string; readonly input: string } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0) return undefined;
  return { name: entry[0], input: argumentsText(entry[1] ?? null) };
}

/** `the contract X`, with the call that the message makes, and its arguments: `“transfer” of the contract X`, `: amount “5”`. */
function call(message: MessageReader): readonly [what: string, input: string] {
  const contract = `the contract ${message.word('contract')}`;
  const contractCall = callIn(message.json('msg'));
  return contractCall === undefined ? [contract, ''] : [`${quote(contractCall.name)} of ${contract}`, contractCall.input];
}

function input(message: MessageReader): string {
  const value = message.json('msg');
  return typeof value === 'object' ? argumentsText(value) : '';
}

async function funds(message: MessageReader, { coins }: SummaryContext): Promise<string> {
  const coinList = message.parts('funds');
  return coinList.length === 0 ? '' : `, with ${await coins(coinList.map(coinFrom))}`;
}

const instantiates = async (message: MessageReader, context: SummaryContext): Promise<string> =>
  `${message.word('sender')} creates the contract ${quote(message.freeText('label'))} from ${code(message)}${await funds(message, context)}${input(message)}`;

const size = (message: MessageReader): string => count(message.bytes('wasmByteCode').length, 'byte');

/** Summaries of the messages of `cosmwasm.wasm.v1`. */
export const wasmSummaries: Summarizers = {
  MsgStoreCode: (message) => `${message.word('sender')} stores the code of a contract, ${size(message)}`,
  MsgInstantiateContract: instantiates,
  MsgInstantiateContract2: instantiates,
  async MsgExecuteContract(message, context) {
    const [what, args] = call(message);
    return `${message.word('sender')} executes ${what}${await funds(message, context)}${args}`;
  },
  MsgMigrateContract: (message) =>
    `${message.word('sender')} migrates the contract ${message.word('contract')} to ${code(message)}${input(message)}`,
  MsgUpdateAdmin: (message) =>
    `${message.word('sender')} makes ${message.word('newAdmin')} the administrator of the contract ${message.word('contract')}`,
  MsgClearAdmin: (message) => `${message.word('sender')} removes the administrator of the contract ${message.word('contract')}`,
  MsgUpdateInstantiateConfig: (message) => `${message.word('sender')} changes who can create contracts from ${code(message)}`,
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the wasm module`,
  MsgSudoContract(message) {
    const [what, args] = call(message);
    return `${message.word('authority')} executes ${what} with the rights of the chain${args}`;
  },
  MsgPinCodes: (message) => `${message.word('authority')} pins the codes ${join(message.wordList('codeIds'))}`,
  MsgUnpinCodes: (message) => `${message.word('authority')} unpins the codes ${join(message.wordList('codeIds'))}`,
  MsgStoreAndInstantiateContract: async (message, context) =>
    `${message.word('authority')} stores the code of a contract, ${size(message)}, and creates the contract ${quote(message.freeText('label'))} from it${await funds(message, context)}${input(message)}`,
  MsgRemoveCodeUploadParamsAddresses: (message) =>
    `${message.word('authority')} forbids ${join(message.wordList('addresses'))} to store code`,
  MsgAddCodeUploadParamsAddresses: (message) =>
    `${message.word('authority')} allows ${join(message.wordList('addresses'))} to store code`,
  MsgStoreAndMigrateContract: (message) =>
    `${message.word('authority')} stores the code of a contract, ${size(message)}, and migrates the contract ${message.word('contract')} to it${input(message)}`,
  MsgUpdateContractLabel: (message) =>
    `${message.word('sender')} changes the label of the contract ${message.word('contract')} to ${quote(message.freeText('newLabel'))}`,
};
