import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Refused, rateHeaders, rateLimited } from '../graphql/caller.ts';
import type { ErrorCode } from '../graphql/errorCode.ts';

/** An answer to a request of which nothing was executed. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: keyof typeof ErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, in the shape of a GraphQL answer with one error. */
  readonly body: string;
}

/** Makes the answer of a failure: `facts` stand beside the code in `extensions`. */
export function errorAnswer(
  status: number,
  code: keyof typeof ErrorCode,
  message: string,
  facts: object = {},
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer {
  return { status, code, headers, body: JSON.stringify({ errors: [{ message, extensions: { code, ...facts } }] }) };
}

/** The answer to a caller who has had enough for now. */
export function rateAnswer(refused: Refused): ErrorAnswer {
  const { code, message, facts } = rateLimited(refused);
  return errorAnswer(429, code, message, facts, rateHeaders(refused));
}

const common = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'Authorization, Accept, Origin',
};

/** Bodies up to this that nobody reads are let pass, so that the connection can be used again. */
const smallBody = 64 * 1024;

/** Sends an answer to a request whose body may not have been read, and is not going to be; its code goes to the `record` of the request. */
export function sendError(
  response: ServerResponse,
  { status, code, headers, body }: ErrorAnswer,
  record?: { code: string | undefined },
): void {
  if (record !== undefined) record.code = code;
  const { 'content-length': length = 0, 'transfer-encoding': encoding } = response.req.headers;
  if (!response.req.complete && (encoding !== undefined || !(Number(length) <= smallBody)))
    response.setHeader('connection', 'close');
  response.writeHead(status, { ...common, ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Sends an answer on a connection that belongs to no HTTP answer: it asked to be a WebSocket, or was no HTTP at all. It is closed behind it. */
export function endWith(socket: Duplex, { status, headers, body }: ErrorAnswer): void {
  const lines = Object.entries({ ...common, ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
}
