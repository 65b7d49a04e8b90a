import {
  type GraphQLLeafType,
  type GraphQLSchema,
  getVariableValues,
  isLeafType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import type { Values } from './execution.ts';

/** Coerces the variables of a request. */
export type CoerceVariables = (inputs: Values) => ReturnType<typeof getVariableValues>;

/** A variable whose type is a scalar or an enum. */
interface LeafVariable {
  readonly name: string;
  readonly type: GraphQLLeafType;
}

/** Errors of variables that are reported for one request. */
const maxErrors = 50;

/**
 * Creates the function that coerces the variables of an operation as `getVariableValues` of graphql-js does. It does so itself in the common case
 * that all variables are scalars or enums and have valid values.
 */
export function createCoerceVariables(schema: GraphQLSchema, operation: OperationDefinitionNode): CoerceVariables {
  const { variableDefinitions = [] } = operation;
  const variables = variableDefinitions.flatMap(({ variable, type: node }): LeafVariable | [] => {
    const type = typeFromAST(schema, node);
    const nullable = isNonNullType(type) ? type.ofType : type;
    return isLeafType(nullable) ? { name: variable.name.value, type: nullable } : [];
  });
  const areLeaves = variables.length === variableDefinitions.length;
  return (inputs) => {
    const coerced = areLeaves ? coerceLeaves(variables, inputs) : undefined;
    return coerced === undefined ? getVariableValues(schema, variableDefinitions, inputs, { maxErrors }) : { coerced };
  };
}

/** The coerced values. undefined if a value is absent, null or invalid. */
function coerceLeaves(variables: readonly LeafVariable[], inputs: Values): Record<string, unknown> | undefined {
  const coerced: Record<string, unknown> = {};
  for (const { name, type } of variables) {
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (input === undefined || input === null) return undefined;
    let value: unknown;
    try {
      value = type.parseValue(input);
    } catch {
      return undefined;
    }
    if (value === undefined) return undefined;
    coerced[name] = value;
  }
  return coerced;
}
