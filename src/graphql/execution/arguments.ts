import { type FieldNode, type GraphQLField, getArgumentValues, isNonNullType, type ValueNode, valueFromAST } from 'graphql';
import type { Execution, Values } from './execution.ts';

/** Returns the arguments of a field. Throws if a value is invalid. */
export type Arguments = (execution: Execution) => Values;

const noArguments: Values = Object.freeze({});

function hasVariable(value: ValueNode): boolean {
  if (value.kind === 'Variable') return true;
  if (value.kind === 'ListValue') return value.values.some(hasVariable);
  return value.kind === 'ObjectValue' && value.fields.some((field) => hasVariable(field.value));
}

/** Freezes lists and plain objects, which several executions share. Other objects, such as bytes, are left alone. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

/** An argument whose value is a variable, or is the same in each execution. */
type PlainArgument =
  | { readonly name: string; readonly value: unknown }
  | { readonly name: string; readonly variable: string; readonly isNullable: boolean };

/**
 * The arguments of a field in the order of its definition. undefined if one of them is put together of variables, or if its value is invalid
 * or missing.
 */
function plainArguments(field: GraphQLField<unknown, unknown>, node: FieldNode): readonly PlainArgument[] | undefined {
  const plain: PlainArgument[] = [];
  for (const { name, type, defaultValue } of field.args) {
    const given = node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (given?.kind === 'Variable') {
      plain.push({ name, variable: given.name.value, isNullable: !isNonNullType(type) });
      continue;
    }
    if (given !== undefined && hasVariable(given)) return undefined;
    const value: unknown = given === undefined ? defaultValue : valueFromAST(given, type);
    if (value !== undefined) plain.push({ name, value: frozen(value) });
    else if (given !== undefined || isNonNullType(type)) return undefined;
  }
  return plain;
}

/** The values of these arguments. undefined if a variable is absent, or null where it must not be. */
function plainValues(plain: readonly PlainArgument[], variables: Values): Values | undefined {
  const values: Record<string, unknown> = {};
  for (const argument of plain) {
    if ('value' in argument) {
      values[argument.name] = argument.value;
      continue;
    }
    const { name, variable, isNullable } = argument;
    const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    if (value === undefined || (value === null && !isNullable)) return undefined;
    values[name] = value;
  }
  return values;
}

/**
 * Creates the function that returns the arguments of a field. They are coerced once if no variable occurs in them, and otherwise
 * once for each execution, kept in `slot`. Resolvers must not change them.
 */
export function createArguments(
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
  slot: () => number,
): Arguments {
  // The nodes of a field have equal arguments.
  const [node] = nodes;
  if (field.args.length === 0 || node === undefined) return () => noArguments;
  if (node.arguments?.some(({ value }) => hasVariable(value)) === true) {
    const index = slot();
    const plain = plainArguments(field, node);
    return (execution) => {
      execution.sharing.varied += 1;
      const known = execution.args[index];
      if (known !== undefined) return known;
      const found = plain && plainValues(plain, execution.variables);
      const values = Object.freeze(found ?? getArgumentValues(field, node, execution.variables));
      execution.args[index] = values;
      return values;
    };
  }
  let known: Values | undefined;
  return () => {
    known ??= frozen(getArgumentValues(field, node));
    return known;
  };
}
