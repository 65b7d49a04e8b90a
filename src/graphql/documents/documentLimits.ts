import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';
import { jsonLiteral } from '../../schema/scalars.ts';
import { refusal, tooComplex } from './errors.ts';

/** The depth and the number of fields of each selection, fragments expanded. Validation rejects fragments that include themselves. */
function createShape(document: DocumentNode): {
  depth(set: SelectionSetNode): number;
  width(set: SelectionSetNode): number;
} {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);

  /** Each fragment is measured once, however often it is spread. */
  function measured(of: (set: SelectionSetNode) => number): (name: string) => number {
    const knownFragments = new Map<string, number>();
    return (name) => {
      const before = knownFragments.get(name);
      if (before !== undefined) return before;
      const fragment = fragments.get(name);
      knownFragments.set(name, 0);
      const size = fragment === undefined ? 0 : of(fragment.selectionSet);
      knownFragments.set(name, size);
      return size;
    };
  }

  const depthOfFragment = measured(depth);
  const widthOfFragment = measured(width);

  function depth({ selections }: SelectionSetNode): number {
    let deepest = 0;
    for (const node of selections) {
      let ownCount = 0;
      if (node.kind === Kind.FRAGMENT_SPREAD) ownCount = depthOfFragment(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) ownCount = depth(node.selectionSet);
      else if (!['__schema', '__type'].includes(node.name.value))
        ownCount = 1 + (node.selectionSet === undefined ? 0 : depth(node.selectionSet));
      if (ownCount > deepest) deepest = ownCount;
    }
    return deepest;
  }

  function width({ selections }: SelectionSetNode): number {
    let sum = 0;
    for (const node of selections) {
      if (node.kind === Kind.FIELD) sum += 1;
      else sum += node.kind === Kind.INLINE_FRAGMENT ? width(node.selectionSet) : widthOfFragment(node.name.value);
    }
    return sum;
  }

  return { depth, width };
}

/** Checks the shape of a parsed document: its aliases, directives, depth and root fields. Throws OPERATION_TOO_COMPLEX. */
export function checkShape(document: DocumentNode, limits: Limits): void {
  let aliases = 0;
  let directives = 0;
  visit(document, {
    Field(node) {
      if (node.alias !== undefined) aliases += 1;
    },
    Directive(_node: DirectiveNode) {
      directives += 1;
    },
  });
  if (aliases > limits['graphql.aliases']) throw tooComplex(limits, 'graphql.aliases', 'aliases', aliases);
  if (directives > limits['graphql.directives']) throw tooComplex(limits, 'graphql.directives', 'directives', directives);

  const { depth, width } = createShape(document);
  for (const node of document.definitions) {
    // Unused fragments too: validation rejects them, but traverses them first.
    if (node.kind !== Kind.OPERATION_DEFINITION && node.kind !== Kind.FRAGMENT_DEFINITION) continue;
    const deep = depth(node.selectionSet);
    if (deep > limits['graphql.depth']) throw tooComplex(limits, 'graphql.depth', 'fields within one another', deep);
    const fields = node.kind === Kind.OPERATION_DEFINITION ? width(node.selectionSet) : 0;
    if (fields > limits['graphql.rootFields'])
      throw tooComplex(limits, 'graphql.rootFields', 'fields of an operation itself', fields);
  }
}

/** Keys that no input has and that reach the prototype of objects in careless code. */
const unsafeNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Arguments with their own limit: `tx` may be as long as a transaction, `representations` has `graphql.representations`. */
const ownArguments: readonly string[] = ['tx', 'representations'];

/** Variables of each document that are used only as one of these arguments, with the argument. */
function createOwnVariables(): (document: DocumentNode) => ReadonlyMap<string, string> {
  const typesByDocument = new WeakMap<DocumentNode['definitions'], ReadonlyMap<string, string>>();
  return (document) => {
    let documentTypes = typesByDocument.get(document.definitions);
    if (documentTypes === undefined) {
      const others = new Set<string>();
      const usedTypes = new Map<string, string>();
      visit(document, {
        VariableDefinition: () => false,
        Argument({ name, value }: ArgumentNode) {
          if (!ownArguments.includes(name.value) || value.kind !== Kind.VARIABLE) return undefined;
          const before = usedTypes.get(value.name.value);
          if (before !== undefined && before !== name.value) others.add(value.name.value);
          usedTypes.set(value.name.value, name.value);
          return false;
        },
        Variable: ({ name }) => void others.add(name.value),
      });
      for (const name of others) usedTypes.delete(name);
      documentTypes = usedTypes;
      typesByDocument.set(document.definitions, documentTypes);
    }
    return documentTypes;
  };
}

/**
 * Creates the check of one value. Errors call the value `name`. `argument` is the field argument that it is used for. The check throws
 * BAD_USER_INPUT with the name of the limit.
 */
function createValueCheck(limits: Limits) {
  const maxString = limits['variables.string'];

  function passed(name: string, limit: LimitName, what: string): GraphQLError {
    const max = limits[limit];
    const message = `\`${name}\` has ${what} (${limit}): at most ${max}.`;
    return refusal(new RequestError('BAD_USER_INPUT', message, { argument: name.replace('$', ''), limit, max }));
  }

  const isLong = (text: string): boolean => 3 * text.length > maxString && Buffer.byteLength(text) > maxString;

  return (name: string, argument: string | undefined, value: unknown): void => {
    if (typeof value !== 'object' && typeof value !== 'string') return;
    // Without recursion: a value that is too deep is rejected on the way down.
    let level: readonly unknown[] = [value];
    for (let depth = 0; level.length > 0; depth += 1) {
      if (depth > limits['variables.depth']) throw passed(name, 'variables.depth', 'values too deep within one another');
      const inner: unknown[] = [];
      for (const each of level) {
        if (typeof each === 'string' && argument !== 'tx' && isLong(each))
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

/** Creates the check of the variables of an operation. Undeclared variables are ignored. */
export function createVariableCheck(limits: Limits) {
  const ownVariables = createOwnVariables();
  const check = createValueCheck(limits);

  return (document: DocumentNode, operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>>): void => {
    for (const key of Object.getOwnPropertyNames(variables))
      if (unsafeNames.includes(key))
        throw refusal(new RequestError('BAD_USER_INPUT', 'The variables have a key that no input type has.', {}));
    for (const { variable } of operation.variableDefinitions ?? []) {
      const name = variable.name.value;
      if (Object.hasOwn(variables, name)) check(`$${name}`, ownVariables(document).get(name), variables[name]);
    }
  };
}

/** Creates the check of the values in a document: literals and defaults of variables. The limits are those of variables. */
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
