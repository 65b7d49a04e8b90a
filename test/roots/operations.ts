import {
  type GraphQLField,
  type GraphQLNamedOutputType,
  getNamedType,
  getOperationAST,
  isCompositeType,
  isInterfaceType,
  isRequiredArgument,
  isUnionType,
  parse,
} from 'graphql';
import { createFixtures } from '../../packages/devnet/src/app/fixtures/fixtures.ts';
import { createAccounts } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { contracts } from '../../packages/devnet/src/app/world/contracts.ts';
import { scopeAddresses } from '../../packages/devnet/src/app/world/scopes.ts';
import { tokens } from '../../packages/devnet/src/app/world/tokens.ts';
import { vestingAccount } from '../../packages/devnet/src/app/world/vesting.ts';
import { createNeedsOf } from '../../src/graphql/documents/operationChecks.ts';
import { schema } from '../../src/graphql/schema.ts';
import { denoms, groupIds, labels, openName, policies, scopes } from './randomMessages.ts';

/** A root field with arguments and a selection. */
export interface RootField {
  /** The name of the field, or `module` with the name of the method. */
  readonly name: string;
  /** The text of the field in a document, without an alias. */
  readonly text: string;
}

/** What to read at a height. */
export interface Choice {
  readonly height: bigint;
  /** The ids of some proposals at this height. */
  readonly proposals: readonly bigint[];
  /** A number for each kind of choice: the arguments, and the selection. */
  readonly args: number;
  readonly selection: number;
}

/** The arguments of a root field; a function for those that depend on the state. */
type Arguments = string | ((choice: Choice) => string);

const accounts = createAccounts(10);
const { policies: genesisPolicies } = createFixtures(accounts);
const people = accounts.map(({ address }) => address);
const [first, second] = people as [string, string];
const [owner, vesting] = people.slice(8) as [string, string];
const quoted = (name: string, texts: readonly string[]): string[] => texts.map((text) => `${name}: "${text}"`);
const holders = [first, owner, vesting, vestingAccount, genesisPolicies.board.address];
const board = genesisPolicies.board.address;
const operations = genesisPolicies.operations.address;
/** Proposals that exist, and one that does not. */
const proposal = (name: string): Arguments[] => [
  ...[0, 1, -1, -2, -3].map(
    (index) =>
      ({ proposals }: Choice) =>
        `${name}: "${proposals.at(index)}"`,
  ),
  `${name}: "9999"`,
];
const earlier = ({ height }: Choice): string => (height > 3n ? height - 2n : height).toString();

