import { type GraphQLField, isNonNullType } from 'graphql';
import { createComplete, createLeaf, failed } from './complete.ts';
import { chain, isPromiseLike } from './errors.ts';
import type { Complete, SelectedField } from './execution.ts';
import { textJson } from './json.ts';
import { createResolve, type Resolve } from './resolver.ts';
import type { PlannedField } from './selection.ts';

/** Plans `__typename`: always the name of the object's type. */
export function planTypename(key: string, name: string): PlannedField {
  const json = textJson(name);
  return { key, run: () => json };
}

/**
 * Plans a field. `slot` returns the next free slot for arguments. `createCompleteNamed` creates the function that completes objects. It is only
 * called for types that are made of objects.
 */
export function planField(
  field: SelectedField,
  definition: GraphQLField<unknown, unknown>,
  slot: () => number,
  createCompleteNamed: () => Complete,
): PlannedField {
  const resolve = createResolve(field, definition, slot);
  const leaf = createLeaf(field.returnType, field);
  if (leaf !== undefined) return planLeaf(field, resolve, leaf);
  return planComposite(field, resolve, createComplete(field.returnType, field, createCompleteNamed));
}

/** Plans a scalar or an enum. Its path is only needed for an error. */
function planLeaf(field: SelectedField, resolve: Resolve, complete: (value: unknown) => string): PlannedField {
  const { key, nodes, parentType, returnType } = field;
  const typename = parentType.name;
  const nullable = !isNonNullType(returnType);
  return {
    key,
    run(execution, object, prev) {
      try {
        const value = resolve(execution, object, prev);
        if (typeof value !== 'object' || !isPromiseLike(value)) return complete(value);
        const fail = (error: unknown): string => failed(execution, error, nodes, { prev, key, typename }, nullable);
        return chain(value, complete).then(undefined, fail);
      } catch (error) {
        return failed(execution, error, nodes, { prev, key, typename }, nullable);
      }
    },
  };
}

/** Plans an object or a list. */
function planComposite(field: SelectedField, resolve: Resolve, complete: Complete): PlannedField {
  const { key, nodes, parentType, returnType } = field;
  const typename = parentType.name;
  const nullable = !isNonNullType(returnType);
  return {
    key,
    run(execution, object, prev) {
      const path = { prev, key, typename };
      try {
        const value = resolve(execution, object, prev);
        const completed = isPromiseLike(value)
          ? chain(value, (resolved) => complete(execution, resolved, path))
          : complete(execution, value, path);
        if (!(completed instanceof Promise)) return completed;
        return completed.then(undefined, (error: unknown) => failed(execution, error, nodes, path, nullable));
      } catch (error) {
        return failed(execution, error, nodes, path, nullable);
      }
    },
  };
}
