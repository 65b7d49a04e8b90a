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

/** The identity of a subscription. */
export interface TopicKey {
  /** Equal for subscriptions with equal events: same document, operation, variables and scopes, wherever they begin. */
  readonly topic: string;
  /** The argument `after`; undefined if the caller gave none. */
  readonly after: bigint | undefined;
}

/** The analysis of a document. */
interface Known {
  /** The operation name and the document without the argument `after`. */
  readonly text: string;
  /** The names of the variables, except those only used by `after`, sorted. */
  readonly variables: readonly string[];
  readonly after: { readonly node: ArgumentNode; readonly type: GraphQLInputType } | undefined;
  /** The definitions of the variables that `after` uses. */
  readonly afterVariables: readonly VariableDefinitionNode[];
}

/** The argument of every subscription that only sets its start. */
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
  const usedVariables = after === undefined ? new Set<string>() : variablesIn(after.node);
  const definitions = operation.variableDefinitions ?? [];
  const isOnlyStart = ({ variable: { name } }: VariableDefinitionNode): boolean =>
    usedVariables.has(name.value) && !others.has(name.value);
  const text = visit(without, { VariableDefinition: (node) => (isOnlyStart(node) ? null : undefined) });
  return {
    text: `${operation.name?.value ?? ''}\n${print(text)}`,
    variables: definitions
      .filter((definition) => !isOnlyStart(definition))
      .map(({ variable }) => variable.name.value)
      .toSorted(),
    after,
    afterVariables: definitions.filter(({ variable }) => usedVariables.has(variable.name.value)),
  };
}

/** JSON with sorted keys, so that equal values have equal text. */
function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const subscribers = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${subscribers.map(([name, subscriber]) => `${JSON.stringify(name)}:${ordered(subscriber)}`).join()}}`;
}

/**
 * Creates the function that identifies subscriptions and live queries. `scopes` are those of the viewer, sorted. The variables must be valid. Each
 * document is analysed once.
 */
export function createTopicKeys(
  schema: GraphQLSchema,
): (operation: Omit<EventOperation, 'points'>, scopes: string) => TopicKey {
  const knownKeys = new WeakMap<OperationDefinitionNode, Known>();

  return ({ document, operationName, variableValues = {} }, scopes) => {
    const operation = getOperationAST(document, operationName);
    if (operation === null || operation === undefined) throw new Error('the document does not have the operation');
    let knownKey = knownKeys.get(operation);
    if (knownKey === undefined) {
      knownKey = lookAt(schema, document, operation);
      knownKeys.set(operation, knownKey);
    }
    const { text, variables, after, afterVariables } = knownKey;
    const ownVariables = variables
      .filter((name) => variableValues?.[name] !== undefined)
      .map((name) => [name, variableValues?.[name]]);
    const topic = createHash('sha256')
      .update(`${scopes}\n${text}\n${ordered(ownVariables)}`)
      .digest('base64');
    if (after === undefined) return { topic, after: undefined };
    const { coerced = {} } = getVariableValues(schema, afterVariables, variableValues ?? {});
    const height = valueFromAST(after.node.value, after.type, coerced);
    return { topic, after: typeof height === 'bigint' ? height : undefined };
  };
}
