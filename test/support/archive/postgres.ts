import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** Where Debian installs PostgreSQL. */
const root = '/usr/lib/postgresql';
const version = existsSync(root)
  ? readdirSync(root)
      .filter((name) => existsSync(join(root, name, 'bin/postgres')))
      .at(-1)
  : undefined;

/** Whether tests that need PostgreSQL can run. */
export const hasPostgres = version !== undefined;

/** Ends the name of a group of tests that need PostgreSQL. */
export const postgresNote = hasPostgres ? '' : ` (skipped: there is no ${root})`;

/** A PostgreSQL server. */
export interface PostgresServer {
  /** The URL of an empty database of its own. With a name, that of the database with this name, which is created if there is none. */
  database(name?: string): Promise<string>;
  /** Stops the server as a crash does, and resolves when it is gone. */
  crash(): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Runs a command as the owner of a server's files: PostgreSQL does not run as root. */
function asOwner(command: string, args: readonly string[]) {
  const isRoot = process.getuid?.() === 0;
  return isRoot
    ? spawn('runuser', ['-u', 'postgres', '--', command, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
    : spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/**
 * Starts a PostgreSQL server with its files in a directory, which is kept, or in a temporary one. Its socket is in a temporary directory. It listens on no
 * port.
 */
export async function startPostgres(kept?: string): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-pg-'));
  const files = kept ?? directory;
  mkdirSync(files, { recursive: true });
  if (process.getuid?.() === 0) {
    const passwd = await import('node:fs').then(({ readFileSync }) => readFileSync('/etc/passwd', 'utf8'));
    const [, , uid, gid] = passwd
      .split('\n')
      .find((line) => line.startsWith('postgres:'))!
      .split(':');
    for (const owned of new Set([directory, files])) chownSync(owned, Number(uid), Number(gid));
  }
  const bin = join(root, version!, 'bin');
  const data = join(files, 'data');
  if (!existsSync(data)) {
    const init = asOwner(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']);
    init.stderr.resume();
    const [code] = await once(init, 'exit');
    if (code !== 0) throw new Error(`initdb failed with ${code}`);
  }

  const url = (name: string): string => `postgres://postgres@/${name}?host=${encodeURIComponent(directory)}`;
  let server: ReturnType<typeof asOwner> | undefined;
  async function start(): Promise<void> {
    server = asOwner(join(bin, 'postgres'), [
      '-D',
      data,
      '-k',
      directory,
      '-h',
      '',
      '-c',
      'fsync=off',
      '-c',
      'full_page_writes=off',
      '-c',
      'max_connections=200',
    ]);
    server.stderr.resume();
    for (;;) {
      const client = new pg.Client(url('postgres'));
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.end();
        return;
      } catch {
        if (server.exitCode !== null) throw new Error(`postgres exited with ${server.exitCode}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
  async function stop(mode: 'immediate' | 'fast'): Promise<void> {
    if (server === undefined || server.exitCode !== null) return;
    const stopped = asOwner(join(bin, 'pg_ctl'), ['-D', data, '-m', mode, '-W', 'stop']);
    const gone = once(server, 'exit');
    await once(stopped, 'exit');
    await gone;
  }
  await start();
  let count = 0;
  return {
    async database(wanted) {
      const name = wanted ?? `test${count++}`;
      const client = new pg.Client(url('postgres'));
      await client.connect();
      const { rows } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (rows.length === 0) await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return url(name);
    },
    crash: () => stop('immediate'),
    start,
    async close() {
      await stop(kept === undefined ? 'immediate' : 'fast');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Returns the URL of an empty database. All files of a test run share the server, which the global setup starts for the first database. */
export async function emptyDatabase(): Promise<string> {
  const shared = process.env.TEST_POSTGRES;
  if (shared === undefined) throw new Error('only tests with the global setup share a PostgreSQL server');
  const response = await fetch(shared);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

/** A host between clients and a PostgreSQL server. */
export interface PostgresHost {
  /** The URL of the database through this host. */
  readonly url: string;
  /** Forwards nothing any more and closes nothing, as a host whose power is gone. */
  freeze(): void;
  /** Forwards new connections again. Connections from before are closed, as after a restart of the host. */
  restart(): void;
  close(): Promise<void>;
}

/** Starts a host that forwards to the socket of the server with this URL, on a free port. */
export async function startHost(database: string): Promise<PostgresHost> {
  const [, name, directory] = /@\/(\w+)\?host=(.+)$/.exec(database)!;
  const path = join(decodeURIComponent(directory!), '.s.PGSQL.5432');
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((client) => {
    sockets.add(client.on('error', () => undefined));
    if (isFrozen) return;
    const upstream = connect(path).on('error', () => undefined);
    sockets.add(upstream);
    for (const [from, to] of [[client, upstream] as const, [upstream, client] as const]) {
      from.on('data', (bytes) => void (isFrozen || to.write(bytes)));
      from.on('close', () => void (isFrozen || to.destroy()));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/${name}`,
    freeze() {
      isFrozen = true;
    },
    restart() {
      cut();
      isFrozen = false;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
