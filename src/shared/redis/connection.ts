import { isIP } from 'node:net';
import type { Cluster, Redis } from 'ioredis';
import type { Script } from './scripts.ts';

/** A connection to a store with the protocol of Redis. Commands reject at once while it is not connected. */
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

/** What a URL says about a store. */
export interface RedisAddress {
  readonly node: { readonly host: string; readonly port: number };
  readonly username?: string;
  readonly password?: string;
  /** Present if the connection is encrypted. Only names are sent to the server, no IP addresses (RFC 6066, 3). */
  readonly tls?: { readonly servername?: string };
  readonly database: number;
  readonly isCluster: boolean;
}

/** Reads the URL of a store: `redis://` or `rediss://` with TLS. With `?cluster=true`, it is a node of a cluster. */
export function readRedisUrl(url: string): RedisAddress {
  const { hostname, port, protocol, username, password, pathname, searchParams } = new URL(url);
  // The host of an IPv6 address is in brackets.
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    node: { host, port: Number(port === '' ? 6379 : port) },
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: isIP(host) === 0 ? { servername: host } : {} }),
    database: Number(pathname.slice(1) || 0),
    isCluster: searchParams.get('cluster') === 'true',
  };
}

/**
 * Connects to the store at a URL, and connects again whenever the connection is lost. The library is loaded here, so that servers without a shared store do not read it.
 */
export async function connectRedis(url: string): Promise<RedisConnection> {
  // A CommonJS library. In the bundle, it has only a default export.
  const { default: library } = await import('ioredis');
  const { Redis: RedisClient, Cluster: ClusterClient } = library;
  const { node, database, isCluster, ...credentials } = readRedisUrl(url);
  const options = {
    ...credentials,
    connectTimeout,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    noDelay: true,
  };
  const retryStrategy = (times: number): number => Math.min(50 * times, longestPause);
  const client: Redis | Cluster = isCluster
    ? new ClusterClient([node], { redisOptions: options, clusterRetryStrategy: retryStrategy, enableOfflineQueue: false })
    : new RedisClient({ ...node, ...options, db: database, retryStrategy });
  // Commands reject without the reason if the server has refused the connection, for example because of a wrong password.
  let refusal: Error | undefined;
  client.on('error', (error: Error) => {
    if (error.name === 'ReplyError') refusal = error;
  });
  client.on('ready', () => {
    refusal = undefined;
  });

  async function set(key: string, value: Uint8Array | string, ttl: number): Promise<unknown> {
    try {
      return await client.set(key, typeof value === 'string' ? value : Buffer.from(value), 'PX', Math.ceil(ttl));
    } catch (error) {
      throw refusal ?? error;
    }
  }

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
    set,
    delete: (key) => client.del(key),
    close: () => client.disconnect(),
  };
}
