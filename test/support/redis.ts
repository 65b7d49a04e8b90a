import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './ports.ts';

/** Debian's Redis server. */
export const program = '/usr/bin/redis-server';

/** Whether tests that need Redis can run. */
export const hasRedis = existsSync(program);

/** Ends the name of a group of tests that need Redis. */
export const redisNote = hasRedis ? '' : ` (skipped: there is no ${program})`;

/** A Redis server of a test, behind a proxy that can hold back its responses. */
export interface RedisServer {
  /** The URL of the proxy. */
  readonly url: string;
  /** Its port with TLS, which the proxy does not touch. */
  readonly tls: { readonly url: string; readonly certificate: string } | undefined;
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

/** A port with TLS and its certificate, which is its own authority. */
interface Tls {
  readonly url: string;
  /** The file of the certificate. */
  readonly certificate: string;
  readonly flags: readonly string[];
  remove(): void;
}

async function createTls(): Promise<Tls> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'stele-redis-'));
  const [certificate, key] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '1'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  spawnSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate]);
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
  return {
    url: `rediss://localhost:${port}`,
    certificate,
    flags: ['--tls-port', `${port}`, ...files, '--tls-auth-clients', 'no'],
    remove: () => rmSync(directory, { recursive: true }),
  };
}

/** Starts a Redis server that keeps everything in memory. With a password, clients must send it. */
export async function startRedis({
  password,
  hasTls = false,
}: {
  readonly password?: string;
  readonly hasTls?: boolean;
} = {}): Promise<RedisServer> {
  const port = await freePort();
  const tls = hasTls ? await createTls() : undefined;
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
        ...(tls?.flags ?? []),
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
    tls,
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
      tls?.remove();
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
