import type { Cluster, Redis } from 'ioredis';
import type { Script } from './scripts.ts';

/** A connection to a store that speaks the protocol of Redis. Commands reject at once while it is not connected. */
export interface RedisConnection {
  /** Runs a script. Texts in the result are buffers. */
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  get(key: string): Promise<Uint8Array | null>;
  set(key: string, value: Uint8Array | string, ttl: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  close(): void;
}

/** How long a connection attempt may take, and the longest pause between two, in ms. */
const connectTimeout = 2_000;
const longestPause = 1_000;

/**
 * Connects to the store at a URL, and connects again whenever the connection is lost. `?cluster=true` in the URL connects to all nodes of a
 * cluster. The library is loaded here, so that servers without a shared store do not read it.
 */
export async function connectRedis(url: string): Promise<RedisConnection> {
  // A CommonJS library. In the bundle, it has only a default export.
  const { default: library } = await import('ioredis');
  const { Redis: RedisClient, Cluster: ClusterClient } = library;
  const { hostname, port, protocol, username, password, pathname, searchParams } = new URL(url);
  const node = {
    // The host of an IPv6 address is in brackets.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port === '' ? 6379 : port),
  };
  const options = {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: { servername: node.host } }),
    connectTimeout,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    noDelay: true,
  };
  const retryStrategy = (times: number): number => Math.min(50 * times, longestPause);
  const client: Redis | Cluster =
    searchParams.get('cluster') === 'true'
      ? new ClusterClient([node], { redisOptions: options, clusterRetryStrategy: retryStrategy, enableOfflineQueue: false })
      : new RedisClient({ ...node, ...options, db: Number(pathname.slice(1) || 0), retryStrategy });
  // Each command reports its own failure.
  client.on('error', () => undefined);

  async function run({ text, digest }: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await client.callBuffer('EVALSHA', digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return client.callBuffer('EVAL', text, keys.length, ...keys, ...args);
    }
  }

  return {
    run,
    get: (key) => client.getBuffer(key),
    set: (key, value, ttl) => client.set(key, typeof value === 'string' ? value : Buffer.from(value), 'PX', Math.ceil(ttl)),
    delete: (key) => client.del(key),
    close: () => client.disconnect(),
  };
}
