import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';

/**
 * Extensions of a field that is of no height, or whose answer at a height can still change: what a node says of itself, mempools,
 * searches, a commit that is not canonical. It makes its whole operation uncacheable.
 */
export const liveField = { live: true } as const;

/** Tells whether a document selects a field marked with {@link liveField}, anywhere in it. Each document is looked at once. */
export function createLiveCheck(schema: GraphQLSchema): (document: DocumentNode) => boolean {
  const known = new WeakMap<DocumentNode, boolean>();
  return (document) => {
    let live = known.get(document);
    if (live === undefined) {
      live = false;
      const types = new TypeInfo(schema);
      const look = (): void => {
        if (types.getFieldDef()?.extensions.live === true) live = true;
      };
      visit(document, visitWithTypeInfo(types, { Field: look }));
      known.set(document, live);
    }
    return live;
  };
}
