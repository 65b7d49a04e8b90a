import type { IncomingMessage } from 'node:http';
import type { AnswerSource } from '../../answers/answerCache.ts';
import { heightHeader, isNewest, minHeightHeader } from '../../answers/pickHeight.ts';

/**
 * The `Vary` header of surfaces whose requests name heights in headers. Without the height headers, a client's cache would
 * reuse a response for another height.
 */
export const varyByHeight = `Authorization, Origin, ${heightHeader}, ${minHeightHeader}`;

/** The `Vary` header of surfaces whose answers are also compressed. */
export const varyOfAnswers = `${varyByHeight}, Accept-Encoding`;

/**
 * Returns the height in the header `x-cosmos-block-height`. undefined if the header is absent or 0, which means the latest
 * height, as on a node.
 */
export function requestedHeight(request: IncomingMessage, header: string = heightHeader): string | undefined {
  const text = headerOf(request, header);
  return isNewest(text) ? undefined : text;
}

/** undefined if the header is absent or Node returns several values. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the media type of a request's body in lower case. undefined without a `Content-Type` header. */
export function mediaTypeOf(request: IncomingMessage): string | undefined {
  const type = headerOf(request, 'content-type');
  return type === 'application/json' ? type : type?.split(';', 1)[0]?.trim().toLowerCase();
}

/** `Cache-Status` (RFC 9211) of an answer by its source. A carried answer was executed at another height. */
export const cacheStatus: Readonly<Record<AnswerSource, string>> = {
  made: 'stele; fwd=miss',
  kept: 'stele; hit',
  carried: 'stele; hit; detail=carried',
};

/** Without the query. */
export function pathOf(request: IncomingMessage): string {
  const { url = '/' } = request;
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
