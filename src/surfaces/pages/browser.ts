import type { IncomingMessage } from 'node:http';

/**
 * Whether a browser requests a page: a GET that accepts HTML. Programs that use GraphQL or the node RPC at the same path accept
 * JSON or name no type.
 */
export function isPageRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}
