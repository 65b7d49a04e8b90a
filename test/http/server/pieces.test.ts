import { once } from 'node:events';
import { type AddressInfo, connect as connectTo, createServer, Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createPieces } from '../../../src/server/connections.ts';

/**
 * Creates a connection without a network, and collects the pieces that its listener gets. The connection is paused after the
 * piece for which `pausesAfter` returns true.
 */
async function connect(pausesAfter: (piece: string) => boolean = () => false) {
  const socket = new Socket();
  const pieces: string[] = [];
  const connection: { waiting: unknown[] | undefined; received: number } = { waiting: undefined, received: 0 };
  const reading = createPieces(new Map([[socket, connection]]), () => undefined);
  reading.start(socket);
  socket.on('data', (piece) => {
    pieces.push(String(piece));
    if (!pausesAfter(String(piece))) return;
    connection.waiting = [];
    socket.pause();
    // Node does this after each request.
    socket.resume();
  });
  // The stream starts to flow in the next tick.
  await new Promise(setImmediate);
  return {
    socket,
    pieces,
    connection,
    reading,
    goOn() {
      connection.waiting = undefined;
      socket.resume();
    },
  };
}

const request = (name: string, size: number): string => `GET /${name.padEnd(size - 18, '.')} HTTP/1.1\r\n\r\n`.slice(-size);

it('a piece ends with the first headers that end after 256 bytes', async () => {
  const { socket, pieces, connection } = await connect();
  const [a, b, c, d] = [request('a', 200), request('b', 60), request('c', 300), request('d', 20)];
  socket.push(Buffer.from(`${a}${b}${c}${d}`));
  expect(pieces).toEqual([a + b, c, d]);
  expect(connection.received).toBe(580);
});

it('a request with its body is one piece, whatever the body contains', async () => {
  const { socket, pieces } = await connect();
  const headers = request('a', 1_000);
  socket.push(Buffer.from(`${headers}${'x'.repeat(60_000)}`));
  expect(pieces.map(({ length }) => length)).toEqual([61_000]);
  const lines = '\r\n\r\n'.repeat(15_000);
  socket.push(Buffer.from(lines));
  expect(pieces.slice(1).join('')).toBe(lines);
  expect(pieces.length).toBeLessThan(300);
});

it('pieces after a pause wait in their order, before the end of the connection', async () => {
  const { socket, pieces, goOn } = await connect((piece) => piece.includes('/a'));
  const all = Array.from({ length: 40 }, (_, index) => request(index === 0 ? 'a' : `${index}`, 300));
  const ended = new Promise((resolve) => socket.once('end', resolve));
  socket.push(Buffer.from(all.join('')));
  socket.push(null);
  await new Promise(setImmediate);
  expect(pieces).toEqual(all.slice(0, 1));
  goOn();
  await ended;
  expect(pieces.join('')).toBe(all.join(''));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2_500);
});

it('after `stop`, chunks are passed on as a whole, also the rest of the current one', async () => {
  const { socket, pieces, reading } = await connect((piece) => {
    if (piece.includes('/b')) reading.stop(socket);
    return false;
  });
  const all = ['a', 'b', 'c', 'd'].map((name) => request(name, 300));
  socket.push(Buffer.from(all.join('')));
  socket.push(Buffer.from(all.join('')));
  expect(pieces).toEqual([all[0], all[1], `${all[2]}${all[3]}`, all.join('')]);
});

it('all connections are read into the same memory, and what is kept is not overwritten', async () => {
  const connections = new Map<unknown, { waiting: unknown[] | undefined; received: number }>();
  const reading = createPieces(connections, () => undefined);
  const accepted: { readonly socket: Socket; readonly pieces: string[]; readonly chunks: Buffer[] }[] = [];
  const server = createServer((socket) => {
    connections.set(socket, { waiting: undefined, received: 0 });
    reading.start(socket);
    const own = { socket, pieces: [] as string[], chunks: [] as Buffer[] };
    accepted.push(own);
    socket.on('data', (piece) => {
      own.pieces.push(String(piece));
      own.chunks.push(piece);
      if (own.pieces.length === 1 && String(piece).includes('/first')) socket.pause();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clients = [connectTo(port, '127.0.0.1'), connectTo(port, '127.0.0.1')] as const;
  const having = (text: string) => accepted.find(({ pieces }) => pieces.some((piece) => piece.includes(text)));
  const all = Array.from({ length: 20 }, (_, index) => request(index === 0 ? 'first' : `${index}`, 300)).join('');
  const others = request('other', 6_000);
  try {
    clients[0].write(all);
    await expect.poll(() => having('/first')?.socket.readableLength).toBe(all.length - 300);
    clients[1].write(others);
    await expect.poll(() => having('/other')?.pieces.join('')).toBe(others);
    const [first, other] = [having('/first'), having('/other')];
    first?.socket.resume();
    await expect.poll(() => first?.pieces.join('')).toBe(all);
    expect(first?.chunks[0]?.buffer).toBe(other?.chunks[0]?.buffer);
    // A protocol that is no longer HTTP may keep its chunks.
    if (first !== undefined) reading.stop(first.socket);
    clients[0].write('as a whole');
    await expect.poll(() => first?.pieces.at(-1)).toBe('as a whole');
    clients[1].write(request('later', 6_000));
    await expect.poll(() => having('/later')).toBe(other);
    expect(String(first?.chunks.at(-1))).toBe('as a whole');
  } finally {
    for (const client of clients) client.destroy();
    server.close();
  }
});
