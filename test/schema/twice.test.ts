import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { archiveOf } from '../../src/archive/setup/archive.ts';
import { createLimits } from '../../src/config/limits/limits.ts';
import { createExecute, type Execute } from '../../src/graphql/execution/execute.ts';
import { schema } from '../../src/graphql/schema.ts';
import { createPin, pinned } from '../../src/reads/pin.ts';
import { openSession } from '../../src/reads/viewer.ts';
import type { GraphQLContext } from '../../src/schema/builder.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { createGroup, submitProposal, vote } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

const day = 24 * 60 * 60_000;

let chain: TestChain;
/** Two servers over the same chain, so that the second one has nothing in memory that the first one has read. */
let stacks: readonly Stack[];
/** The values of arguments, by the name of the argument, or by field and argument. */
let values: Readonly<Record<string, string>>;

beforeAll(async () => {
  chain = await startChain();
  stacks = await Promise.all([1, 2].map(() => startStack([chain.node.url], { archive: { records: true } })));
  const [alice, bob] = chain.accounts;
  const group = await createGroup(chain, [
    [alice!, '1'],
    [bob!, '2'],
  ]);
  const id = await submitProposal(chain, group, alice!);
  const hash = await chain.submit(bob!, vote(bob!, id));
  const height = await chain.devnet.commit();
  await chain.devnet.commit();
  for (const { client } of stacks) {
    await archiveOf(client.archive())!.reader.waitFor(chain.devnet.height, { milliseconds: 20_000 });
  }
  const text = JSON.stringify;
  const header = await stacks[0]!.ask('{ head { hash header { proposerAddress } } }');
  const {
    hash: blockHash,
    header: { proposerAddress: validator },
  } = (header.body.data as { head: { hash: string; header: { proposerAddress: string } } }).head;
  const [scope, specification] = ['scope1qqenxvenyg3yxvuyg3242424242spmt0np', 'scopespec1qsg3zyg3yg3yxvuyg3242424242shk3a23'];
  const [me, policy] = [text(alice!.address), text(group.policy)];
  values = {
    first: '3',
    height: `${height}`,
    id: `${group.id}`,
    groupId: `${group.id}`,
    proposalId: `${id}`,
    'Query.proposal.id': `${id}`,
    'Query.proposalRecord.id': `${id}`,
    'Query.govProposal.id': '5',
    'Query.scope.id': text(scope),
    'Query.scopeSpecification.id': text(specification),
    address: me,
    account: me,
    admin: me,
    voter: me,
    granter: me,
    grantee: text(bob!.address),
    'Query.groupPolicy.address': policy,
    'Query.groupPoliciesByAdmin.admin': policy,
    'Query.proposalsByGroupPolicy.address': policy,
    'Query.validator.address': text(validator),
    hash: text(hash),
    'Query.blockByHash.hash': text(blockHash),
    'Query.headerByHash.hash': text(blockHash),
    denom: text('nhash'),
    name: text('kyc.pb'),
    suffix: text('pb'),
    method: text('cosmos.bank.v1beta1.Query/Params'),
    type: text('/cosmos.bank.v1beta1.MsgSend'),
    path: text('/app/version'),
    data: text(''),
    tx: text('0x0011'),
    query: text('tx.height > 0'),
    'Query.blockSearch.query': text('block.height > 0'),
    representations: `[{ __typename: "Group", id: "${group.id}" }]`,
  };
});

afterAll(async () => {
  for (const stack of stacks) await stack.close();
  await chain.devnet.close();
});

type Field = GraphQLField<unknown, unknown>;

/** Arguments that are given although they are not required. */
const optional: ReadonlySet<string> = new Set(['first', 'query', 'account']);

/** The fields of a type that are executed: those with values for their arguments. */
function fieldsOf(type: GraphQLObjectType): readonly Field[] {
  return Object.values(type.getFields()).filter(({ name, args }) =>
    args.every((argument) => !isRequiredArgument(argument) || argumentText(type, name, argument) !== undefined),
  );
}

function argumentText({ name: type }: GraphQLNamedType, field: string, { name }: GraphQLArgument): string | undefined {
  return values[`${type}.${field}.${name}`] ?? values[name];
}

/** The fields that were executed so far, as coordinates such as `Group.id`. */
type Executed = Set<string>;

/** Writes a document that selects the fields that earlier ones have not executed. */
class Writer {
  readonly #executed: Executed;
  readonly #isThorough: boolean;
  /** How often the document selects all fields of a type. */
  readonly #times = new Map<GraphQLNamedType, number>();

  /** A thorough document selects the types of missing fields in many places, because not every place has a value. */
  constructor(executed: Executed, isThorough: boolean) {
    this.#executed = executed;
    this.#isThorough = isThorough;
  }

