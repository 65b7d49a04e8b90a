import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

type Field = GraphQLField<unknown, unknown>;

/** Texts of arguments, by the name of the argument, or by type, field and argument. */
export type ArgumentTexts = Readonly<Record<string, string>>;

/** Arguments that are given although they are not required. */
const optional: ReadonlySet<string> = new Set(['first', 'query', 'account', 'Query.at.height']);

/** The fields that were executed so far, as coordinates such as `Group.id`. */
export type Executed = Set<string>;

/** What exists on the development chain, as text. */
export interface Existing {
  readonly height: bigint;
  readonly groupId: bigint;
  readonly proposalId: bigint;
  readonly policy: string;
  /** A member of the group, and another account. */
  readonly account: string;
  readonly other: string;
  /** Hashes of a transaction and of a block. */
  readonly transaction: string;
  readonly block: string;
  /** The consensus address of a validator. */
  readonly validator: string;
}

/** Values for the arguments of the schema, of what exists on the development chain. */
export function argumentTexts(existing: Existing): ArgumentTexts {
  const text = JSON.stringify;
  const [me, policy, block] = [text(existing.account), text(existing.policy), text(existing.block)];
  return {
    first: '3',
    height: `${existing.height}`,
    id: `${existing.groupId}`,
    groupId: `${existing.groupId}`,
    proposalId: `${existing.proposalId}`,
    'Query.proposal.id': `${existing.proposalId}`,
    'Query.proposalRecord.id': `${existing.proposalId}`,
    'Query.scope.id': text('scope1qqenxvenyg3yxvuyg3242424242spmt0np'),
    'Query.scopeSpecification.id': text('scopespec1qsg3zyg3yg3yxvuyg3242424242shk3a23'),
    'Query.contractSpecification.id': text('22222222-2222-4333-8444-555555555555'),
    'Query.recordSpecification.id': text('recspec1q53zyg3zyg3yxvuyg32424242427mdr9vfpfreq983k9af9haveq68m3vyc'),
    'Query.payment.source': text(existing.other),
    'Query.payment.externalId': text('rent'),
    'Query.marketOrder.id': text('1'),
    'Query.market.id': text('1'),
    'Query.scopeRecord.id': text('record1qgenxvenyg3yxvuyg32424242427mdr9vfpfreq983k9af9haveq6ej5dw8'),
    'Query.scopeSession.id': text('session1qyenxvenyg3yxvuyg3242424242n5w368gg3zs3zsve5g3zyg3zygzefalr'),
    'Scope.record.name': text('note'),
    address: me,
    account: me,
    admin: me,
    voter: me,
    granter: me,
    grantee: text(existing.other),
    'Query.groupPolicy.address': policy,
    'Query.groupPoliciesByAdmin.admin': policy,
    'Query.proposalsByGroupPolicy.address': policy,
    'Query.validator.address': text(existing.validator),
    hash: text(existing.transaction),
    'Query.blockByHash.hash': block,
    'Query.headerByHash.hash': block,
    denom: text('nhash'),
    name: text('kyc.pb'),
    suffix: text('pb'),
    method: text('cosmos.bank.v1beta1.Query/Params'),
    type: text('/cosmos.bank.v1beta1.MsgSend'),
    path: text('/app/version'),
    data: text(''),
    tx: text('0x0011'),
    'Query.search.text': text('nhash'),
    query: text('tx.height > 0'),
    'Query.blockSearch.query': text('block.height > 0'),
    'Account.statement.from': text('1'),
    'Query.rehearse.groupPolicyAddress': policy,
    'Query.rehearse.messages': '[]',
    representations: `[{ __typename: "Group", id: "${existing.groupId}" }]`,
  };
}

/** Writes a document that selects the fields that earlier ones have not executed. */
export class FieldWriter {
  readonly #schema: GraphQLSchema;
  readonly #values: ArgumentTexts;
  readonly #executed: Executed;
  readonly #isThorough: boolean;
  /** How often the document selects all fields of a type. */
  readonly #times = new Map<GraphQLNamedType, number>();

  /** A thorough document selects the types of missing fields in many places, because not every place has a value. */
  constructor(schema: GraphQLSchema, values: ArgumentTexts, executed: Executed, isThorough: boolean) {
    this.#schema = schema;
    this.#values = values;
    this.#executed = executed;
    this.#isThorough = isThorough;
  }

  /** Selects a field with its arguments, and below it all fields of each type where the type occurs first. */
  field(parent: GraphQLNamedType, field: Field): string {
    const given = field.args.filter(
      (argument) =>
        isRequiredArgument(argument) ||
        [argument.name, `${parent.name}.${field.name}.${argument.name}`].some((name) => optional.has(name)),
    );
    const args = given.map((argument) => `${argument.name}: ${argumentText(this.#values, parent, field.name, argument)}`);
    const type = getNamedType(field.type);
    const inner = isLeafType(type) ? '' : ` { __typename ${this.#fieldsOf(type)} }`;
    return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${inner}`;
  }

  #fieldsOf(type: GraphQLNamedType): string {
    if (isAbstractType(type)) {
      const types = this.#schema.getPossibleTypes(type);
      return types.map((possible) => `... on ${possible.name} { ${this.#fieldsOf(possible)} }`).join(' ');
    }
    if (!isObjectType(type)) return '';
    const fields = executableFields(this.#values, type);
    const times = this.#times.get(type) ?? 0;
    const isMissing = fields.some(({ name }) => !this.#executed.has(`${type.name}.${name}`));
    const isWhole = this.#isThorough ? times === 0 || (isMissing && times < 30) : times === 0 && isMissing;
    this.#times.set(type, isWhole ? times + 1 : times);
    const selected = fields.filter((field) => isWhole || isLeafType(getNamedType(field.type)));
    return selected.map((field) => this.field(type, field)).join(' ');
  }
}

/** The fields of a type that are executed: those with values for their arguments. */
export function executableFields(values: ArgumentTexts, type: GraphQLObjectType): readonly Field[] {
  return Object.values(type.getFields()).filter(({ name, args }) =>
    args.every((argument) => !isRequiredArgument(argument) || argumentText(values, type, name, argument) !== undefined),
  );
}

function argumentText(
  values: ArgumentTexts,
  { name: type }: GraphQLNamedType,
  field: string,
  { name }: GraphQLArgument,
): string | undefined {
  return values[`${type}.${field}.${name}`] ?? values[name];
}

/** Adds the fields of a result, in which each object has its `__typename`. */
export function addFields(value: unknown, executed: Executed): void {
  if (Array.isArray(value)) for (const item of value) addFields(item, executed);
  if (typeof value !== 'object' || value === null || !('__typename' in value)) return;
  for (const [name, inner] of Object.entries(value)) {
    executed.add(`${value.__typename}.${name}`);
    addFields(inner, executed);
  }
}
