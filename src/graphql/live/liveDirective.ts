import { DirectiveLocation, type DocumentNode, GraphQLDirective, getOperationAST, OperationTypeNode } from 'graphql';

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
