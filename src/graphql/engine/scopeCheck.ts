import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { RequestError } from '../../reads/errors.ts';
import { knownScopes, type Scope, type Viewer } from '../../reads/viewer.ts';

const introspection: readonly string[] = ['__schema', '__type'];

/** Returns FORBIDDEN for the first scope that an operation needs and the viewer does not have; undefined if there is none. */
export type ScopeCheck = (
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
  const known = new WeakMap<OperationDefinitionNode, ReadonlySet<Scope>>();
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
    let needed = known.get(operation);
    if (needed === undefined) {
      needed = needs(document, operation);
      known.set(operation, needed);
    }
    const scope = knownScopes.find((each) => needed.has(each) && !scopes.includes(each));
    return scope && new RequestError('FORBIDDEN', `This operation needs a token with the scope \`${scope}\`.`, { scope });
  };
}
