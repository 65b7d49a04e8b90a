import { type DocumentNode, type GraphQLSchema, separateOperations, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { RequestError } from '../../reads/errors.ts';

/**
 * Creates the check of live queries: returns BAD_USER_INPUT for the first field of the operation that is not read at a height, by its
 * name; undefined if there is none. A valid document is expected.
 */
export function createLiveFieldCheck(
  schema: GraphQLSchema,
): (document: DocumentNode, operationName: string | null | undefined) => RequestError | undefined {
  return (document, operationName) => {
    const operations = separateOperations(document);
    // Without a name, the document has one operation.
    const alone = operations[operationName ?? ''] ?? document;
    const types = new TypeInfo(schema);
    let found: string | undefined;
    visit(
      alone,
      visitWithTypeInfo(types, {
        Field() {
          const field = types.getFieldDef();
          if (field?.extensions.live === true) found ??= `${types.getParentType()?.name}.${field.name}`;
        },
      }),
    );
    if (found === undefined) return undefined;
    const text = `The field \`${found}\` is not read at a height, so the query cannot be live. Remove the field or \`@live\`.`;
    return new RequestError('BAD_USER_INPUT', text, { argument: '@live', value: found });
  };
}
