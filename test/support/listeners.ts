import { once } from 'node:events';
import { request as createRequest, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';

/** One response of a stream. */
export interface StreamAnswer {
  readonly data?: Record<string, Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: Record<string, unknown> }[];
  readonly extensions?: { readonly height?: string };
}

/**
 * How a stream ended: with `complete`, with errors, or with its connection (`closed`). `interrupted` has the extensions for
 * resuming if the server ended the stream together with its connection. `code` is the close code of a WebSocket.
 */
export type Ending =
  | 'complete'
  | 'closed'
  | { readonly errors: NonNullable<StreamAnswer['errors']> }
  | { readonly interrupted: Record<string, unknown> | undefined; readonly code?: number };

/** One subscriber. It records the received responses and can stop reading. */
export interface Listener {
  readonly answers: readonly StreamAnswer[];
  /** The text of each response, as received. */
  readonly texts: readonly string[];
  /** The responses received after the end. */
  readonly late: readonly string[];
  /** Resolves when this many responses were received. Rejects if the stream ends first. */
  count(answers: number): Promise<void>;
  /** Resolves when a response matches. */
  until(holds: (answer: StreamAnswer) => boolean): Promise<void>;
  readonly ended: Promise<Ending>;
  /** Stops reading, so that the socket fills up. */
  pause(): void;
  resume(): void;
  /** Ends the subscription: sends `complete` if the protocol has it, otherwise closes the connection. */
  complete(): void;
  /** Closes the connection normally. */
  leave(): Promise<void>;
  /** Closes the connection without a closing handshake. */
  drop(): void;
}

type Wire = Pick<Listener, 'pause' | 'resume' | 'complete' | 'leave' | 'drop'>;

function createListener(): { take(text: string): void; end(ending: Ending): void; on(wire: Wire): Listener } {
  const answers: StreamAnswer[] = [];
  const texts: string[] = [];
  const late: string[] = [];
  const waiting = new Set<() => void>();
  let ending: Ending | undefined;
  let resolveEnd: (ending: Ending) => void;
  const ended = new Promise<Ending>((resolve) => {
    resolveEnd = resolve;
  });
  const wake = (): void => {
    for (const each of [...waiting]) each();
  };
  const wait = (holds: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const fine = holds();
        if (!fine && ending === undefined) return;
        waiting.delete(look);
        if (fine) resolve();
        else reject(new Error(`ended after ${answers.length}: ${JSON.stringify(ending)}`));
      };
      waiting.add(look);
      look();
    });
  return {
    take(text) {
      if (ending !== undefined) {
        late.push(text);
        return;
      }
      texts.push(text);
      answers.push(JSON.parse(text) as StreamAnswer);
      wake();
    },
    end(how) {
      if (ending !== undefined) {
        if (how !== 'closed') late.push(JSON.stringify(how));
        return;
      }
      ending = how;
      resolveEnd(how);
      wake();
    },
    on: (wire) => ({
      ...wire,
      answers,
      texts,
      late,
      ended,
      count: (wanted) => wait(() => answers.length >= wanted),
      until(holds) {
        let seen = 0;
        return wait(() => {
          while (seen < answers.length) if (holds(answers[seen++]!)) return true;
          return false;
        });
      },
    }),
  };
}

