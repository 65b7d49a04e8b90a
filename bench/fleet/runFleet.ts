import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { addClient } from '../../src/server/issuer/clients.ts';
import { startPostgres } from '../../test/support/archive/postgres.ts';
import { startRedis } from '../../test/support/redis.ts';
import { type Asked, ask, type FleetSubscriber, type Seen, subscribe } from './clients.ts';
import { startProxy, untilListening } from './proxy.ts';

/** Sizes of a run. */
export interface FleetSizes {
  readonly replicas: number;
  readonly subscribers: number;
  /** Requests a second. */
  readonly requests: number;
  /** Seconds of load before, between and after the restarts and the kill. */
  readonly seconds: number;
}

/** The figures of a run. */
export interface FleetFigures {
  readonly seen: Seen;
  readonly asked: Asked;
  /** The blocks that every subscriber had to get. */
  readonly blocks: number;
  /** Subscribers that did not get the last block within a minute. */
  readonly behind: number;
}

/** A chain whose blocks the run commits. */
export interface FleetChain {
  readonly url: string;
  /** Commits a block, and resolves to its height. */
  commit(): Promise<number>;
}

interface Replica {
  readonly port: number;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function tokenOf(url: string, { id, secret }: { readonly id: string; readonly secret: string }): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = Object(await response.json());
  if (typeof token !== 'string') throw new Error(`no token: ${response.status}`);
  return token;
}

/**
 * Runs replicas behind nginx, with Redis and PostgreSQL, under subscribers and requests, and a block each second. Restarts each replica in
 * turn, then kills one and starts it again. `main` is the built server.
 */
export async function runFleet(main: string, chain: FleetChain, sizes: FleetSizes): Promise<FleetFigures> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-fleet-'));
  const clientsFile = join(directory, 'clients.json');
  const client = await addClient(clientsFile, 'fleet', ['read']);
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  // The archive's flag takes URLs with a host.
  const database = (await postgres.database()).replace('@/', '@localhost/');
  const [proxyPort = 0, ...ports] = await freePorts(sizes.replicas + 1);
  const limits = [
    'rate.points',
    'rate.computing',
    'rate.concurrent',
    'rate.counts',
    'subscriptions.caller',
    'http.connectionsPerAddress',
  ];

  async function startReplica(port: number): Promise<Replica> {
    const flags = ['--port', `${port}`, '--node', chain.url, '--clients-file', clientsFile, '--archive', database];
    const own = ['--data-dir', join(directory, `${port}`), '--cache-dir', 'off'];
    const all = [...flags, ...own, '--shared', redis.url, '--auth-audience', `http://localhost:${proxyPort}`];
    const unlimited = limits.flatMap((name) => ['--limit', `${name}=0`]);
    const child = spawn(process.execPath, [main, ...all, '--log-level', 'error', ...unlimited], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, STELE_SHARED_SECRET: 'the secret of the replicas of a fleet', STELE_DRAIN_DELAY: '1' },
    });
    // A server that cannot start says why.
    await Promise.race([
      untilListening(port).then(() => untilReady(port)),
      once(child, 'exit').then(() => Promise.reject(new Error('a replica has ended'))),
    ]);
    return {
      port,
      async stop(signal) {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        child.kill(signal);
        await gone;
      },
    };
  }

  const stops: (() => Promise<void>)[] = [];
  try {
    return await underLoad();
  } finally {
    for (const stop of stops.reverse()) await stop();
    await Promise.all([redis.close(), postgres.close()]);
    rmSync(directory, { recursive: true, force: true });
  }

  async function underLoad(): Promise<FleetFigures> {
    const replicas = await Promise.all(ports.map(startReplica));
    stops.push(async () => {
      await Promise.all(replicas.map((replica) => replica.stop('SIGKILL')));
    });
    const proxy = await startProxy(proxyPort, ports);
    stops.push(proxy.stop);
    const headers = { authorization: `Bearer ${await tokenOf(proxy.url, client)}` };
    const seen: Seen = { events: 0, lost: 0, repeated: 0, resumed: 0 };
    const asked: Asked = { requests: 0, retried: 0, failed: 0, times: [], reasons: new Map() };
    const over = new AbortController();
    let height = await chain.commit();
    const first = height;
    const committing = (async () => {
      while (!over.signal.aborted) {
        await pause(1_000);
        height = await chain.commit();
      }
    })();
    const subscribers: readonly FleetSubscriber[] = Array.from({ length: sizes.subscribers }, () =>
      subscribe(proxy.url, headers, first, seen),
    );
    stops.push(async () => {
      for (const subscriber of subscribers) subscriber.stop();
    });
    const bodies = ['{ head { height } }', '{ groups { nodes { id } } }', '{ validators { totalCount } }'].map((query) =>
      JSON.stringify({ query }),
    );
    const asking = ask(proxy.url, headers, { perSecond: sizes.requests, bodies, signal: over.signal, asked });
    const load = (): Promise<void> => pause(sizes.seconds * 1_000);

    await load();
    for (const [index, port] of ports.entries()) {
      await replicas[index]?.stop('SIGTERM');
      replicas[index] = await startReplica(port);
      await load();
    }
    await replicas[0]?.stop('SIGKILL');
    await load();
    replicas[0] = await startReplica(ports[0] ?? 0);
    await load();

    over.abort();
    await Promise.all([committing, asking]);
    const behind = (): number => subscribers.filter(({ last }) => last() < height).length;
    for (const end = performance.now() + 60_000; behind() > 0 && performance.now() < end; ) await pause(50);
    return { seen, asked, blocks: height - first, behind: behind() };
  }
}

async function untilReady(port: number): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (response?.ok === true) return;
    await pause(50);
  }
  throw new Error(`the server on port ${port} is not ready`);
}
