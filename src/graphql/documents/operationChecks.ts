import {
  DirectiveLocation,
  type DocumentNode,
  GraphQLDirective,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { RequestError } from '../../reads/errors.ts';
import { knownScopes, type Scope, type Viewer } from '../../reads/viewer.ts';

/** Makes a function that reports whether a document selects a field with the extension `mark`. Visits each document once. */
export function createFieldCheck(schema: GraphQLSchema, mark: string): (document: DocumentNode) => boolean {
  const knownResults = new WeakMap<DocumentNode['definitions'], boolean>();
  return (document) => {
    let marked = knownResults.get(document.definitions);
    if (marked === undefined) {
      marked = false;
      const types = new TypeInfo(schema);
      const look = (): void => {
        if (types.getFieldDef()?.extensions[mark] === true) marked = true;
      };
      visit(document, visitWithTypeInfo(types, { Field: look }));
      knownResults.set(document.definitions, marked);
    }
    return marked;
  };
}

const introspection: readonly string[] = ['__schema', '__type'];

/** Returns FORBIDDEN for the first scope that an operation needs and the viewer does not have; undefined if there is none. */
type ScopeCheck = (
  document: DocumentNode,
  operationName: string | null | undefined,
  viewer: Viewer,
) => RequestError | undefined;

/**
 * Creates the check. A mutation needs `broadcast`. `__schema` and `__type` need `introspect`. A root field needs `read` unless its extensions name
 * another scope. Fields of a broadcast result that are not marked `readableWithBroadcast` need `read` too. `__typename` needs nothing. The operation is rejected
 * as a whole, before execution. The scopes of each operation are determined once.
 */
export function createScopeCheck(schema: GraphQLSchema): ScopeCheck {
  const scopesByOperation = new WeakMap<OperationDefinitionNode, ReadonlySet<Scope>>();
  const roots = [schema.getQueryType(), schema.getSubscriptionType()];

  function needs(document: DocumentNode, operation: OperationDefinitionNode): ReadonlySet<Scope> {
    const needed = new Set<Scope>(operation.operation === 'mutation' ? ['broadcast'] : []);
    const alone = separateOperations(document)[operation.name?.value ?? ''] ?? document;
    const types = new TypeInfo(schema);
    let leavesSent = false;
    visit(
      alone,
      visitWithTypeInfo(types, {
        Field({ name: { value: name } }) {
          const [parent, field] = [types.getParentType(), types.getFieldDef()];
          if (introspection.includes(name)) needed.add('introspect');
          else if (name === '__typename' || parent === schema.getMutationType()) return;
          else if (roots.some((root) => root && root === parent))
            needed.add(knownScopes.find((scope) => scope === field?.extensions.scope) ?? 'read');
          else if (parent?.extensions.readableWithBroadcast !== true && field?.extensions.readableWithBroadcast !== true)
            leavesSent = true;
        },
      }),
    );
    if (leavesSent && needed.has('broadcast')) needed.add('read');
    return needed;
  }

  return (document, operationName, { scopes }) => {
    const operation = getOperationAST(document, operationName);
    // The engine rejects a request whose operation is ambiguous, and executes nothing.
    if (!operation) return undefined;
    let needed = scopesByOperation.get(operation);
    if (needed === undefined) {
      needed = needs(document, operation);
      scopesByOperation.set(operation, needed);
    }
    const scope = knownScopes.find((each) => needed.has(each) && !scopes.includes(each));
    return scope && new RequestError('FORBIDDEN', `This operation needs a token with the scope \`${scope}\`.`, { scope });
  };
}

/** The directive of live queries. */
export const liveDirective = new GraphQLDirective({
  name: 'live',
  description: `Makes a query live: the result now, and again at each block at which it differs. Ask for it over a WebSocket, as server-sent events or in Apollo's multipart protocol.
A client that reads slowly receives the newest result and skips those before it. With \`extensions: { patch: true }\` in the request, a result after the first may be \`{ "patch": […], "extensions": … }\`: a JSON Patch (RFC 6902) of the previous result of this stream, without its \`extensions\`.
Fields whose description says "Not read at a height" are refused.`,
  locations: [DirectiveLocation.QUERY],
});

/** Whether the chosen operation of a valid document is a live query. */
export function isLiveQuery(document: DocumentNode, operationName: string | null | undefined): boolean {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return false;
  return operation.directives?.some(({ name }) => name.value === liveDirective.name) === true;
}

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
    let foundField: string | undefined;
    visit(
      alone,
      visitWithTypeInfo(types, {
        Field() {
          const field = types.getFieldDef();
          if (field?.extensions.live === true) foundField ??= `${types.getParentType()?.name}.${field.name}`;
        },
      }),
    );
    if (foundField === undefined) return undefined;
    const text = `The field \`${foundField}\` is not read at a height, so the query cannot be live. Remove the field or \`@live\`.`;
    return new RequestError('BAD_USER_INPUT', text, { argument: '@live', value: foundField });
  };
}
