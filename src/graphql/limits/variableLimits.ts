import { type ArgumentNode, type DocumentNode, type GraphQLError, Kind, type OperationDefinitionNode, visit } from 'graphql';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';
import { jsonLiteral } from '../../schema/scalars.ts';
import { refusal } from './limitError.ts';

/** Names that no variable has a use for, and that reach what all objects share where code is careless. */
const unsafeNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Arguments that have a limit of their own: `tx` may be as long as a transaction is, `representations` as many as a router asks for. */
const ownArguments: readonly string[] = ['tx', 'representations'];

/** Variables of each document that are used as one of these arguments and as nothing else, with the argument. */
function createOwnVariables(): (document: DocumentNode) => ReadonlyMap<string, string> {
  const known = new WeakMap<DocumentNode['definitions'], ReadonlyMap<string, string>>();
  return (document) => {
    let own = known.get(document.definitions);
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
      known.set(document.definitions, own);
    }
    return own;
  };
}

/**
 * Makes the check of one value. `name` is what its error calls it, and `argument` is the argument of the field that it is for. What passes a
 * limit is BAD_USER_INPUT with the limit's name.
 */
function createValueCheck(limits: Limits) {
  function passed(name: string, limit: LimitName, what: string): GraphQLError {
    const max = limits[limit];
    const message = `\`${name}\` has ${what} (${limit}): at most ${max}.`;
    return refusal(new RequestError('BAD_USER_INPUT', message, { argument: name.replace('$', ''), limit, max }));
  }

  return (name: string, argument: string | undefined, value: unknown): void => {
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
          const message = `\`${name}\` has a key that no input has.`;
          throw refusal(new RequestError('BAD_USER_INPUT', message, { argument: name.replace('$', '') }));
        }
        for (const member of Object.values(each)) inner.push(member);
      }
      level = inner;
    }
  };
}

/** Makes the check of the variables that an operation is given. Those that the operation does not declare are not looked at. */
export function createVariableCheck(limits: Limits) {
  const ownVariables = createOwnVariables();
  const check = createValueCheck(limits);

  return (document: DocumentNode, operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>>): void => {
    for (const key of Object.getOwnPropertyNames(variables))
      if (unsafeNames.includes(key))
        throw refusal(new RequestError('BAD_USER_INPUT', 'The variables have a key that no input has.', {}));
    for (const { variable } of operation.variableDefinitions ?? []) {
      const name = variable.name.value;
      if (Object.hasOwn(variables, name)) check(`$${name}`, ownVariables(document).get(name), variables[name]);
    }
  };
}

/** Makes the check of the values that a document holds: literals, and defaults of variables. They have the limits of given variables. */
export function createDocumentValueCheck(limits: Limits) {
  const ownVariables = createOwnVariables();
  const check = createValueCheck(limits);

  return (document: DocumentNode): void => {
    visit(document, {
      Argument({ name, value }: ArgumentNode) {
        check(name.value, name.value, jsonLiteral(value));
        return false;
      },
      VariableDefinition({ variable: { name }, defaultValue }) {
        if (defaultValue !== undefined)
          check(`$${name.value}`, ownVariables(document).get(name.value), jsonLiteral(defaultValue));
        return false;
      },
    });
  };
}
