import { knownScopes } from '../../reads/viewer.ts';
import type { Authenticator } from '../../server/auth/auth.ts';
import { methodNotAllowed, sendError } from '../../server/messages/errors.ts';
import { publicOrigin } from '../../server/messages/requestHeaders.ts';
import type { PublicHandler } from '../../server/router.ts';

/** The path of the server for agents. */
export const mcpPath = '/mcp';

/** Where a client of {@link mcpPath} finds out who issues its tokens (RFC 9728, 3.1). */
export const metadataPath = `/.well-known/oauth-protected-resource${mcpPath}`;

/** Creates the handler of the metadata of `/mcp` as a protected resource (RFC 9728), which names the issuer of tokens and the scopes. */
export function createResourceMetadata(auth: Pick<Authenticator, 'issuer' | 'anonymous'>): PublicHandler {
  return {
    surface: 'tokens',
    isPublic: true,
    // Any page may read it, as RFC 9728 expects of a client in a browser.
    isOpen: true,
    paths: [metadataPath],
    async handle(request, response) {
      const { method = '' } = request;
      if (method !== 'GET' && method !== 'HEAD') return sendError(response, methodNotAllowed);
      const issuer = auth.issuer?.();
      const body = JSON.stringify({
        resource: publicOrigin(request) + mcpPath,
        ...(issuer && { authorization_servers: [issuer] }),
        scopes_supported: knownScopes,
        bearer_methods_supported: ['header'],
        resource_name: 'Stele',
      });
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'content-length': Buffer.byteLength(body),
      });
      response.end(method === 'GET' ? body : undefined);
    },
  };
}
