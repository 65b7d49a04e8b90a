import type { IncomingMessage } from 'node:http';
import { heightHeader, minHeightHeader } from '../../graphql/operation/context.ts';

/**
 * What the answers of a surface vary by whose requests name heights. One may be kept by its caller: a cache that did not know of the height would give
 * it for another one.
 */
export const varyByHeight = `Authorization, Origin, ${heightHeader}, ${minHeightHeader}`;

/** The height that the header `x-cosmos-block-height` names; undefined where it names none. 0 is the latest height, as on the node. */
export function requestedHeight(request: IncomingMessage, header: string = heightHeader): string | undefined {
  const text = headerOf(request, header);
  return text === undefined || /^0{1,19}$/.test(text) ? undefined : text;
}

/** The value of a header that comes once; undefined when it is absent or comes in several. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The media type of a request's body, in lower case; undefined when it names none. */
export function mediaTypeOf(request: IncomingMessage): string | undefined {
  return headerOf(request, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}
