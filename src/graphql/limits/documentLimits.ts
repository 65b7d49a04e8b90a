import {
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { Limits } from '../../config/limits/limits.ts';
import { tooComplex } from './limitError.ts';

/** The depth and the number of fields of each selection, fragments expanded. Validation rejects fragments that include themselves. */
function createShape(document: DocumentNode): {
  depth(set: SelectionSetNode): number;
  width(set: SelectionSetNode): number;
} {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);

  /** Each fragment is measured once, however often it is spread. */
  function measured(of: (set: SelectionSetNode) => number): (name: string) => number {
    const known = new Map<string, number>();
    return (name) => {
      const before = known.get(name);
      if (before !== undefined) return before;
      const fragment = fragments.get(name);
      known.set(name, 0);
      const size = fragment === undefined ? 0 : of(fragment.selectionSet);
      known.set(name, size);
      return size;
    };
  }

  const depthOfFragment = measured(depth);
  const widthOfFragment = measured(width);

  function depth({ selections }: SelectionSetNode): number {
    let deepest = 0;
    for (const node of selections) {
      let own = 0;
      if (node.kind === Kind.FRAGMENT_SPREAD) own = depthOfFragment(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) own = depth(node.selectionSet);
      else if (!['__schema', '__type'].includes(node.name.value))
        own = 1 + (node.selectionSet === undefined ? 0 : depth(node.selectionSet));
      if (own > deepest) deepest = own;
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
