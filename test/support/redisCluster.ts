import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './ports.ts';
import { program } from './redis.ts';

const slots = 16_384;
const size = 3;

/** A cluster of three Redis servers without copies, each with a third of the slots. */
export interface RedisCluster {
  /** The URL of one of the servers. */
  readonly url: string;
  /** The number of keys of each server. */
  keys(): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Starts a cluster. Resolves when all servers agree about its slots. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-redis-'));
  const nodes = await Promise.all(
    Array.from({ length: size }, async (_, index) => {
      const [port, busPort] = [await freePort(), await freePort()];
      const files = ['--dir', directory, '--cluster-config-file', `${index}.conf`, '--save', '', '--appendonly', 'no'];
      const cluster = ['--cluster-enabled', 'yes', '--cluster-port', `${busPort}`];
      const child = spawn(program, ['--port', `${port}`, '--bind', '127.0.0.1', ...cluster, ...files], { stdio: 'ignore' });
      const admin = new Redis({ port, retryStrategy: () => 20, maxRetriesPerRequest: null });
      admin.on('error', () => undefined);
      await admin.ping();
      await admin.call(
        'CLUSTER',
        'ADDSLOTSRANGE',
        Math.ceil((slots * index) / size),
        Math.ceil((slots * (index + 1)) / size) - 1,
      );
      return { child, admin, port, busPort };
    }),
  );
  for (const { port, busPort } of nodes.slice(1)) await nodes[0]!.admin.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  const isFormed = async ({ admin }: { readonly admin: Redis }): Promise<boolean> => {
    const info = String(await admin.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${size}`);
  };
  while (!(await Promise.all(nodes.map(isFormed))).every(Boolean)) await pause(20);
  return {
    url: `redis://127.0.0.1:${nodes[0]!.port}?cluster=true`,
    keys: () => Promise.all(nodes.map(({ admin }) => admin.dbsize())),
    async close() {
      for (const { admin, child } of nodes) {
        admin.disconnect();
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      }
      rmSync(directory, { recursive: true });
    },
  };
}
