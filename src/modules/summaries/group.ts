import { type Message, NotToldError } from './message.ts';
import { count, durationWords, enumWords, join, quote, verb } from './phrases.ts';
import type { Sentences } from './sentence.ts';

const isTried = (message: Message): string => (message.maybe('exec') === 'EXEC_TRY' ? ' and tries to run it at once' : '');
const group = (message: Message): string => `group ${message.text('groupId')}`;

/** What must be met for a proposal to pass. */
function rule(message: Message): string {
  const policy = message.part('decisionPolicy');
  const windows = policy.maybePart('windows');
  const period = windows?.maybe('votingPeriod');
  const within = period === undefined ? '' : ` within ${durationWords(period)}`;
  const threshold = policy.maybe('threshold');
  const percentage = policy.maybe('percentage');
  if (threshold !== undefined) return `a yes weight of ${threshold}${within}`;
  if (percentage !== undefined) return `a yes share of ${percentage} of the total weight${within}`;
  throw new NotToldError('another decision policy');
}

/** Weight "0" takes a member out. */
function memberChanges(message: Message): string {
  const updates = message.parts('memberUpdates');
  return join(
    updates.map((member) => {
      const weight = member.text('weight');
      return `${member.text('address')} ${/^0*(\.0*)?$/.test(weight) ? 'out' : `to weight ${weight}`}`;
    }),
  );
}

/** `cosmos.group.v1`. */
export const groupSentences: Sentences = {
  MsgCreateGroup: (message) =>
    `${message.text('admin')} creates a group of ${count(message.parts('members').length, 'member')}`,
  MsgUpdateGroupMembers: (message) => `${message.text('admin')} sets members of ${group(message)}: ${memberChanges(message)}`,
  MsgUpdateGroupAdmin: (message) =>
    `${message.text('admin')} makes ${message.text('newAdmin')} the administrator of ${group(message)}`,
  MsgUpdateGroupMetadata: (message) =>
    `${message.text('admin')} sets the metadata of ${group(message)} to ${quote(message.free('metadata'))}`,
  MsgCreateGroupPolicy: (message) =>
    `${message.text('admin')} creates a policy of ${group(message)} whose proposals pass with ${rule(message)}`,
  MsgCreateGroupWithPolicy: (message) =>
    `${message.text('admin')} creates a group of ${count(message.parts('members').length, 'member')} with a policy whose proposals pass with ${rule(message)}${message.flag('groupPolicyAsAdmin') ? ', and makes the policy its administrator' : ''}`,
  MsgUpdateGroupPolicyAdmin: (message) =>
    `${message.text('admin')} makes ${message.text('newAdmin')} the administrator of the policy ${message.text('groupPolicyAddress')}`,
  MsgUpdateGroupPolicyDecisionPolicy: (message) =>
    `${message.text('admin')} lets proposals of the policy ${message.text('groupPolicyAddress')} pass with ${rule(message)}`,
  MsgUpdateGroupPolicyMetadata: (message) =>
    `${message.text('admin')} sets the metadata of the policy ${message.text('groupPolicyAddress')} to ${quote(message.free('metadata'))}`,
  async MsgSubmitProposal(message, { messages }) {
    const proposers = message.texts('proposers');
    const title = message.free('title');
    const what = title === '' ? 'something' : quote(title);
    const verbs = verb(proposers, 'propose', 'proposes');
    return `${join(proposers)} ${verbs} ${what} to the policy ${message.text('groupPolicyAddress')}${isTried(message)}${await messages(message.parts('messages'))}`;
  },
  MsgWithdrawProposal: (message) => `${message.text('address')} withdraws proposal ${message.text('proposalId')}`,
  MsgVote: (message) =>
    `${message.text('voter')} votes ${enumWords(message.text('option'), 'VOTE_OPTION_')} on proposal ${message.text('proposalId')}${isTried(message)}`,
  MsgExec: (message) => `${message.text('executor')} runs proposal ${message.text('proposalId')}`,
  MsgLeaveGroup: (message) => `${message.text('address')} leaves ${group(message)}`,
};
