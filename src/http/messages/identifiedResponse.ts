import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Headers of a response: an object, or names and values in turn. */
type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * A response that sends the id of its request as `x-request-id`, whichever code writes its head. `setHeader` at the start of
 * each request would make Node write each head in a slower way.
 */
export class IdentifiedResponse extends ServerResponse {
  /** The id. undefined if the response has none. */
  requestId: string | undefined;

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

/** Sends `id` as the header `x-request-id` of a response whose head is not written. */
export function setRequestId(response: ServerResponse, id: string): void {
  if (response instanceof IdentifiedResponse) response.requestId = id;
  else response.setHeader('x-request-id', id);
}
