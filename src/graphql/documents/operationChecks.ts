import {
  DirectiveLocation,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLDirective,
  type GraphQLField,
  GraphQLInt,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  separateOperations,
  specifiedRules,
  TypeInfo,
  TypeMetaFieldDef,
  type ValueNode,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Bounds, broadcastPoints, countPoints, mutationPoints, plainList, scanFactor } from '../../config/bounds.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';
import { knownScopes, type Scope, type Viewer } from '../../reads/viewer.ts';
import { rowPriceOf } from '../../schema/builder.ts';
import { jsonLiteral } from '../../schema/scalars.ts';
import { refusal } from './errors.ts';

/** Introspection fields that cost one point together. One takes a hundredth of the time of an object of the chain, or less. */
const fieldsPerPoint = 100;

/** Average items of a list in the introspection of this schema; 1 for the other lists. */
const items: Readonly<Record<string, number>> = { fields: 8, enumValues: 2, directives: 5 };

/** The cost of an operation, from its document and variables. Nothing is read for it. */
export interface OperationCost {
  /** Points. */
  readonly points: number;
  /** The number of fields that broadcast a transaction. */
  readonly broadcasts: number;
  /** Whether the operation has a `totalCount`: the chain then reads the whole list. */
  readonly counts: boolean;
  /** How many lists `points` pay the count of in full: those that are not items of a list. The others are paid when they are counted. */
  readonly countsPaid: number;
}

/** The part of them that is charged ahead in the items of a list, of which most pages have few. The rest is charged for each list that is counted. */
const countPointsAhead = 5;

/** The largest cost that is calculated, so that no product exceeds the safe integers. */
const mostPoints = 1e12;

function argumentOf(node: FieldNode, name: string): ValueNode | undefined {
  for (const argument of node.arguments ?? []) if (argument.name.value === name) return argument.value;
  return undefined;
}

type Variables = Readonly<Record<string, unknown>>;

type RowPrice = NonNullable<ReturnType<typeof rowPriceOf>>;

/**
 * Creates the function that calculates the cost of an operation: 1 point for an object, the page size times the cost of one item for a list,
 * 10 more for a mutation, 20 more for a broadcast, 5 times as much for a scan, 50 for a `totalCount`, 1 for a hundred fields under `__schema` and
 * `__type`. In the items of a list, a `totalCount` costs 5 ahead, except in subscriptions, whose events are not measured. The document must be valid. A fragment is calculated once for each page size around it, however often it is spread.
 */
