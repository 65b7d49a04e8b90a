import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Headers of a response: an object, or names and values in turn. */
type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * A response that sends the id of its request as `x-request-id`, whichever code writes its head. `setHeader` at the start of
 * each request would make Node write each head in a slower way. It also holds the request that it responds to, for the code that
 * runs when it closes: listeners for each response would take more time than that code.
 */
export class IdentifiedResponse extends ServerResponse {
  /** The id. undefined if the response has none. */
  requestId: string | undefined;
  /** The request, which ends when the response closes. undefined until it is handled. */
  tracked: { end(): void } | undefined;

  /** Writes the head. A list of headers belongs to the response from then on. */
  override writeHead(statusCode: number, statusMessage?: string, headers?: Headers): this;
  override writeHead(statusCode: number, headers?: Headers): this;
  override writeHead(statusCode: number, reason?: string | Headers, last?: Headers): this {
    const headers = typeof reason === 'string' ? last : reason;
    if (this.requestId !== undefined) {
      if (Array.isArray(headers)) headers.push('x-request-id', this.requestId);
      else this.setHeader('x-request-id', this.requestId);
    }
    return typeof reason === 'string' ? super.writeHead(statusCode, reason, headers) : super.writeHead(statusCode, headers);
  }
}

/** Ends the request of a response that has closed. */
export function endTracked(response: ServerResponse): void {
  if (response instanceof IdentifiedResponse) response.tracked?.end();
}
