import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../../config/errorCodes.ts';
import { type Full, limitFull, type Refused, rateHeaders, rateRefusal } from '../../graphql/request/caller.ts';
import { closeRefused } from './refusedConnection.ts';

/** An answer to a request of which nothing was executed, without the shape that each surface gives it. */
export interface ErrorResponse {
  readonly status: number;
  readonly code: keyof typeof ErrorCode;
  readonly message: string;
  /** The particulars of the code. */
  readonly facts: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** The body, JSON, that a surface tells a failure in. */
export type ErrorShape = (answer: ErrorResponse) => string;

/** The shape of a GraphQL answer with one error: the facts stand beside the code in `extensions`. It is that of every path without a surface too. */
export const graphqlShape: ErrorShape = ({ code, message, facts }) =>
  JSON.stringify({ errors: [{ message, extensions: { code, ...facts } }] });

/** Makes the answer of a failure. */
export function errorResponse(
  status: number,
  code: keyof typeof ErrorCode,
  message: string,
  facts: object = {},
  headers: Readonly<Record<string, string>> = {},
): ErrorResponse {
  return { status, code, message, facts, headers };
}

/** The answer to a caller who has had enough for now. */
export function rateLimitResponse(refused: Refused): ErrorResponse {
  const { code, message, facts } = rateRefusal(refused);
  return errorResponse(429, code, message, facts, rateHeaders(refused));
}

/** The answer to a caller who first has to end something of its own. */
export function limitReachedResponse(full: Full): ErrorResponse {
  const { code, message, facts } = limitFull(full);
  return errorResponse(429, code, message, facts);
}

/** The answer to a request for what is nowhere. */
export const notFound = errorResponse(404, 'BAD_USER_INPUT', 'There is nothing at this path.');

/** The answer to a request that would change what is only read. */
export const methodNotAllowed = errorResponse(405, 'BAD_USER_INPUT', 'This is read by GET.', {}, { allow: 'GET, HEAD' });

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
  answer: ErrorResponse,
  record?: { code: string | undefined },
  shape: ErrorShape = graphqlShape,
): void {
  const { status, code, headers } = answer;
  const body = shape(answer);
  if (record !== undefined) record.code = code;
  const { 'content-length': length = 0, 'transfer-encoding': encoding } = response.req.headers;
  if (!response.req.complete && (encoding !== undefined || !(Number(length) <= smallBody)))
    response.setHeader('connection', 'close');
  response.writeHead(status, { ...common, ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/**
 * Sends the last answer of a connection that belongs to no HTTP response: its upgrade is refused, or it sent no valid HTTP. The connection is closed
 * within bounds of time and bytes.
 */
export function closeWithError(socket: Duplex, answer: ErrorResponse, shape: ErrorShape = graphqlShape): void {
  const { status, headers } = answer;
  const body = shape(answer);
  const lines = Object.entries({ ...common, ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  closeRefused(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
}
