import { andThen } from '../../reads/loader.ts';
import { type MessageReader, NoSummaryError } from './message.ts';
import { count, durationText, enumText, join, quote, verb } from './phrases.ts';
import type { Summarizers } from './summarizer.ts';

const executedNow = (message: MessageReader): string =>
  message.optionalWord('exec') === 'EXEC_TRY' ? ' and tries to execute it immediately' : '';
const group = (message: MessageReader): string => `group ${message.word('groupId')}`;

/** The condition under which proposals pass. */
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
