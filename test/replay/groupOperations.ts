import type { JsonObject } from '../../src/chain/wire/json.ts';
import type { QueryRow } from '../recordings/recordings.ts';

/** A GraphQL operation over HTTP. */
export interface Operation {
  readonly document: string;
  readonly variables: JsonObject;
}

const tally = 'yesCount abstainCount noCount noWithVetoCount';
const vote = 'proposalId voter { address } option metadata submitTime';
const group = 'id admin { address } metadata version totalWeight createdAt';
const member = 'groupId account { address } weight metadata addedAt';
const policy = `address groupId admin { address } metadata version createdAt decisionPolicy {
  __typename type json windows { votingPeriod minExecutionPeriod }
  ... on ThresholdDecisionPolicy { threshold } ... on PercentageDecisionPolicy { percentage } }`;
const proposal = `id groupPolicyAddress metadata proposers { address } submitTime groupVersion groupPolicyVersion status
  finalTallyResult { ${tally} } votingPeriodEnd executorResult messages { type value json } title summary`;

interface Field {
  /** The GraphQL field. */
  readonly name: string;
  /** Its arguments except those of the page: name, type, and the name in the request. */
  readonly arguments: readonly (readonly [name: string, type: string, from: string])[];
  readonly selection: string;
  /** The field of the chain's response that holds the result, and whether it is a list. */
  readonly from: string;
  readonly list: boolean;
}

const one = (name: string, args: Field['arguments'], selection: string, from: string): Field => ({
  name,
  arguments: args,
  selection,
  from,
  list: false,
});
const many = (name: string, args: Field['arguments'], selection: string, from: string): Field => ({
  ...one(name, args, selection, from),
  list: true,
});

/** The GraphQL field for each query of `cosmos.group.v1.Query`. */
export const groupFields: Readonly<Record<string, Field>> = {
  Proposal: one('proposal', [['id', 'ID!', 'proposalId']], proposal, 'proposal'),
  TallyResult: one('tallyResult', [['proposalId', 'ID!', 'proposalId']], tally, 'tally'),
  GroupInfo: one('group', [['id', 'ID!', 'groupId']], group, 'info'),
  GroupPolicyInfo: one('groupPolicy', [['address', 'String!', 'address']], policy, 'info'),
  VoteByProposalVoter: one(
    'voteByProposalVoter',
    [
      ['proposalId', 'ID!', 'proposalId'],
      ['voter', 'String!', 'voter'],
    ],
    vote,
    'vote',
  ),
  ProposalsByGroupPolicy: many('proposalsByGroupPolicy', [['address', 'String!', 'address']], proposal, 'proposals'),
  VotesByProposal: many('votesByProposal', [['proposalId', 'ID!', 'proposalId']], vote, 'votes'),
  VotesByVoter: many('votesByVoter', [['voter', 'String!', 'voter']], vote, 'votes'),
  GroupMembers: many('groupMembers', [['groupId', 'ID!', 'groupId']], member, 'members'),
  GroupPoliciesByGroup: many('groupPoliciesByGroup', [['groupId', 'ID!', 'groupId']], policy, 'group_policies'),
  GroupPoliciesByAdmin: many('groupPoliciesByAdmin', [['admin', 'String!', 'admin']], policy, 'group_policies'),
  GroupsByAdmin: many('groupsByAdmin', [['admin', 'String!', 'admin']], group, 'groups'),
  GroupsByMember: many('groupsByMember', [['address', 'String!', 'address']], group, 'groups'),
  Groups: many('groups', [], group, 'groups'),
};

/** Returns the GraphQL field for the query of a row. */
export function fieldOf(row: QueryRow): Field {
  const field = groupFields[row.path.split('/').at(-1) ?? ''];
  if (field === undefined) throw new Error(`no field for ${row.path}`);
  return field;
}

/**
 * Whether the chain counts the whole list for this row: on request, and always without a limit (docs/chain.md, "Page
 * requests").
 */
export function counts(row: QueryRow): boolean {
  const page = row.requestJson.pagination as JsonObject | undefined;
  return page?.key === undefined && (page?.countTotal === true || page?.limit === undefined || page.limit === '0');
}

/** Returns the GraphQL operation for a row. `after` is the cursor that replaces the page key; `reverse` is that of the row. */
export function operationOf(row: QueryRow, after?: string): Operation {
  const field = fieldOf(row);
  const page = (row.requestJson.pagination ?? {}) as JsonObject;
  const variables: JsonObject = Object.fromEntries(field.arguments.map(([name, , from]) => [name, row.requestJson[from]]));
  if (!field.list) {
    const declared = field.arguments.map(([name, type]) => `$${name}: ${type}`).join(', ');
    const passed = field.arguments.map(([name]) => `${name}: $${name}`).join(', ');
    return { document: `query(${declared}) { answer: ${field.name}(${passed}) { ${field.selection} } }`, variables };
  }
  const args: Field['arguments'] = [
    ...field.arguments,
    ['first', 'Int', ''],
    ['offset', 'Int', ''],
    ['after', 'String', ''],
    ['reverse', 'Boolean', ''],
  ];
  if (page.limit !== undefined && page.limit !== '0') variables.first = Number(page.limit);
  if (page.offset !== undefined) variables.offset = Number(page.offset);
  if (after !== undefined) variables.after = after;
  if (page.reverse === true) variables.reverse = true;
  const document = `query(${args.map(([name, type]) => `$${name}: ${type}`).join(', ')}) {
    answer: ${field.name}(${args.map(([name]) => `${name}: $${name}`).join(', ')}) {
      nodes { ${field.selection} } pageInfo { hasNextPage endCursor } ${counts(row) ? 'totalCount' : ''} } }`;
  return { document, variables };
}
