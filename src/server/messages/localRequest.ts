import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../config/network.ts';

/** Headers that proxies add, in addition to all that begin with `x-forwarded`. */
const proxyHeaders: readonly string[] = ['forwarded', 'via', 'x-real-ip'];

/** Whether the headers of a request show that a proxy forwarded it. */
function isProxied({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some((name) => proxyHeaders.includes(name) || name.startsWith('x-forwarded'));
}

/**
 * Whether a request was sent to a loopback name, and not through a proxy. This stops DNS rebinding: a page of another site
 * whose name resolves to this machine is same-origin for the browser, but the `Host` header of its requests is the name of that
 * site.
 */
export function isLocalRequest(request: IncomingMessage): boolean {
  const { host = '' } = request.headers;
  if (isProxied(request)) return false;
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return isLoopback(hostname) || hostname.endsWith('.localhost');
}
