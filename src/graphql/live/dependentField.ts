import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The selection of nothing but the type of an object. */
const typeOnly: SelectionNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

/** The most executions that a search makes. */
const maxTries = 60;

/**
 * The path of the first field of an operation that makes it depend on its block: an object if all of its fields do. `depends` tells whether a document
 * with a part of the selections depends on its block. The path is `query` if no field alone does.
 */
export async function dependentField(
  document: DocumentNode,
  operationName: string | null | undefined,
  depends: (part: DocumentNode) => Promise<boolean>,
): Promise<string> {
  const operation = getOperationAST(document, operationName);
  if (operation == null) return 'query';
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  let tries = 0;

  const documentOf = (selections: readonly SelectionNode[]): DocumentNode => {
    const part: OperationDefinitionNode = { ...operation, selectionSet: { ...operation.selectionSet, selections } };
    return { ...document, definitions: document.definitions.map((node) => (node === operation ? part : node)) };
  };

  async function isDependent(part: DocumentNode): Promise<boolean> {
    tries += 1;
    return tries <= maxTries && depends(part);
  }

  /** The selection with its ownPath selections replaced. A fragment is written out. */
  function inside(
    node: SelectionNode,
  ): { readonly set: SelectionSetNode; with(set: SelectionSetNode): SelectionNode } | undefined {
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(node.name.value);
      if (fragment === undefined) return undefined;
      const { typeCondition, selectionSet } = fragment;
      return { set: selectionSet, with: (set) => ({ kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet: set }) };
    }
    const { selectionSet } = node;
    return selectionSet && { set: selectionSet, with: (set) => ({ ...node, selectionSet: set }) };
  }

  async function search(
    path: readonly string[],
    { selections }: SelectionSetNode,
    wrap: (selections: readonly SelectionNode[]) => DocumentNode,
  ): Promise<readonly string[]> {
    const dependent: SelectionNode[] = [];
    for (const node of selections) if (await isDependent(wrap([node]))) dependent.push(node);
    // The object itself depends on the block, if all of its fields do.
    if (path.length > 0 && dependent.length === selections.length && (await isDependent(wrap([typeOnly])))) return path;
    for (const node of dependent.slice(0, 1)) {
      const ownPath = node.kind === Kind.FIELD ? [...path, node.alias?.value ?? node.name.value] : path;
      const inner = inside(node);
      if (inner === undefined) return ownPath;
      return search(ownPath, inner.set, (some) => wrap([inner.with({ ...inner.set, selections: some })]));
    }
    return path;
  }

  const path = await search([], operation.selectionSet, documentOf);
  return path.join('.') || 'query';
}
