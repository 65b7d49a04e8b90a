import type { ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { boundary, eventFrame, nextEvent, type Payload, type StreamFormat } from '../../graphql/subscriptions/payload.ts';
import { largestCopied } from '../../server/sockets/socketFrames.ts';

/** Writes a subscription to an HTTP response, in one format. */
export interface StreamWriter {
  /** The surface of the request in logs and metrics. */
  readonly surface: 'graphql-sse' | 'graphql-multipart';
  /** The first bytes of the response. Browsers do not expose a stream before its first bytes. */
  readonly start: string;
  /** The bytes that keep an idle connection open. */
  readonly heartbeat: string;
  /** Writes one event. */
  write(response: ServerResponse, payload: Payload): void;
  /** Returns the bytes of the errors at the end of a stream. */
  errors(errors: readonly GraphQLError[]): string | Buffer;
  /** The last bytes of a stream that is complete. */
  readonly complete: string;
  /** The last bytes of a stream that the client can resume. */
  readonly interrupted: string;
}

/**
 * Server-sent events in the distinct connections mode of graphql-sse. Clients request a stream again if it ends without
 * `complete`.
 */
const events: StreamWriter = {
  surface: 'graphql-sse',
  start: ':\n\n',
  heartbeat: ':\n\n',
  write(response, payload) {
    const { json } = payload;
    if (json.length <= largestCopied) return void response.write(payload.sse);
    const [head, tail] = eventFrame;
    response.write(head);
    response.write(json);
    response.write(tail);
  },
  errors: (errors) => nextEvent(JSON.stringify({ errors })),
  complete: 'event: complete\ndata:\n\n',
  interrupted: '',
};

const partHead = '\r\ncontent-type: application/json\r\n\r\n';
const partTail = `\r\n--${boundary}`;

/**
 * Apollo's multipart protocol for subscriptions. Each part ends with the boundary of the next part, because clients wait for
 * it.
 */
const multipart: StreamWriter = {
  surface: 'graphql-multipart',
  start: `${partTail}${partHead}{}${partTail}`,
  heartbeat: `${partHead}{}${partTail}`,
  write(response, { json }) {
    response.cork();
    response.write(`${partHead}{"payload":`);
    response.write(json);
    response.write(`}${partTail}`);
    response.uncork();
  },
  errors: (errors) => `${partHead}${JSON.stringify({ payload: null, errors })}${partTail}`,
  complete: '--\r\n',
  interrupted: '--\r\n',
};

/** The writer of each format. */
export const streamWriters: Readonly<Record<StreamFormat, StreamWriter>> = { events, multipart };