export function createCostOf(schema: GraphQLSchema, maxPage: number) {
  const types = Object.keys(schema.getTypeMap()).length;
  /** The costs of operations that do not depend on variables. */
  const constant = new WeakMap<OperationDefinitionNode, OperationCost>();

  return (document: DocumentNode, operation: OperationDefinitionNode, variables: Variables): OperationCost => {
    const before = constant.get(operation);
    if (before !== undefined) return before;
    let isConstant = true;
    const fragments = new Map<string, FragmentDefinitionNode>();
    for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
    const knownCosts = new Map<string, number>();
    let broadcasts = 0;
    let counts = false;
    let countsPaid = 0;
    const ahead = operation.operation === 'subscription' ? countPoints : countPointsAhead;

    /** The value of a variable, or its default. */
    function variable(name: string): unknown {
      isConstant = false;
      // Own properties only: `$toString` is a valid name.
      if (Object.hasOwn(variables, name) && variables[name] !== undefined) return variables[name];
      const definition = operation.variableDefinitions?.find((each) => each.variable.name.value === name);
      return definition?.defaultValue && jsonLiteral(definition.defaultValue);
    }

    /** The number that is given for an argument, its default, or 1. undefined if the field has no such argument. */
    function numberOf(node: FieldNode, field: GraphQLField<unknown, unknown>, name: string): number | undefined {
      for (const { name: each, defaultValue } of field.args) {
        if (each !== name) continue;
        const value = argumentOf(node, name);
        if (value?.kind === Kind.INT) return Number(value.value);
        const variableValue = value?.kind === Kind.VARIABLE ? variable(value.name.value) : undefined;
        if (typeof variableValue === 'number') return variableValue;
        return typeof defaultValue === 'number' ? defaultValue : 1;
      }
      return undefined;
    }

    /** Items of the lists directly under a field: `first`, or the number of keys; undefined if the field has neither argument. */
    function pageOf(node: FieldNode, field: GraphQLField<unknown, unknown>): number | undefined {
      const keys = argumentOf(node, 'representations');
      if (keys?.kind === Kind.LIST) return keys.values.length;
      if (keys?.kind === Kind.VARIABLE) {
        const list = variable(keys.name.value);
        return Array.isArray(list) ? list.length : 1;
      }
      const first = numberOf(node, field, 'first');
      // The resolver rejects a larger page, by the name of the limit.
      return first === undefined ? undefined : Math.min(Math.max(first, 0), maxPage);
    }

    /** What a field costs because of the rows of the archive that it may read. */
    function rowCost(node: FieldNode, field: GraphQLField<unknown, unknown>, { points, times, onlyWith }: RowPrice): number {
      if (onlyWith !== undefined && argumentOf(node, onlyWith) === undefined) return 0;
      return points * (times === undefined ? 1 : Math.max(0, numberOf(node, field, times) ?? 1));
    }

    function fieldCost(
      node: FieldNode,
      field: GraphQLField<unknown, unknown>,
      page: number | undefined,
      isItem: boolean,
    ): number {
      if (field.extensions.scope === 'broadcast') broadcasts += 1;
      const namedType = getNamedType(field.type);
      if (!isCompositeType(namedType) || node.selectionSet === undefined) {
        if (field.name !== 'totalCount') return 0;
        counts = true;
        if (isItem) return ahead;
        countsPaid += 1;
        return countPoints;
      }
      const ownPage = pageOf(node, field);
      const isList = isListType(getNullableType(field.type));
      const items = isList ? (ownPage ?? page ?? plainList) : 1;
      const inner = 1 + setCost(node.selectionSet, namedType.name, isList ? undefined : ownPage, isItem || isList);
      const factor = field.extensions.scan === true && argumentOf(node, 'suffix') !== undefined ? scanFactor : 1;
      const rowPrice = rowPriceOf(field.extensions);
      return items * inner * factor + (rowPrice === undefined ? 0 : rowCost(node, field, rowPrice));
    }

    function fragmentCost(name: string, page: number | undefined, isItem: boolean): number {
      const key = `${name} ${page} ${isItem}`;
      const same = knownCosts.get(key);
      if (same !== undefined) return same;
      const fragment = fragments.get(name);
      knownCosts.set(key, 0);
      const cost = fragment === undefined ? 0 : setCost(fragment.selectionSet, fragment.typeCondition.name.value, page, isItem);
      knownCosts.set(key, cost);
      return cost;
    }

    /** The cost of a field `__schema` or `__type`: a point for each hundred fields that are executed under it. */
    function introspectionCost({ selectionSet }: FieldNode, typeName: string): number {
      return selectionSet === undefined ? 0 : Math.floor(introspectedFields(selectionSet, typeName) / fieldsPerPoint);
    }

    /** The fields that are executed for a selection on a type of introspection. Each fragment is counted once. */
    function introspectedFields({ selections }: SelectionSetNode, typeName: string): number {
      const type = schema.getType(typeName);
      let sum = 0;
      for (const node of selections) {
        if (node.kind === Kind.FRAGMENT_SPREAD) sum += introspectedFragment(node.name.value);
        else if (node.kind === Kind.INLINE_FRAGMENT) sum += introspectedFields(node.selectionSet, typeName);
        else {
          sum += 1;
          const field = isObjectType(type) ? type.getFields()[node.name.value] : undefined;
          if (field === undefined || node.selectionSet === undefined) continue;
          const size = field.name === 'types' ? types : (items[field.name] ?? 1);
          const isList = isListType(getNullableType(field.type));
          sum += (isList ? size : 1) * introspectedFields(node.selectionSet, getNamedType(field.type).name);
        }
      }
      return Math.min(sum, mostPoints);
    }

    function introspectedFragment(name: string): number {
      const key = `__ ${name}`;
      const before = knownCosts.get(key);
      if (before !== undefined) return before;
      knownCosts.set(key, 0);
      const fragment = fragments.get(name);
      const count = fragment === undefined ? 0 : introspectedFields(fragment.selectionSet, fragment.typeCondition.name.value);
      knownCosts.set(key, count);
      return count;
    }

    function setCost({ selections }: SelectionSetNode, typeName: string, page: number | undefined, isItem: boolean): number {
      const type = schema.getType(typeName);
      let sum = 0;
      for (const node of selections) {
        if (node.kind === Kind.FRAGMENT_SPREAD) sum += fragmentCost(node.name.value, page, isItem);
        else if (node.kind === Kind.INLINE_FRAGMENT)
          sum += setCost(node.selectionSet, node.typeCondition?.name.value ?? typeName, page, isItem);
        else if (node.name.value === SchemaMetaFieldDef.name) sum += introspectionCost(node, '__Schema');
        else if (node.name.value === TypeMetaFieldDef.name) sum += introspectionCost(node, '__Type');
        else {
          const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
          if (field !== undefined) sum += fieldCost(node, field, page, isItem);
        }
      }
      return Math.min(sum, mostPoints);
    }

    const root = schema.getRootType(operation.operation);
    const points = root == null ? 0 : setCost(operation.selectionSet, root.name, undefined, false);
    const extra = operation.operation === 'mutation' ? mutationPoints : 0;
    const cost = { points: Math.max(1, points + extra + broadcasts * broadcastPoints), broadcasts, counts, countsPaid };
    if (isConstant) constant.set(operation, cost);
    return cost;
  };
}

