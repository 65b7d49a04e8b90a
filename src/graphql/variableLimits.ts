import { type ArgumentNode, type DocumentNode, type GraphQLError, Kind, type OperationDefinitionNode, visit } from 'graphql';
import { RequestError } from '../modules/errors.ts';
import { refusal } from './limitError.ts';
import type { LimitName, Limits } from './limits.ts';

/** Names that no variable has a use for, and that reach what all objects share where code is careless. */
const unsafeNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Arguments that have a limit of their own: `tx` may be as long as a transaction is, `representations` as many as a router asks for. */
const ownArguments: readonly string[] = ['tx', 'representations'];

/** Variables of each document that are used as one of these arguments and as nothing else, with the argument. */
function createOwnVariables(): (document: DocumentNode) => ReadonlyMap<string, string> {
  const known = new WeakMap<DocumentNode, ReadonlyMap<string, string>>();
  return (document) => {
    let own = known.get(document);
    if (own === undefined) {
      const others = new Set<string>();
      const used = new Map<string, string>();
      visit(document, {
        VariableDefinition: () => false,
        Argument({ name, value }: ArgumentNode) {
          if (!ownArguments.includes(name.value) || value.kind !== Kind.VARIABLE) return undefined;
          const before = used.get(value.name.value);
          if (before !== undefined && before !== name.value) others.add(value.name.value);
          used.set(value.name.value, name.value);
          return false;
        },
        Variable: ({ name }) => void others.add(name.value),
      });
      for (const name of others) used.delete(name);
      own = used;
      known.set(document, own);
    }
    return own;
  };
}

/** Makes the check of the variables of an operation: what passes a limit is BAD_USER_INPUT with the limit's name. Others than the operation's own are not looked at. */
export function createVariableCheck(limits: Limits) {
  const ownVariables = createOwnVariables();

  function passed(name: string, limit: LimitName, what: string): GraphQLError {
    const max = limits[limit];
    return refusal(
      new RequestError('BAD_USER_INPUT', `\`$${name}\` has ${what} (${limit}): at most ${max}.`, {
        argument: name,
        limit,
        max,
      }),
    );
  }

  function check(name: string, argument: string | undefined, value: unknown): void {
    // Without recursion: what is too deep is refused on the way down.
    let level: readonly unknown[] = [value];
    for (let depth = 0; level.length > 0; depth += 1) {
      if (depth > limits['variables.depth']) throw passed(name, 'variables.depth', 'values too deep within one another');
      const inner: unknown[] = [];
      for (const each of level) {
        if (typeof each === 'string' && argument !== 'tx' && Buffer.byteLength(each) > limits['variables.string'])
          throw passed(name, 'variables.string', 'a string with too many bytes');
        if (typeof each !== 'object' || each === null) continue;
        if (Array.isArray(each)) {
          const isOwn = argument === 'representations' && each === value;
          if (!isOwn && each.length > limits['variables.items'])
            throw passed(name, 'variables.items', 'a list with too many items');
        } else if (Object.getOwnPropertyNames(each).some((key) => unsafeNames.includes(key))) {
          throw refusal(new RequestError('BAD_USER_INPUT', `\`$${name}\` has a key that no input has.`, { argument: name }));
        }
        for (const member of Object.values(each)) inner.push(member);
      }
      level = inner;
    }
  }

  return (document: DocumentNode, operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>>): void => {
    for (const key of Object.getOwnPropertyNames(variables))
      if (unsafeNames.includes(key))
        throw refusal(new RequestError('BAD_USER_INPUT', 'The variables have a key that no input has.', {}));
    for (const { variable } of operation.variableDefinitions ?? []) {
      const name = variable.name.value;
      if (Object.hasOwn(variables, name)) check(name, ownVariables(document).get(name), variables[name]);
    }
  };
}
