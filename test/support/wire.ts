import { once } from 'node:events';
import { request as createRequest, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { WebSocket } from 'ws';
import { expectDescribed } from './answerCheck.ts';
import type { Answer } from './stack.ts';

/** Headers to send. Each value of an array is sent in its own header line. */
export type SentHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A response as received. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request with exactly these headers on its own connection. */
export async function send(
  url: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: SentHeaders; body?: string } = {},
): Promise<WireAnswer> {
  const request = createRequest(url, { method, headers: headers as OutgoingHttpHeaders, agent: false });
  request.end(body);
  const [response]: IncomingMessage[] = await once(request, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response!) chunks.push(chunk as Buffer);
  const answer = { status: response!.statusCode ?? 0, headers: response!.headers, body: Buffer.concat(chunks).toString() };
  const received = Object.entries(answer.headers).map(([name, value = '']) => [name, String(value)] as const);
  await expectDescribed(url, { method, request: body, status: answer.status, headers: received, body: answer.body });
  return answer;
}

/** Sends a GraphQL operation by POST. */
export function post(url: string, query: string, headers: SentHeaders = {}): Promise<WireAnswer> {
  const all = { 'content-type': 'application/json', accept: 'application/json', ...headers };
  return send(`${url}/graphql`, { method: 'POST', headers: all, body: JSON.stringify({ query }) });
}

/** Sends the text of a GraphQL request unchanged, because JavaScript would round its numbers. */
export async function postWritten(url: string, body: string): Promise<Answer<unknown>['body']> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
  return JSON.parse(await response.text());
}

/**
 * Sends the request by GET: each member of the body is a query parameter, with the text of `variables` and `extensions`
 * unchanged.
 */
export async function getWritten(url: string, body: string): Promise<Answer<unknown>['body']> {
  const { query } = JSON.parse(body) as { query: string };
  const parameters = new URLSearchParams({ query });
  // A body ends with `variables`, with `extensions`, or with both in this order.
  const [, variables, extensions] =
    /(?:,"variables":(\{.*?\}))?(?:,"extensions":(\{.*\}))?\}$/.exec(body.slice(`{"query":${JSON.stringify(query)}`.length)) ??
    [];
  if (variables !== undefined) parameters.set('variables', variables);
  if (extensions !== undefined) parameters.set('extensions', extensions);
  const { body: answer } = await send(`${url}/graphql?${parameters}`, { headers: { accept: 'application/json' } });
  return JSON.parse(answer);
}

/** Sends the request as the payload of a message over graphql-transport-ws. */
export async function sendWritten(url: string, body: string): Promise<Answer<unknown>['body']> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  socket.send(`{"id":"1","type":"subscribe","payload":${body}}`);
  const [message]: Buffer[] = await once(socket, 'message');
  socket.terminate();
  const { type, payload } = JSON.parse(String(message));
  return type === 'error' ? { errors: payload } : payload;
}

/** Opens a WebSocket. Returns the status of a refused upgrade, the close code, or `connection_ack`. */
export async function openSocket(
  url: string,
  { headers = {}, params, path = '/graphql' }: { headers?: SentHeaders; params?: unknown; path?: string } = {},
): Promise<number | 'connection_ack'> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, 'graphql-transport-ws', { headers } as object);
  try {
    return await new Promise((resolve) => {
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
      socket.on('error', () => undefined);
      socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: params })));
      socket.on('message', () => resolve('connection_ack'));
      socket.on('close', (code) => resolve(code));
    });
  } finally {
    socket.terminate();
  }
}

/** Sends messages on a WebSocket so that they arrive in few chunks. */
export function sendTogether(socket: WebSocket, texts: readonly string[]): void {
  const { _socket: duplex } = Object(socket);
  duplex.cork();
  for (const text of texts) socket.send(text);
  duplex.uncork();
}
