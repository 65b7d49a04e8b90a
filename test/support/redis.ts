import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';

const program = '/usr/bin/redis-server';

/** Whether tests that need Redis can run. */
export const hasRedis = existsSync(program);

/** Ends the name of a group of tests that need Redis. */
export const redisNote = hasRedis ? '' : ` (skipped: there is no ${program})`;

/** A Redis server of a test, behind a proxy that can hold back its responses. */
export interface RedisServer {
  /** The URL of the proxy. */
  readonly url: string;
  /** A connection of the test, which the proxy does not touch. Connects again when the server is back. */
  readonly admin: Redis;
  /** Holds back all responses, until it is called with `false`. */
  hold(isHolding: boolean): void;
  /** Stops the server as a crash does, and resolves when it is gone. */
  crash(): Promise<void>;
  /** Starts it again, empty, unless it runs. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Listens on a free port, and returns it. */
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  return port;
}

/** Starts a Redis server that keeps everything in memory. With a password, clients must send it. */
export async function startRedis({ password }: { readonly password?: string } = {}): Promise<RedisServer> {
  const port = await freePort();
  let server: ReturnType<typeof spawn> | undefined;
  let isHolding = false;
  const held: (() => void)[] = [];
  const admin = new Redis({
    port,
    ...(password && { password }),
    lazyConnect: true,
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
  });
  admin.on('error', () => undefined);

  const isRunning = (): boolean => server !== undefined && server.exitCode === null && server.signalCode === null;

  async function start(): Promise<void> {
    if (isRunning()) return;
    server = spawn(
      program,
      [
        '--port',
        `${port}`,
        '--save',
        '',
        '--appendonly',
        'no',
        '--bind',
        '127.0.0.1',
        ...(password ? ['--requirepass', password] : []),
      ],
      {
        stdio: 'ignore',
      },
    );
    await admin.ping();
  }

  async function crash(): Promise<void> {
    if (server === undefined || !isRunning()) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  }

  const open = new Set<Socket>();
  const proxy = createServer((inside) => {
    const outside = connect(port, '127.0.0.1');
    for (const [one, other] of [[inside, outside] as const, [outside, inside] as const]) {
      open.add(one);
      one.setNoDelay(true);
      one
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(one);
          other.destroy();
        });
    }
    inside.on('data', (bytes) => outside.write(bytes));
    outside.on('data', (bytes) => {
      if (isHolding) held.push(() => inside.write(bytes));
      else inside.write(bytes);
    });
  });
  const proxyPort = await listen(proxy);
  await start();
  return {
    url: `redis://127.0.0.1:${proxyPort}`,
    admin,
    hold(now) {
      isHolding = now;
      if (now) return;
      for (const send of held.splice(0)) send();
    },
    crash,
    start,
    async close() {
      admin.disconnect();
      await crash();
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
