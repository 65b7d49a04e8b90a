import { type FieldNode, type GraphQLField, getArgumentValues, type ValueNode } from 'graphql';
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
    return (execution) => {
      execution.sharing.varied += 1;
      const known = execution.args[index];
      if (known !== undefined) return known;
      const values = Object.freeze(getArgumentValues(field, node, execution.variables));
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