  /** Selects a field with its arguments, and below it all fields of each type where the type occurs first. */
  field(parent: GraphQLNamedType, field: Field): string {
    const given = field.args.filter((argument) => isRequiredArgument(argument) || optional.has(argument.name));
    const args = given.map((argument) => `${argument.name}: ${argumentText(parent, field.name, argument)}`);
    const type = getNamedType(field.type);
    const inner = isLeafType(type) ? '' : ` { __typename ${this.#fieldsOf(type)} }`;
    return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${inner}`;
  }

  #fieldsOf(type: GraphQLNamedType): string {
    if (isAbstractType(type)) {
      const types = schema.getPossibleTypes(type);
      return types.map((possible) => `... on ${possible.name} { ${this.#fieldsOf(possible)} }`).join(' ');
    }
    if (!isObjectType(type)) return '';
    const fields = fieldsOf(type);
    const times = this.#times.get(type) ?? 0;
    const isMissing = fields.some(({ name }) => !this.#executed.has(`${type.name}.${name}`));
    const isWhole = this.#isThorough ? times === 0 || (isMissing && times < 30) : times === 0 && isMissing;
    this.#times.set(type, isWhole ? times + 1 : times);
    const selected = fields.filter((field) => isWhole || isLeafType(getNamedType(field.type)));
    return selected.map((field) => this.field(type, field)).join(' ');
  }
}

interface Result {
  readonly data: unknown;
  readonly errors: readonly string[];
}

async function run(execute: Execute, { client }: Stack, document: DocumentNode): Promise<Result> {
  const contextValue: GraphQLContext = {
    viewer: openSession.viewer,
    broadcastCommit: true,
    limits: createLimits(),
    warnings: new Set(),
    outcome: { immutable: true },
  };
  const rootValue = pinned(createPin(client, chain.devnet.height), {});
  const { data = 'null', errors = [] } = await execute({ schema, document, rootValue, contextValue });
  return { data: JSON.parse(data), errors: errors.map(({ message, path }) => `${path?.join('.')}: ${message}`) };
}

/** Adds the fields of a result. */
function addFields(value: unknown, executed: Executed): void {
  if (Array.isArray(value)) for (const item of value) addFields(item, executed);
  if (typeof value !== 'object' || value === null || !('__typename' in value)) return;
  for (const [name, inner] of Object.entries(value)) {
    executed.add(`${value.__typename}.${name}`);
    addFields(inner, executed);
  }
}

/** The coordinates of the leaves in which two results differ. */
function differences(one: unknown, other: unknown, coordinate = ''): readonly string[] {
  if (Object.is(one, other)) return [];
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return [coordinate];
  if (Array.isArray(one) && Array.isArray(other) && one.length !== other.length) return [coordinate];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const type = '__typename' in one ? `${one.__typename}.` : undefined;
  return names.flatMap((name) =>
    differences(Reflect.get(one, name), Reflect.get(other, name), type === undefined ? coordinate : type + name),
  );
}

/** Types of the results of mutations and of the events of subscriptions. */
const sent = [
  'BroadcastResult',
  'Attempt',
  'TransactionUpdate',
  'EventMatch',
  'ProposalUpdate',
  'TallyUpdate',
  'GovProposalUpdate',
];
/** Types that the development chain, its node or a new archive has no value of. */
const absent = [
  ...['Backfill', 'ChannelStatus', 'ConnectionStatus', 'Evidence', 'FlowMonitor', 'OtherDecisionPolicy', 'OtherFeeAllowance'],
  ...[
    'NetAssetValueEdge',
    'Peer',
    'ProofOp',
    'ProposalExecution',
    'TallyAudit',
    'TxFees',
    'UnconfirmedTransaction',
    'ValidatorUpdate',
  ],
];

/** The fields that were not executed, of types that have values here. */
function missingFields(executed: Executed): readonly string[] {
  const others = ['Query', 'Mutation', 'Subscription', 'Snapshot', ...sent, ...absent];
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__') && !others.includes(type.name))
    .flatMap((type) => Object.keys((type as GraphQLObjectType).getFields()).map((name) => `${type.name}.${name}`))
    .filter((coordinate) => !executed.has(coordinate));
}

/**
 * Executes these fields of the query type at two times. Returns the fields that were executed, and those whose values differ: between the two servers,
 * or between what the first one has kept and what the second one reads.
 */
async function executeTwice(
  names: readonly string[],
): Promise<{ readonly executed: Executed; readonly different: Set<string> }> {
  const [kept, fresh] = [createExecute(), createExecute()];
  const query = schema.getQueryType()!;
  const executed: Executed = new Set();
  const different = new Set<string>();
  const [one, other] = stacks;
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const fields = fieldsOf(query).filter(({ name }) => names.includes(name));
    const entries = fields.filter(({ name }) =>
      ['account', 'blockSearch', 'groupMembers', 'markers', 'messageFee'].includes(name),
    );
    for (const [index, field] of [...fields, ...entries].entries()) {
      const isThorough = index >= fields.length;
      if (isThorough && missingFields(executed).length === 0) break;
      const document = parse(`{ __typename ${new Writer(executed, isThorough).field(query, field)} }`);
      const now = Date.now();
      const first = await run(kept, one!, document);
      vi.setSystemTime(now + 400 * day);
      const later = await run(fresh, other!, document);
      const again = await run(kept, one!, document);
      vi.setSystemTime(now);
      expect(later.errors, field.name).toEqual(first.errors);
      for (const { data } of [first, again]) for (const coordinate of differences(data, later.data)) different.add(coordinate);
      addFields(first.data, executed);
    }
  } finally {
    vi.useRealTimers();
  }
  return { executed, different };
}

/** What a server measures itself. */
const ofServer: ReadonlySet<string> = new Set(['Archive.sizeBytes', 'NodeStatus.lastBlockAge', 'UpstreamNode.latency']);

describe('a field that is executed at two times', () => {
  it('has the same value at both', { timeout: 60_000 }, async () => {
    const { executed, different } = await executeTwice(Object.keys(schema.getQueryType()!.getFields()));
    expect([...different].filter((coordinate) => !ofServer.has(coordinate))).toEqual([]);
    expect(missingFields(executed)).toEqual([]);
  });

  it('is found if its resolver reads a clock', async () => {
    const field = (schema.getType('Group') as GraphQLObjectType).getFields().metadata!;
    const { resolve } = field;
    field.resolve = () => String(Date.now());
    try {
      expect([...(await executeTwice(['group'])).different]).toEqual(['Group.metadata']);
    } finally {
      if (resolve === undefined) delete field.resolve;
      else field.resolve = resolve;
    }
  });
});
