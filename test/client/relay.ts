import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address for several servers. Its connections can be cut, stalled and moved to another server. */
export interface FaultyRelay {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** Connects to the server at `url` from now on. Open connections stay. */
  target(url: string): void;
  /** While set, each new connection is cut after so many bytes of its server, which may be within a message. */
  cutAfter: (() => number) | undefined;
  /** Closes all connections without a handshake. */
  cut(): void;
  /** Stops to read from the servers, until `flow`. The clients are not told. */
  stall(): void;
  flow(): void;
  /** Number of connections that `cutAfter` has cut. */
  cuts(): number;
  close(): Promise<void>;
}

/** Starts a relay of TCP connections on a free port. */
export async function startFaultyRelay(first: string): Promise<FaultyRelay> {
  let target = new URL(first);
  let cuts = 0;
  let isStalled = false;
  const pairs = new Map<Socket, Socket>();

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    pairs.set(client, upstream);
    let left = relay.cutAfter?.() ?? Number.POSITIVE_INFINITY;
    if (isStalled) upstream.pause();
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        pairs.delete(client);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      const rest = left;
      left -= bytes.length;
      if (left > 0) {
        if (client.write(bytes)) return;
        upstream.pause();
        client.once('drain', () => !isStalled && upstream.resume());
        return;
      }
      if (rest <= 0) return;
      cuts += 1;
      client.write(bytes.subarray(0, rest), () => client.destroy());
    });
    upstream.on('end', () => client.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const cut = (): void => {
    for (const [client, upstream] of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  const relay: FaultyRelay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target(url) {
      target = new URL(url);
    },
    cutAfter: undefined,
    cut,
    stall() {
      isStalled = true;
      for (const upstream of pairs.values()) upstream.pause();
    },
    flow() {
      isStalled = false;
      for (const upstream of pairs.values()) upstream.resume();
    },
    cuts: () => cuts,
    async close() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
  return relay;
}
