import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';

/**
 * Extensions of a field that is of no height, or whose answer at a height can still change: what a node says of itself, mempools,
 * searches, a commit that is not canonical. It makes its whole operation uncacheable.
 */
export const liveField = { live: true } as const;

/** Tells whether a document selects a field marked with {@link liveField}. */
export function createLiveCheck(schema: GraphQLSchema): (document: DocumentNode) => boolean {
  return createFieldCheck(schema, 'live');
}

/** Tells whether a document selects a field whose extensions have this mark, anywhere in it. Each document is looked at once. */
export function createFieldCheck(schema: GraphQLSchema, mark: string): (document: DocumentNode) => boolean {
  const known = new WeakMap<DocumentNode['definitions'], boolean>();
  return (document) => {
    let marked = known.get(document.definitions);
    if (marked === undefined) {
      marked = false;
      const types = new TypeInfo(schema);
      const look = (): void => {
        if (types.getFieldDef()?.extensions[mark] === true) marked = true;
      };
      visit(document, visitWithTypeInfo(types, { Field: look }));
      known.set(document.definitions, marked);
    }
    return marked;
  };
}
