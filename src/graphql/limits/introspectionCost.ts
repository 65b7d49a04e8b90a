import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** Introspection fields that cost one point together. One takes a tenth of the time of an object of the chain. */
const fieldsPerPoint = 10;

/** Average items of a list in the introspection of this schema; 1 for the other lists. */
const items: Readonly<Record<string, number>> = { fields: 8, enumValues: 2, directives: 5 };

/**
 * Creates the function that calculates the cost of a field `__schema` or `__type`: a point for each ten fields that are executed under it. Each
 * fragment is calculated once.
 */
export function createIntrospectionCost(schema: GraphQLSchema) {
  const types = Object.keys(schema.getTypeMap()).length;

  return (fragments: ReadonlyMap<string, FragmentDefinitionNode>): ((field: FieldNode, typeName: string) => number) => {
    const known = new Map<string, number>();

    function fragmentFields(name: string): number {
      const before = known.get(name);
      if (before !== undefined) return before;
      const fragment = fragments.get(name);
      known.set(name, 0);
      const count = fragment === undefined ? 0 : fieldsOf(fragment.selectionSet, fragment.typeCondition.name.value);
      known.set(name, count);
      return count;
    }

    function fieldsOf({ selections }: SelectionSetNode, typeName: string): number {
      const type = schema.getType(typeName);
      let sum = 0;
      for (const node of selections) {
        if (node.kind === Kind.FRAGMENT_SPREAD) sum += fragmentFields(node.name.value);
        else if (node.kind === Kind.INLINE_FRAGMENT) sum += fieldsOf(node.selectionSet, typeName);
        else {
          sum += 1;
          const field = isObjectType(type) ? type.getFields()[node.name.value] : undefined;
          if (field === undefined || node.selectionSet === undefined) continue;
          const size = field.name === 'types' ? types : (items[field.name] ?? 1);
          const isList = isListType(getNullableType(field.type));
          sum += (isList ? size : 1) * fieldsOf(node.selectionSet, getNamedType(field.type).name);
        }
      }
      return Math.min(sum, 1e12);
    }

    return ({ selectionSet }, typeName) =>
      selectionSet === undefined ? 0 : Math.floor(fieldsOf(selectionSet, typeName) / fieldsPerPoint);
  };
}
