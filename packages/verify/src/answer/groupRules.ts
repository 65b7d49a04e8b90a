import { concat, equalBytes } from '../bytes.ts';
import { idBytes } from '../plans/keyParts.ts';
import { type DecisionRule, proposalOutcome } from '../plans/rules/outcome.ts';
import { membersWithoutVote, votingTimeLeft } from '../plans/rules/tally.ts';
import { bytesField, uintField } from '../plans/wire.ts';
import { type ChainList, derivedPage, idPageKey, page, pageOf, pageRules, partOf, wholeList } from './pages.ts';
import {
  account,
  accounts,
  addressKey,
  anyRules,
  base64,
  decimal,
  decimalText,
  duration,
  durationText,
  name,
  nameOf,
  nanoseconds,
  nested,
  percentText,
  text,
  time,
  timeText,
  uint,
} from './print.ts';
import { type Call, messagesOf, ownField, type Result, type Rule, type Rules, type Source, source } from './rules.ts';
import type { Steps } from './steps.ts';

// The types of cosmos.group.v1.

const query = '/cosmos.group.v1.Query/';
const statuses = 'UNSPECIFIED SUBMITTED ACCEPTED REJECTED ABORTED WITHDRAWN';
const statusOf = ({ message }: Source): string => nameOf('PROPOSAL_STATUS_', statuses, message.uint(8));
const isOpen = ({ message }: Source): boolean => message.uint(8) === 1n;

/** Reads an object by its key. */
function* one(call: Call, type: string, method: string, ...request: readonly Uint8Array[]): Steps<Source | null> {
  const response = yield* call.ask(query + method, ...request);
  return response && source(type, response.message(1));
}

const groupAt = (call: Call, id: bigint) => one(call, 'Group', 'GroupInfo', uintField(1, id));
const policyAt = (call: Call, address: string) => one(call, 'GroupPolicy', 'GroupPolicyInfo', bytesField(1, address));
const proposalAt = (call: Call, id: bigint) => one(call, 'Proposal', 'Proposal', uintField(1, id));
const voteAt = (call: Call, id: bigint, voter: string) =>
  one(call, 'Vote', 'VoteByProposalVoter', uintField(1, id), bytesField(2, voter));

const idOf = ({ message }: Source): Uint8Array => idBytes(message.uint(1));

const list = (
  type: string,
  method: string,
  start: string,
  of: string | bigint,
  keyOf: ChainList['keyOf'],
  pageKey?: ChainList['pageKey'],
): ChainList => ({
  type,
  name: `${start}/${of}`,
  path: query + method,
  request: typeof of === 'bigint' ? uintField(1, of) : bytesField(1, of),
  items: (response) => messagesOf(response, 1).map((message) => source(type, message)),
  keyOf,
  ...(pageKey && { pageKey }),
});

const memberKey = ({ message }: Source): Uint8Array => addressKey(message.message(2).text(1));
const policyKey = ({ message }: Source): Uint8Array => addressKey(message.text(1));
const voterKey = ({ message }: Source): Uint8Array => addressKey(message.text(2));
const below =
  (id: bigint) =>
  (key: Uint8Array): Uint8Array =>
    concat(idBytes(id), key);

const proposalsOf = (policy: string) =>
  list('Proposal', 'ProposalsByGroupPolicy', 'proposalsByGroupPolicy', policy, idOf, idPageKey);
const votesOf = (id: bigint) => list('Vote', 'VotesByProposal', 'votesByProposal', id, voterKey, below(id));
const votesBy = (voter: string) => list('Vote', 'VotesByVoter', 'votesByVoter', voter, idOf, idPageKey);
const membersOf = (id: bigint) => list('GroupMember', 'GroupMembers', 'groupMembers', id, memberKey, below(id));
const policiesOf = (id: bigint) => list('GroupPolicy', 'GroupPoliciesByGroup', 'groupPoliciesByGroup', id, policyKey);
const policiesBy = (admin: string) => list('GroupPolicy', 'GroupPoliciesByAdmin', 'groupPoliciesByAdmin', admin, policyKey);
const groupsOf = (member: string) => list('Group', 'GroupsByMember', 'groupsByMember', member, idOf);
const groupsBy = (admin: string) => list('Group', 'GroupsByAdmin', 'groupsByAdmin', admin, idOf);
const allGroups: ChainList = { ...list('Group', 'Groups', 'groups', '', idOf), request: new Uint8Array() };

/** The tally of a proposal: the stored one if it is decided, else the live one. */
function* tallyOf(call: Call, proposal: Source): Steps<Source | null> {
  const status = proposal.message.uint(8);
  if (status === 2n || status === 3n) return source('TallyResult', proposal.message.message(9));
  if (status === 4n || status === 5n) return null;
  return yield* liveTally(call, proposal.message.uint(1));
}