/** Subscribes over graphql-transport-ws without a client library, so that frames are seen unchanged. */
export async function overWebSocket(
  url: string,
  query: string,
  variables: object = {},
  token?: string,
  extensions?: object,
): Promise<Listener> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const listener = createListener();
  const id = 'a "quoted" id ✓';
  let resume: Record<string, unknown> | undefined;
  socket.on('message', (data) => {
    const text = String(data);
    const { type, payload } = JSON.parse(text);
    if (type === 'next') listener.take(text.slice(text.indexOf('"payload":') + 10, -1));
    else if (type === 'error') listener.end({ errors: payload });
    else if (type === 'complete') listener.end('complete');
    else if (type === 'ping') resume = payload?.resume?.[id];
  });
  socket.on('close', (code) => listener.end(resume === undefined ? 'closed' : { interrupted: resume, code }));
  socket.on('error', () => undefined);
  await once(socket, 'open');
  const payload = token ? { authorization: `Bearer ${token}` } : undefined;
  socket.send(JSON.stringify({ type: 'connection_init', payload }));
  await once(socket, 'message');
  socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query, variables, extensions } }));
  return listener.on({
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    complete: () => socket.send(JSON.stringify({ id, type: 'complete' })),
    async leave() {
      if (socket.readyState === socket.CLOSED) return;
      socket.resume();
      socket.close();
      await once(socket, 'close');
    },
    drop: () => socket.terminate(),
  });
}

/** Subscribes over server-sent events without a client library. */
export async function overEvents(
  url: string,
  query: string,
  variables: object = {},
  token?: string,
  extensions?: object,
): Promise<Listener> {
  const headers = {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const request = createRequest(`${url}/graphql`, { method: 'POST', headers, agent: false });
  request.on('error', () => undefined);
  request.end(JSON.stringify({ query, variables, extensions }));
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response === undefined || response.statusCode !== 200) throw new Error(`status ${response?.statusCode}`);
  const listener = createListener();
  let text = '';
  let failed: { readonly errors: NonNullable<StreamAnswer['errors']> } | undefined;
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    const frames = text.split('\n\n');
    text = frames.pop()!;
    for (const frame of frames) {
      if (frame === 'event: complete\ndata:') {
        listener.end(failed ?? 'complete');
        failed = undefined;
      } else if (frame.startsWith('event: next\ndata: ')) {
        const json = frame.slice('event: next\ndata: '.length);
        const { data, errors }: StreamAnswer = JSON.parse(json);
        // A response without `data` reports the end of the stream.
        if (data === undefined && errors !== undefined) failed = { errors };
        else listener.take(json);
      } else if (frame !== ':') listener.end({ errors: [{ message: `not understood: ${frame}` }] });
    }
  });
  response.on('error', () => undefined);
  response.on('close', () => {
    listener.end(failed === undefined ? 'closed' : { interrupted: failed.errors[0]?.extensions });
  });
  return listener.on({
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    complete: () => void response.destroy(),
    async leave() {
      if (response.closed) return;
      response.destroy();
      await once(response, 'close');
    },
    drop: () => void response.destroy(),
  });
}

/** Subscribes over Apollo's multipart protocol without a client library. */
export async function overMultipart(url: string, query: string, variables: object = {}): Promise<Listener> {
  const headers = { accept: 'multipart/mixed;subscriptionSpec=1.0, application/json', 'content-type': 'application/json' };
  const request = createRequest(`${url}/graphql`, { method: 'POST', headers, agent: false });
  request.on('error', () => undefined);
  request.end(JSON.stringify({ query, variables }));
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response === undefined || response.statusCode !== 200) throw new Error(`status ${response?.statusCode}`);
  const listener = createListener();
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    const parts = text.split('\r\n--graphql');
    text = parts.pop()!;
    for (const part of parts) {
      const json = part.slice(part.indexOf('\r\n\r\n') + 4);
      if (!part.includes('content-type') || json === '{}') continue;
      const { payload, errors } = JSON.parse(json);
      if (payload === null) listener.end({ errors });
      else listener.take(json.slice('{"payload":'.length, -1));
    }
    if (text.startsWith('--')) listener.end('complete');
  });
  response.on('close', () => listener.end('closed'));
  return listener.on({
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    complete: () => void response.destroy(),
    async leave() {
      if (response.closed) return;
      response.destroy();
      await once(response, 'close');
    },
    drop: () => void response.destroy(),
  });
}

/** The protocols of subscriptions. */
export const transports = { 'graphql-transport-ws': overWebSocket, 'server-sent events': overEvents } as const;
