import { schemaText } from '../../graphql/schema.ts';
import { refusalResponse } from '../auth/authRefusal.ts';
import type { Handler } from '../handlers/handler.ts';
import { graphqlShape, methodNotAllowed, sendError } from '../messages/errors.ts';

/** Makes the handler at `/schema.graphql`: the text of the subgraph, which is the same as that of `_service`, for who may introspect. It is made when the first one asks. */
export function createSchemaHandler(): Handler {
  let text: Buffer | undefined;
  return {
    surface: 'schema',
    shape: graphqlShape,
    matches: (path) => path === '/schema.graphql',
    async handle({ method = '' }, response, { session, record }) {
      if (!session.viewer.scopes.includes('introspect')) {
        return sendError(response, refusalResponse({ reason: 'noScope', scope: 'introspect' }), record);
      }
      if (method !== 'GET' && method !== 'HEAD') return sendError(response, methodNotAllowed, record);
      text ??= Buffer.from(schemaText());
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length });
      response.end(method === 'GET' ? text : undefined);
    },
  };
}