function* liveTally(call: Call, id: bigint): Steps<Source | null> {
  const tally = yield* one(call, 'TallyResult', 'TallyResult', uintField(1, id));
  call.level = 'RECOMPUTED';
  return tally && { ...tally, level: 'RECOMPUTED', rule: tallyRule };
}

/** The rules that compute fields, for people. */
const tallyRule = 'tally';
const outcomeRule = 'outcome';
const selectionRule = 'selection by status';
const withoutVoteRule = 'members without a vote';

/** The part of a stored decision policy that decides. */
function decisionOf(policy: Source): DecisionRule {
  const any = policy.message.message(6);
  const value = decimalText(any.message(2).text(1) || '0');
  if (any.text(1) === '/cosmos.group.v1.ThresholdDecisionPolicy') return { kind: 'threshold', threshold: value };
  if (any.text(1) === '/cosmos.group.v1.PercentageDecisionPolicy') return { kind: 'percentage', percentage: value };
  return { kind: 'other' };
}

function* outcomeOf(call: Call): Steps<Result> {
  const { on } = call;
  if (!isOpen(on)) return null;
  const tally = yield* one(call, 'TallyResult', 'TallyResult', uintField(1, on.message.uint(1)));
  const policy = yield* policyAt(call, on.message.text(2));
  const group = policy && (yield* groupAt(call, policy.message.uint(2)));
  if (tally === null || policy === null || group === null) return null;
  const [yesCount = '', abstainCount = '', noCount = '', noWithVetoCount = ''] = [1, 2, 3, 4].map(
    (field) => tally.message.text(field) || '0',
  );
  const counts = { yesCount, abstainCount, noCount, noWithVetoCount };
  const outcome = proposalOutcome(decisionOf(policy), counts, group.message.text(5) || '0');
  return outcome && source('ProposalOutcome', on.message, { own: { ...outcome }, level: 'RECOMPUTED', rule: outcomeRule });
}

function* pendingVoters(call: Call): Steps<Result> {
  const { on } = call;
  const id = on.message.uint(1);
  const policy = isOpen(on) ? yield* policyAt(call, on.message.text(2)) : null;
  if (policy === null) return null;
  const votes = yield* wholeList(call, votesOf(id));
  const members = yield* wholeList(call, membersOf(policy.message.uint(2)));
  const pending = membersWithoutVote(
    members.map((member) => ({ member, address: member.message.message(2).text(1) })),
    votes.map(({ message }) => ({ voter: message.text(2) })),
  );
  const whole = pending.map(({ member }) => member);
  return derivedPage(call, 'GroupMember', `pendingVoters/${id}`, whole, memberKey, withoutVoteRule);
}

/** A member of a group by address; null if the account is not one. */
function* memberOf(call: Call, group: bigint, address: string): Steps<Result> {
  const key = addressKey(address);
  const part = yield* partOf(call, membersOf(group), { key: below(group)(key), limit: 1 });
  return part?.items.find((member) => equalBytes(memberKey(member), key)) ?? null;
}

function* memberOfVote(call: Call): Steps<Result> {
  const proposal = yield* proposalAt(call, call.on.message.uint(1));
  const policy = proposal && (yield* policyAt(call, proposal.message.text(2)));
  return policy && (yield* memberOf(call, policy.message.uint(2), call.on.message.text(2)));
}

/** The statuses in an argument; undefined if none is named. */
function statusesIn({ args }: Call): readonly string[] | undefined {
  const { status = null } = args;
  if (status === null) return undefined;
  return (Array.isArray(status) ? status : [status]).map(String);
}

function byStatus(call: Call, start: string, whole: readonly Source[]): Result {
  const choice = statusesIn(call);
  const selected = choice === undefined ? whole : whole.filter((proposal) => choice.includes(statusOf(proposal)));
  const label = choice === undefined ? '*' : [...new Set(choice)].sort().join();
  return derivedPage(call, 'Proposal', `${start}/${label}`, selected, idOf, selectionRule);
}

/** The proposals of all policies of groups, by id. */
function* proposalsOfGroups(call: Call, groups: readonly bigint[]): Steps<readonly Source[]> {
  const proposals: Source[] = [];
  for (const group of groups)
    for (const policy of yield* wholeList(call, policiesOf(group)))
      proposals.push(...(yield* wholeList(call, proposalsOf(policy.message.text(1)))));
  return proposals.sort((one, other) => (one.message.uint(1) < other.message.uint(1) ? -1 : 1));
}

