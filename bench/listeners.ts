import { randomBytes, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { now, tellParent } from './child.ts';
import { createFrameReader } from './frames.ts';

// Many subscribers in one process, with minimal code, because their cost is not the server's.

/** The protocol of a subscriber: GraphQL over WebSocket, plain WebSocket, or server-sent events. */
type Way = 'graphql-ws' | 'ws' | 'sse';

interface Connecting {
  readonly url: string;
  readonly way: Way;
  readonly count: number;
  readonly query: string;
  readonly variables?: Readonly<Record<string, string>>;
}

const sockets = new Set<Socket>();
let messages = 0;
/** Bytes of the payloads of WebSocket messages. */
let bytes = 0;
let wanted = Number.POSITIVE_INFINITY;
let reached = (_: number): void => undefined;
/** Resolves with the time of the last message once all expected messages were received. */
let last = 0;

function take(): void {
  messages += 1;
  if (messages < wanted) return;
  last = now();
  reached(last);
}

/** Encodes a frame of a client: text, masked with zeros, or a pong. */
function frame(opcode: number, text: string): Buffer {
  const payload = Buffer.from(text);
  const long = payload.length > 125;
  const head = long
    ? Buffer.from([0x80 | opcode, 0xfe, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0])
    : Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]);
  return Buffer.concat([head, payload]);
}

const pong = frame(0x0a, '');

function overWebSocket(socket: Socket, { way, query, variables }: Connecting): Promise<void> {
  const key = randomBytes(16).toString('base64');
  const protocol = way === 'graphql-ws' ? 'Sec-WebSocket-Protocol: graphql-transport-ws\r\n' : '';
  socket.write(
    `GET /graphql HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n${protocol}\r\n`,
  );
  return new Promise((resolve) => {
    let state: 'upgrading' | 'beginning' | 'listening' = 'upgrading';
    const read = createFrameReader({
      ping: () => socket.write(pong),
      message(length) {
        if (state === 'listening') {
          bytes += length;
          return take();
        }
        state = 'listening';
        const subscribe = { id: randomUUID(), type: 'subscribe', payload: { query, variables } };
        socket.write(frame(1, JSON.stringify(subscribe)), () => resolve());
      },
    });
    socket.on('data', (chunk: Buffer) => {
      if (state !== 'upgrading') return read(chunk);
      state = way === 'graphql-ws' ? 'beginning' : 'listening';
      if (state === 'beginning') socket.write(frame(1, '{"type":"connection_init"}'));
      else resolve();
    });
  });
}

const marker = Buffer.from('event: next\n');

function overEvents(socket: Socket, { query }: Connecting): Promise<void> {
  socket.write(`GET /graphql?query=${encodeURIComponent(query)} HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n`);
  return new Promise((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      resolve();
      for (let at = chunk.indexOf(marker); at !== -1; at = chunk.indexOf(marker, at + 1)) take();
    });
  });
}

async function open(connecting: Connecting): Promise<void> {
  const { hostname, port } = new URL(connecting.url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.once('close', () => sockets.delete(socket));
  await (connecting.way === 'sse' ? overEvents : overWebSocket)(socket, connecting);
}

tellParent('', () => ({ calls: sockets.size, batches: messages, kinds: { bytes } }), {
  /** Opens subscribers, a hundred at a time. */
  async connect(argument) {
    const connecting = argument as Connecting;
    for (let opened = 0; opened < connecting.count; opened += 100) {
      const some = Math.min(100, connecting.count - opened);
      await Promise.all(Array.from({ length: some }, () => open(connecting)));
    }
    return now();
  },
  /** Sets the total number of messages to expect. */
  want(total) {
    wanted = Number(total);
    last = 0;
    return now();
  },
  /** Resolves when they were received, with the time of the last one. */
  wanted: () =>
    new Promise<number>((resolve) => {
      if (last !== 0) resolve(last);
      else reached = resolve;
    }),
  close() {
    for (const socket of sockets) socket.destroy();
    return now();
  },
});