/**
 * The limits of the pages of an operation. It charges for the lists that an execution counts and that its price does not include. It is a class
 * because each operation has one.
 */
export class CountTally implements Bounds {
  readonly pageMax: number;
  readonly offsetMax: number;
  readonly #max: number;
  readonly #charge: (points: number) => void;
  #points = 0;
  #paid = 0;

  /** `charge` gets the points of each list that is not included in the price. */
  constructor(limits: Limits, charge: (points: number) => void) {
    this.pageMax = limits['page.size.max'];
    this.offsetMax = limits['page.offset'];
    this.#max = limits['graphql.cost'];
    this.#charge = charge;
  }

  /** Sets the price of the operation. Nothing is counted before. */
  begin({ points, countsPaid }: Pick<OperationCost, 'points' | 'countsPaid'>): void {
    this.#points = points;
    this.#paid = countsPaid;
  }

  /** Notes that a list is counted. Throws OPERATION_TOO_COMPLEX if the operation would cost more than `graphql.cost` with it. */
  onCount(): void {
    if (this.#paid > 0) {
      this.#paid -= 1;
      return;
    }
    const each = countPoints - countPointsAhead;
    this.#points += each;
    const max = this.#max;
    if (this.#points > max) {
      const text = `At most ${max} points are allowed (graphql.cost); this operation counts too many lists. Select smaller pages, or count fewer lists.`;
      throw new RequestError('OPERATION_TOO_COMPLEX', text, { limit: 'graphql.cost', value: this.#points.toString(), max });
    }
    this.#charge(each);
  }
}

const introspection: readonly string[] = ['__schema', '__type'];

/** What an operation asks for, whatever its variables are. */
export interface OperationNeeds {
  /** The scopes of the token. */
  readonly scopes: ReadonlySet<Scope>;
  /** Whether a field is not read at a height. */
  readonly isLive: boolean;
  /** Whether GET does not allow it. */
  readonly isPostOnly: boolean;
  /** Whether it has many results: a subscription or a live query. */
  readonly isStream: boolean;
}

/**
 * Creates the function that finds what an operation of a document needs. `__schema` and `__type` need `introspect`. A root field needs `read`, or
 * `broadcast` in a mutation, unless its extensions name another scope. Fields of a broadcast result that are not marked `readableWithBroadcast` need `read` too. `__typename`
 * needs nothing. Visits each operation once.
 */
export function createNeedsOf(schema: GraphQLSchema) {
  const needsByOperation = new WeakMap<OperationDefinitionNode, OperationNeeds>();
  const rootTypes: readonly unknown[] = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];

  return (document: DocumentNode, operation: OperationDefinitionNode): OperationNeeds => {
    const before = needsByOperation.get(operation);
    if (before !== undefined) return before;
    const { operation: kind, directives = [] } = operation;
    const scopes = new Set<Scope>();
    const isLiveQuery = kind === 'query' && directives.some(({ name }) => name.value === liveDirective.name);
    const alone = separateOperations(document)[operation.name?.value ?? ''] ?? document;
    const types = new TypeInfo(schema);
    let [isLive, isPostOnly, leavesSent] = [false, false, false];
    visit(
      alone,
      visitWithTypeInfo(types, {
        Field({ name: { value: name } }) {
          const [parent, field] = [types.getParentType(), types.getFieldDef()];
          if (field?.extensions.live === true) isLive = true;
          if (field?.extensions.postOnly === true) isPostOnly = true;
          if (introspection.includes(name)) scopes.add('introspect');
          else if (name === '__typename') return;
          else if (parent && rootTypes.includes(parent)) {
            let fieldScope: Scope = parent === schema.getMutationType() ? 'broadcast' : 'read';
            for (const scope of knownScopes) if (scope === field?.extensions.scope) fieldScope = scope;
            scopes.add(fieldScope);
          } else if (parent?.extensions.readableWithBroadcast !== true && field?.extensions.readableWithBroadcast !== true)
            leavesSent = true;
        },
      }),
    );
    if (kind === 'mutation' && scopes.size === 0) scopes.add('broadcast');
    if (leavesSent && scopes.has('broadcast')) scopes.add('read');
    const needs = { scopes, isLive, isPostOnly, isStream: kind === 'subscription' || isLiveQuery };
    needsByOperation.set(operation, needs);
    return needs;
  };
}

/** Throws FORBIDDEN for the first scope that an operation needs and the viewer does not have. The operation is rejected as a whole, before execution. */
export function checkScopes({ scopes: needed }: OperationNeeds, { scopes }: Viewer): void {
  for (const scope of knownScopes) {
    if (!needed.has(scope) || scopes.includes(scope)) continue;
    const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
    const text = `This operation needs a token with the scope \`${scope}\`.`;
    throw refusal(new RequestError('FORBIDDEN', text, { scope }), { status: 403, headers });
  }
}

/** The directive of live queries. */
export const liveDirective = new GraphQLDirective({
  name: 'live',
  description: `Makes a query live: the result now, and again at each block at which it differs. Ask for it over a WebSocket, as server-sent events or in Apollo's multipart protocol.
A client that reads slowly receives the newest result and skips those before it. With \`extensions: { patch: true }\` in the request, a result after the first may be \`{ "patch": […], "extensions": … }\`: a JSON Patch (RFC 6902) of the previous result of this stream, without its \`extensions\`.
Fields whose description says "Not read at a height" are refused.
With \`from\`, the stream begins in the past: the result at that height, then one for each later height at which it differs, without a gap and without a repeat up to new blocks. Each has its height and block time in \`extensions\`. It fails with HISTORY_DEPENDS_ON_HEIGHT if a field depends on the block itself, unless \`every\` is given.`,
  args: {
    from: { type: GraphQLString, description: 'The first height, or an RFC 3339 time in UTC.' },
    to: { type: GraphQLString, description: 'The height or time at which the stream completes. Default: it goes on.' },
    every: { type: GraphQLInt, description: 'Look at each n-th block only.' },
  },
  locations: [DirectiveLocation.QUERY],
});

/** The most differences that are named to one stream. */
const mostDifferences = 10;

/** Why a document is not valid for a schema, one sentence each. Empty if it is valid. */
export function differencesFor(schema: GraphQLSchema, document: DocumentNode): readonly string[] {
  const options = { maxErrors: mostDifferences, hideSuggestions: true };
  return validate(schema, document, specifiedRules, options)
    .slice(0, mostDifferences)
    .map(({ message }) => message);
}

/**
 * Creates the check of live queries: returns BAD_USER_INPUT for the first field of the operation that is not read at a height, by its
 * name; undefined if there is none. A valid document is expected.
 */
export function createLiveFieldCheck(
  schema: GraphQLSchema,
): (document: DocumentNode, operationName: string | null | undefined, argument?: string) => RequestError | undefined {
  return (document, operationName, argument = '@live') => {
    const operations = separateOperations(document);
    // Without a name, the document has one operation.
    const alone = operations[operationName ?? ''] ?? document;
    const types = new TypeInfo(schema);
    let foundField: string | undefined;
    visit(
      alone,
      visitWithTypeInfo(types, {
        Field() {
          const field = types.getFieldDef();
          if (field?.extensions.live === true) foundField ??= `${types.getParentType()?.name}.${field.name}`;
        },
      }),
    );
    if (foundField === undefined) return undefined;
    const text = `The field \`${foundField}\` is not read at a height, so the query cannot be live and has no history. Remove the field or \`${argument}\`.`;
    return new RequestError('BAD_USER_INPUT', text, { argument, value: foundField });
  };
}
