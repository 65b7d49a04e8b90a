import {
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql';
import type { ConcreteRequest, NormalizationSelection, ReaderSelection } from 'relay-runtime';

type Selection = NormalizationSelection & ReaderSelection;

/** Returns the artifact of the Relay compiler for a query without variables, fragments, aliases and abstract types. */
export function relayRequest(schema: GraphQLSchema, text: string): ConcreteRequest {
  const [operation] = parse(text).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  const selections = selectionsOf(schema, 'Query', operation.selectionSet);
  return {
    kind: 'Request',
    fragment: { kind: 'Fragment', name: 'Test', type: 'Query', metadata: null, argumentDefinitions: [], selections },
    operation: { kind: 'Operation', name: 'Test', argumentDefinitions: [], selections },
    params: { kind: 'RequestParameters', cacheID: 'test', id: null, metadata: {}, name: 'Test', operationKind: 'query', text },
  } as unknown as ConcreteRequest;
}

function selectionsOf(schema: GraphQLSchema, typeName: string, { selections }: SelectionSetNode): Selection[] {
  const type = schema.getType(typeName);
  return selections.map((node) => {
    const field = node.kind === Kind.FIELD && isObjectType(type) ? type.getFields()[node.name.value] : undefined;
    if (node.kind !== Kind.FIELD || field === undefined) throw new Error('not a field of an object');
    const common = { alias: null, name: field.name, storageKey: null };
    if (node.selectionSet === undefined) return { ...common, kind: 'ScalarField', args: null };
    const args = (node.arguments ?? []).map(({ name, value }) => {
      if (value.kind !== Kind.INT) throw new Error('not an integer');
      return { kind: 'Literal' as const, name: name.value, value: Number(value.value) };
    });
    const { name } = getNamedType(field.type);
    return {
      ...common,
      kind: 'LinkedField',
      args: args.length === 0 ? null : args,
      concreteType: name,
      plural: isListType(getNullableType(field.type)),
      selections: selectionsOf(schema, name, node.selectionSet),
    };
  });
}
