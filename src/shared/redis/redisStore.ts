import { createHash, randomUUID } from 'node:crypto';
import { type Counted, type CountUpdate, defaultClaimTime, type Found, placeTime, type SharedStore } from '../sharedStore.ts';
import { type BreakerOptions, createBreaker } from './breaker.ts';
import { connectRedis } from './connection.ts';
import { countScript, findScript } from './scripts.ts';

/** Options of {@link openRedisStore}. */
export interface RedisStoreOptions extends Pick<BreakerOptions, 'onLost' | 'onBack' | 'wait'> {
  readonly url: string;
  /** The chain id, which is part of all keys. Nothing is shared while it is undefined. */
  readonly chainId: () => string | undefined;
  /** The largest value that is stored, in bytes. */
  readonly maxValue: number;
  /** How long a claim lasts, in ms. */
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
      const found = await run(async (prefix) => {
        const all = keys.map((key) => keyOf(prefix, group, key));
        return decodeFound(await connection.run(findScript, [...all, `${keyOf(prefix, group, claim)}:claim`], [claimTime]));
      });
      if (found !== undefined) counts[found.kind === 'value' ? 'hits' : 'misses'] += 1;
      return found;
    },
    async get(group, key) {
      const value = await run((prefix) => connection.get(keyOf(prefix, group, key)));
      return value ?? undefined;
    },
    async put(group, key, value, ttl, claim) {
      await run(async (prefix) => {
        const stored = value.byteLength > maxValue ? undefined : connection.set(keyOf(prefix, group, key), value, ttl);
        const ended = claim === undefined ? undefined : connection.delete(`${keyOf(prefix, group, claim)}:claim`);
        await Promise.all([stored, ended]);
      });
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