function* accountProposals(call: Call): Steps<Result> {
  const address = ownAddress(call);
  const isAwaiting = call.args.awaitingVote === true;
  const groups = yield* wholeList(call, groupsOf(address));
  const all = yield* proposalsOfGroups(
    call,
    groups.map(({ message }) => message.uint(1)),
  );
  const votes = isAwaiting ? yield* wholeList(call, votesBy(address)) : [];
  const voted = new Set(votes.map(({ message }) => message.uint(1)));
  const open = (proposal: Source): boolean => !isAwaiting || (isOpen(proposal) && !voted.has(proposal.message.uint(1)));
  return byStatus(call, `accountProposals/${address}/${isAwaiting}`, all.filter(open));
}

/** The address of an object of type `Account`. */
export const ownAddress = ({ on }: Call): string => String(on.own?.address);

/** A field that is an object by the id in a field of the message. */
const groupOf = (field: number): Rule => ({
  types: ['Group'],
  value: (call) => groupAt(call, call.on.message.uint(field)),
});

const windows: Rule = {
  types: ['DecisionPolicyWindows'],
  value: ({ on }) =>
    on.type === 'OtherDecisionPolicy' ? null : source('DecisionPolicyWindows', on.message.message(2).message(2)),
};
const policyTypes = ['ThresholdDecisionPolicy', 'PercentageDecisionPolicy', 'OtherDecisionPolicy'];
const policyRules: Rules = { type: text(1), windows };
const tallyFields: Rules = { yesCount: decimal(1), abstainCount: decimal(2), noCount: decimal(3), noWithVetoCount: decimal(4) };

const recomputed = (rule: string, more: Omit<Rule, 'level' | 'rule'>): Rule => ({ level: 'RECOMPUTED', rule, ...more });

const outcomeFields =
  'decision totalWeight undecidedWeight yesNeeded yesPercent abstainPercent noPercent noWithVetoPercent votedPercent';

/** The rules of the types of groups. */
export const groupRules: Readonly<Record<string, Rules>> = {
  Group: {
    id: uint(1),
    admin: account(2),
    metadata: text(3),
    version: uint(4),
    totalWeight: decimal(5),
    createdAt: time(6),
    members: page('GroupMember', ({ on }) => membersOf(on.message.uint(1))),
    member: {
      types: ['GroupMember'],
      value: (call) => memberOf(call, call.on.message.uint(1), call.address('address')),
    },
    policies: page('GroupPolicy', ({ on }) => policiesOf(on.message.uint(1))),
    proposals: recomputed(selectionRule, {
      types: ['ProposalConnection'],
      *value(call): Steps<Result> {
        const id = call.on.message.uint(1);
        return byStatus(call, `groupProposals/${id}`, yield* proposalsOfGroups(call, [id]));
      },
    }),
  },
  GroupMember: {
    groupId: uint(1),
    group: groupOf(1),
    account: account(2, 1),
    weight: decimal(2, 2),
    metadata: text(2, 3),
    addedAt: time(2, 4),
    weightPercent: recomputed('percentage', {
      *value(call): Steps<Result> {
        const group = yield* groupAt(call, call.on.message.uint(1));
        return group && percentText(call.on.message.message(2).text(2) || '0', group.message.text(5) || '0');
      },
    }),
  },
  GroupPolicy: {
    address: text(1),
    account: account(1),
    groupId: uint(2),
    group: groupOf(2),
    admin: account(3),
    metadata: text(4),
    version: uint(5),
    decisionPolicy: {
      types: policyTypes,
      value({ on }) {
        const any = on.message.message(6);
        const type = policyTypes.find((one) => any.text(1) === `/cosmos.group.v1.${one}`) ?? 'OtherDecisionPolicy';
        return source(type, any);
      },
    },
    createdAt: time(7),
    proposals: {
      types: ['ProposalConnection'],
      *value(call): Steps<Result> {
        const address = call.on.message.text(1);
        const { args } = call;
        if ((args.status ?? null) === null) return yield* pageOf(call, proposalsOf(address));
        call.level = 'RECOMPUTED';
        return byStatus(call, `policyProposals/${address}`, yield* wholeList(call, proposalsOf(address)));
      },
    },
  },
  ThresholdDecisionPolicy: { ...policyRules, threshold: decimal(2, 1) },
  PercentageDecisionPolicy: { ...policyRules, percentage: decimal(2, 1) },
  OtherDecisionPolicy: { ...policyRules, value: base64(2) },
  DecisionPolicyWindows: { votingPeriod: duration(1), minExecutionPeriod: duration(2) },
  Proposal: {
    id: uint(1),
    groupPolicyAddress: text(2),
    groupPolicy: { types: ['GroupPolicy'], value: (call) => policyAt(call, call.on.message.text(2)) },
    metadata: text(3),
    proposers: accounts(4),
    submitTime: time(5),
    groupVersion: uint(6),
    groupPolicyVersion: uint(7),
    status: { value: ({ on }) => statusOf(on) },
    finalTallyResult: nested('TallyResult', 9),
    votingPeriodEnd: time(10),
    executorResult: name(11, 'PROPOSAL_EXECUTOR_RESULT_', 'UNSPECIFIED NOT_RUN SUCCESS FAILURE'),
    messages: {
      types: ['AnyMessage'],
      value: ({ on }) => messagesOf(on.message, 12).map((message) => source('AnyMessage', message)),
    },
    title: text(13),
    summary: text(14),
    tally: { types: ['TallyResult'], rule: tallyRule, value: (call) => tallyOf(call, call.on) },
    outcome: recomputed(outcomeRule, { types: ['ProposalOutcome'], value: outcomeOf }),
    votingTimeLeft: recomputed('time left', {
      value: ({ on, run }) =>
        isOpen(on) ? durationText(votingTimeLeft(nanoseconds(on.message.message(10)), run.context.time)) : null,
    }),
    executableFrom: recomputed('earliest execution', {
      *value(call): Steps<Result> {
        const policy = yield* policyAt(call, call.on.message.text(2));
        if (policy === null || decisionOf(policy).kind === 'other') return null;
        const wait = policy.message.message(6).message(2).message(2).message(2);
        return timeText(nanoseconds(call.on.message.message(5)) + nanoseconds(wait));
      },
    }),
    votes: page('Vote', ({ on }) => votesOf(on.message.uint(1))),
    vote: {
      types: ['Vote'],
      value: (call) => voteAt(call, call.on.message.uint(1), call.address('voter')),
    },
    pendingVoters: recomputed(withoutVoteRule, { types: ['GroupMemberConnection'], value: pendingVoters }),
  },
  AnyMessage: anyRules,
  TallyResult: tallyFields,
  ProposalOutcome: Object.fromEntries(
    outcomeFields.split(' ').map((field) => [field, ownField(field, { level: 'RECOMPUTED' })]),
  ),
  Vote: {
    proposalId: uint(1),
    proposal: { types: ['Proposal'], value: (call) => proposalAt(call, call.on.message.uint(1)) },
    voter: account(2),
    option: name(3, 'VOTE_OPTION_', 'UNSPECIFIED YES ABSTAIN NO NO_WITH_VETO'),
    metadata: text(4),
    submitTime: time(5),
    member: { types: ['GroupMember'], value: memberOfVote },
  },
  ...pageRules('Group'),
  ...pageRules('GroupMember'),
  ...pageRules('GroupPolicy'),
  ...pageRules('Proposal'),
  ...pageRules('Vote'),
};

