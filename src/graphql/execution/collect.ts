import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  type NamedTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';
import type { Source, Values } from './execution.ts';

/** The nodes of each field, by the key in the response, in the order of the response. */
export type Fields = ReadonlyMap<string, readonly FieldNode[]>;

/**
 * Collects the fields that selection sets select on an object type. `conditions` are the variables of `@skip` and `@include`. Throws if
 * one of them is null.
 */
export function collectFields(
  { schema, fragments }: Source,
  conditions: Values,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
): Fields {
  const fields = new Map<string, FieldNode[]>();
  /** The fragments that were spread already. Each one counts once. */
  const spread = new Set<string>();

  function isIncluded(node: SelectionNode): boolean {
    if (node.directives === undefined || node.directives.length === 0) return true;
    if (getDirectiveValues(GraphQLSkipDirective, node, conditions)?.if === true) return false;
    return getDirectiveValues(GraphQLIncludeDirective, node, conditions)?.if !== false;
  }

  function applies(condition: NamedTypeNode | undefined): boolean {
    if (condition === undefined) return true;
    const named = typeFromAST(schema, condition);
    return named === type || (isAbstractType(named) && schema.isSubType(named, type));
  }

  function collect({ selections }: SelectionSetNode): void {
    for (const node of selections) {
      if (node.kind === 'FragmentSpread') {
        const name = node.name.value;
        if (spread.has(name) || !isIncluded(node)) continue;
        spread.add(name);
        const fragment = fragments[name];
        if (fragment !== undefined && applies(fragment.typeCondition)) collect(fragment.selectionSet);
      } else if (isIncluded(node)) {
        if (node.kind === 'Field') add(node);
        else if (applies(node.typeCondition)) collect(node.selectionSet);
      }
    }
  }

  function add(node: FieldNode): void {
    const key = (node.alias ?? node.name).value;
    const nodes = fields.get(key);
    if (nodes === undefined) fields.set(key, [node]);
    else nodes.push(node);
  }

  for (const set of selectionSets) collect(set);
  return fields;
}