/** The arguments that each root field is read with. A field without an entry fails the test. */
const argumentsOf: Readonly<Record<string, readonly Arguments[]>> = {
  _entities: [`representations: [{ __typename: "Group", id: "1" }, { __typename: "Account", address: "${owner}" }]`],
  account: quoted('address', holders),
  accountData: quoted('account', [first, owner]),
  at: [(choice) => `height: "${earlier(choice)}"`],
  attribute: [owner, first].flatMap((account) => labels.map((label) => `account: "${account}", name: "${label}.${openName}"`)),
  attributeAccounts: quoted('name', ['kyc.pb', 'asset.pb', ...labels.map((label) => `${label}.${openName}`)]),
  attributeScan: [`account: "${owner}", suffix: "${openName}"`, `account: "${first}", suffix: "pb"`],
  attributes: quoted('account', [owner, first, second]),
  block: ['', (choice) => `height: "${earlier(choice)}"`],
  blockAt: ['time: "2026-01-01T00:00:00Z"'],
  blockByHash: [`hash: "${'00'.repeat(32)}"`],
  blockResults: [''],
  blocks: ['maxHeight: "3"', ({ height }) => `maxHeight: "${height}", first: 2`],
  consensusParams: [''],
  contract: quoted('address', [contracts.points, contracts.vouchers, first]),
  contractCode: quoted('id', ['1', '2', '9']),
  contractSpecification: ['id: "22222222-2222-4333-8444-555555555555"', 'id: "aaaaaaaa-2222-4333-8444-555555555555"'],
  denomMetadata: quoted('denom', ['nhash', tokens.gold, ...denoms]),
  describeMessages: ['messages: []'],
  feeGrant: [owner, first].flatMap((granter) => [second, people[3]!].map((to) => `granter: "${granter}", grantee: "${to}"`)),
  feeToken: [''],
  genesis: [''],
  govParams: [''],
  govProposal: quoted('id', ['1', '5', '6', '9999']),
  govProposalRecord: quoted('id', ['1', '6', '9999']),
  govProposalRecords: ['', 'first: 2'],
  govProposals: ['', 'first: 2'],
  group: quoted('id', ['1', '4', ...groupIds.map(String)]),
  groupMembers: quoted('groupId', ['1', ...groupIds.map(String)]),
  groupPoliciesByAdmin: quoted('admin', [first, owner]),
  groupPoliciesByGroup: quoted('groupId', ['1', '4', ...groupIds.map(String)]),
  groupPolicy: quoted('address', [board, operations, ...policies]),
  groups: ['', 'first: 2'],
  groupsByAdmin: quoted('admin', [first, owner]),
  groupsByMember: quoted('address', [first, owner, vesting]),
  head: [''],
  header: ['', (choice) => `height: "${earlier(choice)}"`],
  headerByHash: [`hash: "${'00'.repeat(32)}"`],
  holders: quoted('denom', [tokens.gold, tokens.share, ...denoms]),
  market: quoted('id', ['1', '2', '99']),
  marketOrder: quoted('id', ['1', '999']),
  markets: ['', 'first: 1'],
  marker: quoted('denom', ['nhash', tokens.gold, ...denoms]),
  markers: [''],
  messageFee: ['type: "/cosmos.bank.v1beta1.MsgSend"'],
  modules: ['prefix: "cosmos.bank"'],
  name: quoted('name', ['pb', 'kyc.pb', ...labels.map((label) => `${label}.${openName}`)]),
  payment: [`source: "${second}", externalId: "rent"`, `source: "${second}", externalId: "none"`],
  proposal: proposal('id'),
  proposalRecord: proposal('id'),
  proposalRecords: ['', 'first: 2'],
  proposalsByGroupPolicy: quoted('address', [board, operations, ...policies]),
  recordSpecification: ['id: "recspec1q53zyg3zyg3yxvuyg32424242427mdr9vfpfreq983k9af9haveq68m3vyc"'],
  rehearse: [`groupPolicyAddress: "${board}", messages: []`],
  scope: quoted('id', [scopeAddresses[0]!, ...scopes]),
  scopeRecord: quoted('id', [
    'record1qgenxvenyg3yxvuyg32424242427mdr9vfpfreq983k9af9haveq6ej5dw8',
    'record1qgenxvenzyg5yg5rxdzyg424venp0pw0cw7x43mn369n3nwv6xh3yq4vhx0',
  ]),
  search: ['text: "pay", first: 3', 'text: "a", first: 3'],
  scopeSession: ['id: "session1qyenxvenyg3yxvuyg3242424242n5w368gg3zs3zsve5g3zyg3zygzefalr"'],
  scopeSpecification: ['id: "11111111-2222-4333-8444-555555555555"', 'id: "aaaaaaaa-2222-4333-8444-555555555555"'],
  scopes: ['', 'first: 3'],
  stakingPool: [''],
  supplyOf: quoted('denom', ['nhash', tokens.dollar, ...denoms]),
  tallyResult: proposal('proposalId'),
  totalSupply: ['', 'first: 3'],
  validator: [`address: "${'00'.repeat(20)}"`],
  validators: [''],
  voteByProposalVoter: [0, 1].map(
    (index) =>
      ({ proposals }) =>
        `proposalId: "${proposals[index]}", voter: "${first}"`,
  ),
  votesByProposal: proposal('proposalId'),
  votesByVoter: quoted('voter', [first, owner, vesting]),
};

