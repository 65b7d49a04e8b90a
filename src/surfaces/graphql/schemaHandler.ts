import type { ChainSchema } from '../../graphql/chainSchema.ts';
import { schemaText } from '../../graphql/schema.ts';
import { refusalResponse } from '../../server/auth/bearer.ts';
import { graphqlShape, methodNotAllowed, sendError } from '../../server/messages/errors.ts';
import type { Handler } from '../../server/router.ts';

/**
 * Creates the handler at `/schema.graphql`. It returns the subgraph schema as text, the same as `_service`, and requires the
 * scope `introspect`.
 */
export function createSchemaHandler(schema: ChainSchema): Handler {
  return {
    surface: 'schema',
    shape: graphqlShape,
    paths: ['/schema.graphql'],
    async handle({ method = '' }, response, { session, record }) {
      if (!session.viewer.scopes.includes('introspect')) {
        return sendError(response, refusalResponse({ reason: 'noScope', scope: 'introspect' }), record);
      }
      if (method !== 'GET' && method !== 'HEAD') return sendError(response, methodNotAllowed, record);
      // Without the types of the chain if they cannot be read now.
      await schema.pending()?.catch(() => undefined);
      const text = Buffer.from(schemaText(schema.current()));
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length });
      response.end(method === 'GET' ? text : undefined);
    },
  };
}
