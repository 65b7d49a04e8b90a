import { createHash, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Cluster, Redis } from 'ioredis';
import { backoff } from '../chain/base/time.ts';
import { type Counted, type CountUpdate, defaultClaimTime, type Found, placeTime, type SharedStore } from './sharedStore.ts';

type StoreTrouble = 'SLOW' | 'UNREACHABLE' | 'FULL' | 'REFUSED';

interface BreakerOptions {
  /** The longest wait for a command, in ms. */
  readonly wait: number;
  /** Writes to the store. Resolves if that works. */
  readonly probe: () => Promise<unknown>;
  /** Called once when the store is lost, unless it is back within {@link firstPause}. */
  readonly onLost: (trouble: StoreTrouble) => void;
  /** Called when the store is back after {@link onLost}. */
  readonly onBack: () => void;
}

/** The time until the first probe and between later ones, in ms. */
const firstPause = 100;
const laterPause = 1_000;

/** How long a new connection may take before the store counts as lost, in ms, and the time between probes until then. */
const startTime = 1_000;
const startPause = 20;

class SlowError extends Error {
  override readonly name = 'SlowError';
}

/** Rejects with a {@link SlowError} if `work` takes longer than `wait` ms. Responses that have arrived by then are read first. */
function within<T>(work: Promise<T>, wait: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new SlowError())), wait);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function troubleOf(error: unknown): StoreTrouble {
  if (error instanceof SlowError) return 'SLOW';
  if (!(error instanceof Error)) return 'REFUSED';
  if (error.message.includes('OOM ')) return 'FULL';
  return error.name === 'ReplyError' ? 'REFUSED' : 'UNREACHABLE';
}

/**
 * Creates a breaker. After a failure the store is lost: nothing is sent until a probe succeeds. Requests never make probes. A
 * breaker begins as lost, with a probe at once, and reports that only if it lasts for a second.
 */
function createBreaker({ wait, probe, onLost, onBack }: BreakerOptions) {
  const counts = { answered: 0, failed: 0, skipped: 0, losses: 0 };
  let isClosed = false;
  let isReported = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let startUntil = performance.now() + startTime;

  function probeAfter(pause: number): void {
    timer = setTimeout(() => {
      within(probe(), wait).then(
        () => {
          if (isStopped) return;
          isClosed = true;
          startUntil = 0;
          if (isReported) onBack();
          isReported = false;
        },
        (error: unknown) => {
          if (isStopped) return;
          if (performance.now() < startUntil) return probeAfter(startPause);
          if (!isReported) onLost(troubleOf(error));
          isReported = true;
          probeAfter(laterPause);
        },
      );
    }, pause);
    timer.unref();
  }

  function lose(): void {
    counts.failed += 1;
    if (!isClosed || isStopped) return;
    isClosed = false;
    counts.losses += 1;
    probeAfter(firstPause);
  }

  probeAfter(0);

  return {
    /** Runs a command. Resolves to undefined if it fails, if it takes longer than the longest wait, or at once while the store is lost. */
    async run<T>(command: () => Promise<T>): Promise<T | undefined> {
      if (!isClosed) {
        counts.skipped += 1;
        return undefined;
      }
      try {
        const result = await within(command(), wait);
        counts.answered += 1;
        return result;
      } catch {
        lose();
        return undefined;
      }
    },
    isClosed: () => isClosed,
    stats: () => counts,
    stop(): void {
      isStopped = true;
      isClosed = false;
      clearTimeout(timer);
    },
  };
}

/** A Lua script, which the store keeps under its digest. */
type Script = ReturnType<typeof script>;

function script(text: string) {
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}

/**
 * Keys: those of values, and last the one of the claim. Argument: how long a claim lasts, in ms. Returns the index of the first key that has
 * a value, and the value; otherwise 0 if the key was claimed, and -1 if another process has claimed it.
 */
const findScript = script(`
for i = 1, #KEYS - 1 do
  local value = redis.call('GET', KEYS[i])
  if value then return {i, value} end
end
if redis.call('SET', KEYS[#KEYS], '', 'NX', 'PX', ARGV[1]) then return {0} end
return {-1}
`);