/** The fields of accounts about groups. */
export const groupAccountRules: Rules = {
  groups: page('Group', (call) => groupsOf(ownAddress(call))),
  administeredGroups: page('Group', (call) => groupsBy(ownAddress(call))),
  administeredGroupPolicies: page('GroupPolicy', (call) => policiesBy(ownAddress(call))),
  votes: page('Vote', (call) => votesBy(ownAddress(call))),
  groupProposals: recomputed(selectionRule, { types: ['ProposalConnection'], value: accountProposals }),
  groupPolicy: { types: ['GroupPolicy'], value: (call) => policyAt(call, ownAddress(call)) },
};

/** The root fields about groups. */
export const groupQueryRules: Rules = {
  proposal: { types: ['Proposal'], value: (call) => proposalAt(call, call.uint('id')) },
  proposalsByGroupPolicy: page('Proposal', (call) => proposalsOf(call.address('address'))),
  tallyResult: {
    types: ['TallyResult'],
    rule: tallyRule,
    *value(call): Steps<Result> {
      const proposal = yield* proposalAt(call, call.uint('proposalId'));
      return proposal && (yield* tallyOf(call, proposal));
    },
  },
  voteByProposalVoter: {
    types: ['Vote'],
    value: (call) => voteAt(call, call.uint('proposalId'), call.address('voter')),
  },
  votesByProposal: page('Vote', (call) => votesOf(call.uint('proposalId'))),
  votesByVoter: page('Vote', (call) => votesBy(call.address('voter'))),
  group: { types: ['Group'], value: (call) => groupAt(call, call.uint('id')) },
  groups: page('Group', () => allGroups),
  groupsByAdmin: page('Group', (call) => groupsBy(call.address('admin'))),
  groupsByMember: page('Group', (call) => groupsOf(call.address('address'))),
  groupMembers: page('GroupMember', (call) => membersOf(call.uint('groupId'))),
  groupPolicy: { types: ['GroupPolicy'], value: (call) => policyAt(call, call.address('address')) },
  groupPoliciesByGroup: page('GroupPolicy', (call) => policiesOf(call.uint('groupId'))),
  groupPoliciesByAdmin: page('GroupPolicy', (call) => policiesBy(call.address('admin'))),
};