/** The selections of root fields whose types have too many fields, or fields of the same name with different types. */
const selections: Readonly<Record<string, string>> = {
  _entities: '{ __typename ... on Group { id version metadata asOfHeight } ... on Account { sequence asOfHeight } }',
  at: '{ group(id: "1") { id version asOfHeight } }',
};

/** The query methods that `module` calls, with their requests in protobuf JSON. */
const moduleRequests: Readonly<Record<string, readonly string[]>> = {
  'cosmos.bank.v1beta1.Query/AllBalances': holders.map((address) => `{ address: "${address}" }`),
  'cosmos.bank.v1beta1.Query/SpendableBalances': holders.map((address) => `{ address: "${address}" }`),
  'cosmos.bank.v1beta1.Query/SpendableBalanceByDenom': holders.map((address) => `{ address: "${address}", denom: "nhash" }`),
  'cosmos.bank.v1beta1.Query/TotalSupply': ['{}'],
  'cosmos.auth.v1beta1.Query/Account': holders.map((address) => `{ address: "${address}" }`),
  'cosmos.auth.v1beta1.Query/ModuleAccounts': ['{}'],
  'cosmos.feegrant.v1beta1.Query/Allowances': [first, second].map((grantee) => `{ grantee: "${grantee}" }`),
  'cosmos.group.v1.Query/GroupMembers': groupIds.map((id) => `{ groupId: "${id}" }`),
  'cosmos.group.v1.Query/ProposalsByGroupPolicy': [operations, ...policies].map((address) => `{ address: "${address}" }`),
  'cosmos.staking.v1beta1.Query/Validators': ['{}'],
  'provenance.attribute.v1.Query/Attributes': [owner, first].map((account) => `{ account: "${account}" }`),
  'provenance.attribute.v1.Query/AccountData': [first, owner].map((account) => `{ account: "${account}" }`),
  'provenance.name.v1.Query/Resolve': labels.map((label) => `{ name: "${label}.${openName}" }`),
  'provenance.marker.v1.Query/AllMarkers': ['{}'],
  'provenance.marker.v1.Query/Escrow': denoms.map((id) => `{ id: "${id}" }`),
  'provenance.marker.v1.Query/NetAssetValues': [...denoms, tokens.gold].map((id) => `{ id: "${id}" }`),
  'provenance.metadata.v1.Query/Scope': scopes.map((scopeId) => `{ scopeId: "${scopeId}" }`),
  'provenance.metadata.v1.Query/ValueOwnership': [owner, vesting].map((address) => `{ address: "${address}" }`),
  'provenance.hold.v1.Query/GetHolds': [owner, first].map((address) => `{ address: "${address}" }`),
  'provenance.flatfees.v1.Query/Params': ['{}'],
};

/** Fields that depend on the height itself. A selection leaves them out, so that its answer can be carried, or contains them. */
const ofHeight: ReadonlySet<string> = new Set([
  ...['Proposal.rehearsal', 'Proposal.votingTimeLeft', 'Account.transfers', 'Marker.transfers', 'Marker.netAssetValueHistory'],
  ...['Scope.netAssetValueHistory', 'Snapshot.at'],
]);

/** Whether a field can be selected without arguments. */
function isPlain(field: GraphQLField<unknown, unknown>): boolean {
  return !field.args.some(isRequiredArgument);
}