/**
 * Key: a hash of one caller. Its fields are the level of each bucket (\`b1\`, …), their time in ms (\`at\`), a version, and the slots of each
 * process. Arguments: the process, a new version, how long slots count in ms, the number of buckets, five numbers for each bucket as in
 * \`BucketUpdate\`, and the slots of each limit. Returns the version, 1 if what was wanted was taken and else 0, the levels, and
 * the slots of the other processes. The key expires when all buckets are full and no slots count.
 */
const countScript = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local own, lasts, buckets = 'p' .. ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local at = tonumber(redis.call('HGET', KEYS[1], 'at') or now)
local version = redis.call('HGET', KEYS[1], 'v') or ARGV[2]
local expiry = 1000
local granted, levels, sizes, rates, wants = true, {}, {}, {}, {}
local fields = {'at', string.format('%.3f', now), 'v', version}
local arg = 5
for i = 1, buckets do
  local used, known, size, rate = tonumber(ARGV[arg]), tonumber(ARGV[arg + 1]), tonumber(ARGV[arg + 2]), tonumber(ARGV[arg + 3])
  local wanted = tonumber(ARGV[arg + 4])
  arg = arg + 5
  local level = tonumber(redis.call('HGET', KEYS[1], 'b' .. i))
  if level then level = level + math.max(0, now - at) * rate / 60000 else level = known end
  level = math.max(-size, math.min(size, math.min(size, level) - used))
  granted = granted and (wanted == 0 or level >= math.min(wanted, size))
  levels[i], sizes[i], rates[i], wants[i] = level, size, rate, wanted
end
local result = {version, granted and 1 or 0}
for i = 1, buckets do
  local level = granted and math.max(-sizes[i], levels[i] - wants[i]) or levels[i]
  expiry = math.max(expiry, (sizes[i] - level) * 60000 / rates[i])
  local text = string.format('%.6f', level)
  table.insert(fields, 'b' .. i)
  table.insert(fields, text)
  table.insert(result, text)
end
local elsewhere, taken, slots = {}, false, {string.format('%.0f', now + lasts)}
for i = arg, #ARGV do
  elsewhere[i - arg + 1] = 0
  taken = taken or tonumber(ARGV[i]) > 0
  table.insert(slots, ARGV[i])
end
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 1) == 'p' and all[i] ~= own then
    local parts = {}
    for part in string.gmatch(all[i + 1], '[^ ]+') do table.insert(parts, tonumber(part)) end
    if parts[1] < now then redis.call('HDEL', KEYS[1], all[i])
    else
      expiry = math.max(expiry, parts[1] - now)
      for j = 1, #elsewhere do elsewhere[j] = elsewhere[j] + (parts[j + 1] or 0) end
    end
  end
end
if taken then
  table.insert(fields, own)
  table.insert(fields, table.concat(slots, ' '))
  expiry = math.max(expiry, lasts)
else redis.call('HDEL', KEYS[1], own) end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('PEXPIRE', KEYS[1], math.ceil(expiry) + 1000)
for j = 1, #elsewhere do table.insert(result, tostring(elsewhere[j])) end
return result
`);

/** How long a connection attempt may take, and the longest pause between two, in ms. */
const connectTimeout = 2_000;
const longestPause = 1_000;

/** Reads the URL of a store: `redis://` or `rediss://` with TLS. With `?cluster=true`, it is a node of a cluster. */
export function readRedisUrl(url: string) {
  const { hostname, port, protocol, username, password, pathname, searchParams } = new URL(url);
  // The host of an IPv6 address is in brackets.
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    node: { host, port: Number(port === '' ? 6379 : port) },
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    // Only names are sent to the server, no IP addresses (RFC 6066, 3).
    ...(protocol === 'rediss:' && { tls: isIP(host) === 0 ? { servername: host } : {} }),
    database: Number(pathname.slice(1) || 0),
    isCluster: searchParams.get('cluster') === 'true',
  };
}

/**
 * Connects to the store at a URL, and connects again whenever the connection is lost. Commands reject at once while it is not connected. The library is loaded here, so that servers without a shared store do not read it.
 */
async function connectRedis(url: string) {
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
  const retryStrategy = backoff({ first: 50, max: longestPause });
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

  /** Runs a script. Texts in the result are buffers. */
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
    get: (key: string): Promise<Uint8Array | null> => client.getBuffer(key),
    set,
    delete: (key: string): Promise<unknown> => client.del(key),
    close: (): void => client.disconnect(),
  };
}

