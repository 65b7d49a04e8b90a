import { WebSocket } from 'ws';
import { noteAnswer } from './answers.ts';
import type { Attack } from './attack.ts';

/** Delay before a closed socket is opened again, in ms. */
const reopening = 250;

/** Keeps a number of sockets open, each of which sends the messages for its number. */
function holdSockets(
  { token, url }: Parameters<Attack['run']>[0],
  { signal }: Parameters<Attack['run']>[1],
  options: {
    readonly count: number;
    readonly path: string;
    readonly protocol: string | undefined;
    /** Sent first. The messages follow its response. */
    readonly hello?: string;
    readonly messages: (index: number) => readonly string[];
    /** Returns the kind under which a message is counted. undefined if it is not counted. */
    readonly kindOf: (message: Readonly<Record<string, unknown>>) => string | undefined;
  },
): Promise<{ readonly requests: number }> {
  const { count, path, protocol, hello, messages, kindOf } = options;
  const open = new Set<WebSocket>();
  const timers = new Set<NodeJS.Timeout>();
  let requests = 0;

  function begin(index: number): void {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, protocol === undefined ? [] : [protocol], {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    });
    open.add(socket);
    const send = (): void => {
      for (const message of messages(index)) {
        requests += 1;
        socket.send(message);
      }
    };
    if (hello === undefined) socket.once('open', send);
    else {
      socket.once('open', () => socket.send(hello));
      socket.once('message', send);
    }
    socket.on('message', (data) => {
      const kind = kindOf(JSON.parse(String(data)));
      if (kind !== undefined) noteAnswer(kind);
    });
    socket.on('unexpected-response', (_, response) => {
      noteAnswer(response.statusCode ?? 'error');
      socket.terminate();
    });
    socket.on('error', () => undefined);
    socket.on('close', (code) => {
      open.delete(socket);
      if (signal.aborted) return;
      noteAnswer(`close ${code}`);
      const timer = setTimeout(() => {
        timers.delete(timer);
        begin(index);
      }, reopening);
      timers.add(timer);
    });
  }

  for (let index = 0; index < count; index += 1) begin(index);
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of open) socket.terminate();
      resolve({ requests });
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
}

function codeOf(payload: unknown): unknown {
  return Array.isArray(payload) ? Object(Object(payload[0]).extensions).code : undefined;
}

/** 2,000 subscriptions that differ in an alias, ten on each of 200 WebSockets. */
export const subscriptions: Attack = {
  name: 'subscriptions',
  description: '2,000 subscriptions made distinct by aliases, ten on each of 200 WebSockets',
  run: (target, options) =>
    holdSockets(target, options, {
      count: 200,
      path: '/graphql',
      protocol: 'graphql-transport-ws',
      hello: '{"type":"connection_init"}',
      messages: (index) =>
        Array.from({ length: 10 }, (_, place) => {
          const query = `subscription { a${index}x${place}: newBlock { height hash time proposer { votingPower } } }`;
          return JSON.stringify({ id: String(place), type: 'subscribe', payload: { query } });
        }),
      kindOf: ({ type, payload }) => (type === 'error' ? String(codeOf(payload)) : type === 'next' ? 'next' : undefined),
    }),
};

/** 2,000 distinct queries of events, five on each of 400 sockets of the node RPC. */
export const rpcQueries: Attack = {
  name: 'rpcQueries',
  description: '2,000 distinct queries of events, five on each of 400 sockets of the node RPC',
  run: (target, options) =>
    holdSockets(target, options, {
      count: 400,
      path: '/comet/websocket',
      protocol: undefined,
      messages: (index) =>
        Array.from({ length: 5 }, (_, place) => {
          const query = `block.height > ${index * 5 + place}`;
          return JSON.stringify({ jsonrpc: '2.0', id: place, method: 'subscribe', params: { query } });
        }),
      kindOf: ({ error }) => (error === undefined ? 'result' : String(Object(error).message)),
    }),
};