/** The selection of a type: its scalars, and those of its objects down to `depth`. Empty for a scalar. */
function selectionOf(type: GraphQLNamedOutputType, depth: number, whole: boolean): string {
  if (!isCompositeType(type)) return '';
  if (isUnionType(type) || isInterfaceType(type)) {
    const members = schema.getPossibleTypes(type);
    const typesOf = (name: string): number =>
      new Set(members.map((member) => member.getFields()[name]?.type.toString()).filter((text) => text !== undefined)).size;
    const parts = members.map((each) => {
      const selection = selectionOf(each, isUnionType(type) ? 0 : depth, whole);
      // Members of a union have fields of the same name and of different types, which GraphQL allows under different names only.
      const named = isUnionType(type)
        ? selection.replace(/(?<= )(?!__)\w+/g, (name) => (typesOf(name) > 1 ? `${each.name}_${name}: ${name}` : name))
        : selection;
      return `... on ${each.name} ${named}`;
    });
    return `{ __typename ${parts.join(' ')} }`;
  }
  const fields: Readonly<Record<string, GraphQLField<unknown, unknown>>> = type.getFields();
  if (type.name.endsWith('Connection')) {
    const nodes = getNamedType(fields.nodes!.type);
    const total = fields.totalCount === undefined ? '' : 'totalCount ';
    return `{ ${total}pageInfo { hasNextPage endCursor } nodes ${selectionOf(nodes, depth, whole)} }`;
  }
  const parts: string[] = ['__typename'];
  for (const field of Object.values(fields)) {
    if (!isPlain(field) || (!whole && ofHeight.has(`${type.name}.${field.name}`))) continue;
    const named = getNamedType(field.type);
    if (!isCompositeType(named)) parts.push(field.name);
    else if (depth > 0) parts.push(`${field.name} ${selectionOf(named, depth - 1, whole)}`);
  }
  return `{ ${parts.join(' ')} }`;
}

const needsOf = createNeedsOf(schema);

function isLive(field: string): boolean {
  const document = parse(`{ ${field} }`);
  return needsOf(document, getOperationAST(document)!).isLive;
}

/**
 * The root fields of the schema that are read at a height, but for `module`. Answers with a field that is marked as live are
 * never kept.
 */
export const rootFields: readonly GraphQLField<unknown, unknown>[] = Object.values(schema.getQueryType()!.getFields()).filter(
  ({ name }) => !isLive(name) && !['module', '_service'].includes(name),
);

/** The root fields whose answers depend on the height, on blocks, or on a store that every block changes. */
export const neverCarried: ReadonlySet<string> = new Set([
  ...[
    'at',
    'block',
    'blockAt',
    'blockByHash',
    'blockResults',
    'blocks',
    'consensusParams',
    'genesis',
    'head',
    'header',
    'headerByHash',
  ],
  ...['stakingPool', 'validator', 'validators'],
  // It is of the newest block.
  'rehearse',
  // It asks the chain which services it serves, by queries that no table of stores names.
  'modules',
  // It reads the validators of its height.
  'search',
]);

/** Entries of this file for fields that the schema does not have, or that are not read at a height. */
export const unknownCases: readonly string[] = Object.keys(argumentsOf).filter(
  (name) => !rootFields.some((field) => field.name === name),
);

/** The policies whose proposals are read. */
export const readPolicies: readonly string[] = [board, operations, ...policies];

/** The query methods that are called through `module`. */
export const moduleMethods: readonly string[] = Object.keys(moduleRequests);

/** A root field with some of its arguments. Most selections are small, some include fields that depend on the height. */
export function readField(field: GraphQLField<unknown, unknown>, choice: Choice): RootField {
  const { args, selection } = choice;
  const known = argumentsOf[field.name];
  if (known === undefined) throw new Error(`Query.${field.name} has no case in this test`);
  const chosen = known[args % known.length]!;
  const text = typeof chosen === 'string' ? chosen : chosen(choice);
  const depth = selection % 6 === 0 ? 1 : 0;
  const selected = selections[field.name] ?? selectionOf(getNamedType(field.type), depth, selection % 12 === 0);
  return { name: field.name, text: `${field.name}${text === '' ? '' : `(${text})`} ${selected}` };
}

/** A call of a query method through `module`. */
export function readModule(method: string, { args }: Choice): RootField {
  const requests = moduleRequests[method]!;
  return { name: `module ${method}`, text: `module(method: "${method}", request: ${requests[args % requests.length]})` };
}