export interface RedisStoreOptions extends Pick<BreakerOptions, 'onLost' | 'onBack' | 'wait'> {
  readonly url: string;
  /** The chain id, which is part of all keys. Nothing is shared while it is undefined. */
  readonly chainId: () => string | undefined;
  readonly maxValue: number;
  readonly claimTime?: number;
}

/** Keys have the same length, whatever callers put into them. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return String(value);
}

function decodeFound(result: unknown): Found {
  if (!Array.isArray(result)) throw new Error('the store returned no list');
  const [index, value] = result;
  if (value instanceof Uint8Array) return { kind: 'value', index: Number(index) - 1, value };
  return { kind: Number(index) === 0 ? 'claimed' : 'elsewhere' };
}

function decodeCounted(result: unknown, { buckets, places }: CountUpdate): Counted {
  if (!Array.isArray(result) || result.length !== 2 + buckets.length + places.length)
    throw new Error('the store returned another number of counters');
  const [isGranted = 0, ...numbers] = result.slice(1).map((value) => Number(textOf(value)));
  if (numbers.some(Number.isNaN)) throw new Error('the store returned a counter that is not a number');
  const [levels, elsewhere] = [numbers.slice(0, buckets.length), numbers.slice(buckets.length)];
  return { version: textOf(result[0]), isGranted: isGranted === 1, levels, elsewhere };
}

/**
 * Opens a store in Redis, Valkey, or another server with their protocol. It need not be reachable. All keys begin with `stele:` and the
 * chain id, and expire. In a cluster, the keys of a group are on one node.
 */
export async function openRedisStore(options: RedisStoreOptions): Promise<SharedStore> {
  const { url, chainId, maxValue, claimTime = defaultClaimTime, ...others } = options;
  const connection = await connectRedis(url);
  const ownId = randomUUID();
  const breaker = createBreaker({ ...others, probe: () => connection.set(`stele:probe:${ownId}`, '', 10_000) });
  const counts = { hits: 0, misses: 0 };

  async function run<T>(command: (prefix: string) => Promise<T>): Promise<T | undefined> {
    const chain = chainId();
    return chain === undefined ? undefined : breaker.run(() => command(`stele:${chain}`));
  }

  const keyOf = (prefix: string, group: string, key: string): string => `${prefix}:v:{${digestOf(group)}}:${digestOf(key)}`;

  return {
    claimTime,
    async find(group, keys, claim) {
      const result = await run(async (prefix) => {
        const all = keys.map((key) => keyOf(prefix, group, key));
        return decodeFound(await connection.run(findScript, [...all, `${keyOf(prefix, group, claim)}:claim`], [claimTime]));
      });
      if (result !== undefined) counts[result.kind === 'value' ? 'hits' : 'misses'] += 1;
      return result;
    },
    get: (group, key) => run((prefix) => connection.get(keyOf(prefix, group, key))),
    async put(group, key, value, ttl, claim) {
      const isStored = await run(async (prefix) => {
        const isSmall = value.byteLength <= maxValue;
        const stored = isSmall ? connection.set(keyOf(prefix, group, key), value, ttl) : undefined;
        const released = claim === undefined ? undefined : connection.delete(`${keyOf(prefix, group, claim)}:claim`);
        await Promise.all([stored, released]);
        return isSmall;
      });
      return isStored ?? false;
    },
    async release(group, key) {
      await run((prefix) => connection.delete(`${keyOf(prefix, group, key)}:claim`));
    },
    count: (update) =>
      run(async (prefix) => {
        const args = update.buckets.flatMap(({ used, known, size, perMinute, wanted }) => [
          used,
          known,
          size,
          perMinute,
          wanted,
        ]);
        const result = await connection.run(
          countScript,
          [`${prefix}:c:${digestOf(update.name)}`],
          [ownId, randomUUID(), placeTime, update.buckets.length, ...args, ...update.places],
        );
        return decodeCounted(result, update);
      }),
    isUsable: () => breaker.isClosed() && chainId() !== undefined,
    stats() {
      const { losses, ...calls } = breaker.stats();
      return { isUsable: breaker.isClosed(), calls, ...counts, losses };
    },
    async close() {
      breaker.stop();
      connection.close();
    },
  };
}
