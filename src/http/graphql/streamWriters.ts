import type { ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { eventFrame, nextEvent, type Payload } from '../../graphql/subscriptions/payload.ts';
import { boundary, type StreamFormat } from '../../graphql/subscriptions/streamFormat.ts';
import { largestCopied } from '../sockets/socketFrames.ts';

/** Writes a subscription to an HTTP answer, in one format. */
export interface StreamWriter {
  /** The surface that logs and metrics count the request to. */
  readonly surface: 'graphql-sse' | 'graphql-multipart';
  /** What the answer begins with. Browsers show nothing of a stream before its first bytes. */
  readonly start: string;
  /** What keeps a silent connection alive. */
  readonly heartbeat: string;
  /** Writes one event. */
  write(response: ServerResponse, payload: Payload): void;
  /** The errors that a stream ends with. */
  errors(errors: readonly GraphQLError[]): string | Buffer;
  /** What a stream ends with that is over. */
  readonly complete: string;
  /** What a stream ends with that can be resumed. */
  readonly interrupted: string;
}

/** Server-sent events in the protocol of graphql-sse, distinct connections mode. A stream that ends without `complete` is requested again by its client. */
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

/** Apollo's multipart protocol for subscriptions. Each part ends with the boundary of the next one, which clients wait for. */
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
