import type { IncomingMessage } from 'node:http';

/** The value of a header that comes once; undefined when it is absent or comes in several. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}
