import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../config/network.ts';

/** Headers that proxies add, beside all that begin with `x-forwarded`. */
const proxyHeaders: readonly string[] = ['forwarded', 'via', 'x-real-ip'];

/** Whether a proxy has handed on a request, as far as its headers say. */
function isProxied({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some((name) => proxyHeaders.includes(name) || name.startsWith('x-forwarded'));
}

/**
 * Whether a request was sent to a name of this machine, and by no proxy. The page of another site whose name was made to point here (DNS rebinding) is of
 * the same origin to the browser, but its requests have its own name.
 */
export function isLocalRequest(request: IncomingMessage): boolean {
  const { host = '' } = request.headers;
  if (isProxied(request)) return false;
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return isLoopback(hostname) || hostname.endsWith('.localhost');
}
