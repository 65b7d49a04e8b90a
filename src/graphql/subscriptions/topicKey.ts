import { createHash } from 'node:crypto';
import {
  type ArgumentNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  print,
  TypeInfo,
  type VariableDefinitionNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { EventOperation } from './payload.ts';

/** What a subscription is the same as. */
export interface TopicKey {
  /** Equal for subscriptions that are told the same of each height: same document, operation, variables and scopes, wherever they begin. */
  readonly topic: string;
  /** The height that the caller named to begin behind; undefined when none was. */
  readonly after: bigint | undefined;
}

/** What is known of a document once it was looked at. */
interface Known {
  /** Its text without the argument, and the operation chosen. */
  readonly text: string;
  /** Names of the variables that say more than where to begin, in order. */
  readonly variables: readonly string[];
  readonly after: { readonly node: ArgumentNode; readonly type: GraphQLInputType } | undefined;
  /** Those that the argument uses. */
  readonly afterVariables: readonly VariableDefinitionNode[];
}

/** The argument of a subscription that says where it begins and nothing else (contract, `Subscription`). */
const startArgument = 'after';

function variablesIn(node: DocumentNode | OperationDefinitionNode | ArgumentNode): Set<string> {
  const names = new Set<string>();
  visit(node, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void names.add(name.value),
  });
  return names;
}

function lookAt(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Known {
  const types = new TypeInfo(schema);
  let after: Known['after'];
  const without = visit(
    document,
    visitWithTypeInfo(types, {
      Argument(node) {
        const type = types.getInputType();
        if (node.name.value !== startArgument || types.getParentType() !== schema.getSubscriptionType() || !type)
          return undefined;
        after ??= { node, type };
        return null;
      },
    }),
  );
  const others = variablesIn(without);
  const used = after === undefined ? new Set<string>() : variablesIn(after.node);
  const definitions = operation.variableDefinitions ?? [];
  const isOnlyStart = ({ variable: { name } }: VariableDefinitionNode): boolean =>
    used.has(name.value) && !others.has(name.value);
  const text = visit(without, { VariableDefinition: (node) => (isOnlyStart(node) ? null : undefined) });
  return {
    text: `${operation.name?.value ?? ''}\n${print(text)}`,
    variables: definitions
      .filter((definition) => !isOnlyStart(definition))
      .map(({ variable }) => variable.name.value)
      .toSorted(),
    after,
    afterVariables: definitions.filter(({ variable }) => used.has(variable.name.value)),
  };
}

/** JSON with the members of every object in order, so that equal values are equal text. */
function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${ordered(member)}`).join()}}`;
}

/**
 * Makes the function that tells which subscriptions are the same. `scopes` are those of the viewer, sorted. The operation is one
 * whose source could be opened, so its variables are known to be right. Each document is looked at once.
 */
export function createTopicKeys(
  schema: GraphQLSchema,
): (operation: Omit<EventOperation, 'points'>, scopes: string) => TopicKey {
  const known = new WeakMap<OperationDefinitionNode, Known>();

  return ({ document, operationName, variableValues = {} }, scopes) => {
    const operation = getOperationAST(document, operationName);
    if (operation === null || operation === undefined) throw new Error('a document without the operation');
    let seen = known.get(operation);
    if (seen === undefined) {
      seen = lookAt(schema, document, operation);
      known.set(operation, seen);
    }
    const { text, variables, after, afterVariables } = seen;
    const own = variables.filter((name) => variableValues?.[name] !== undefined).map((name) => [name, variableValues?.[name]]);
    const topic = createHash('sha256')
      .update(`${scopes}\n${text}\n${ordered(own)}`)
      .digest('base64');
    if (after === undefined) return { topic, after: undefined };
    const { coerced = {} } = getVariableValues(schema, afterVariables, variableValues ?? {});
    const height = valueFromAST(after.node.value, after.type, coerced);
    return { topic, after: typeof height === 'bigint' ? height : undefined };
  };
}
