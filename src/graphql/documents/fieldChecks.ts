import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';

/** Makes a function that reports whether a document selects a `liveField`. */
export function createLiveCheck(schema: GraphQLSchema): (document: DocumentNode) => boolean {
  return createFieldCheck(schema, 'live');
}

/** Makes a function that reports whether a document selects a field with the extension `mark`. Visits each document once. */
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
