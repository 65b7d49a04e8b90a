import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { TokenBucket } from '../rateLimits/tokenBucket.ts';

/**
 * log2 of N, r and p of new hashes (RFC 7914): 16 MiB and 30 ms. Generated secrets have 256 random bits. The cost protects
 * secrets that people choose.
 */
const cost = { ln: 14, r: 8, p: 1 } as const;

const saltBytes = 16;
const hashBytes = 32;

/** The PHC string format of a hash, `$scrypt$ln=14,r=8,p=1$salt$hash`, with an upper bound for each cost. */
export const secretHashPattern =
  /^\$scrypt\$ln=(1[0-7]),r=([1-9]|1[0-6]),p=([1-4])\$([A-Za-z0-9+/]{16,86})\$([A-Za-z0-9+/]{43})$/;

function derive(secret: string, salt: Buffer, { ln, r, p }: Readonly<Record<'ln' | 'r' | 'p', number>>): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 2 ** ln * r * 128 * 2 };
  return new Promise((resolve, reject) => {
    scrypt(secret.normalize('NFC'), salt, hashBytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Hashes a secret with a random salt. */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const { ln, r, p } = cost;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(await derive(secret, salt, cost))}`;
}

/** Whether a secret matches a hash. Compares in constant time. Rejects if `hash` is not a hash. */
export async function isSecretOf(secret: string, hash: string): Promise<boolean> {
  const [, ln, r, p, salt = '', key = ''] = secretHashPattern.exec(hash) ?? [];
  if (ln === undefined) throw new Error('not a secret hash');
  const derived = await derive(secret, Buffer.from(salt, 'base64'), { ln: Number(ln), r: Number(r), p: Number(p) });
  return timingSafeEqual(derived, Buffer.from(key, 'base64'));
}

/** Concurrent hashes. Each takes one of four threads for tens of milliseconds, and 16 MiB. */
const maxAtOnce = 2;

/** The most secrets that wait in a lane: about one second of work, and few beyond the limit of wrong secrets. */
const maxWaiting = { within: 50, over: 4 } as const;

/** The rate of hashes beyond the limit of wrong secrets: a burst, and a number each minute. They take an eighth of a core. */
const overLimit = { burst: 5, perMinute: 300 } as const;

/** Creates the waiting work by lane. The lane whose turn is next comes first. Empty lanes are not stored. */
function createLanes(max: number) {
  const lanes = new Map<string, (() => void)[]>();
  return {
    isEmpty: () => lanes.size === 0,
    /** Returns false if the lane is full. */
    add(name: string, begin: () => void): boolean {
      const lane = lanes.get(name) ?? [];
      if (lane.length >= max) return false;
      lane.push(begin);
      if (lane.length === 1) lanes.set(name, lane);
      return true;
    },
    /** Removes and returns the next work. undefined if nothing waits. */
    take(): (() => void) | undefined {
      for (const [name, lane] of lanes) {
        lanes.delete(name);
        const begin = lane.shift();
        if (lane.length > 0) lanes.set(name, lane);
        return begin;
      }
      return undefined;
    },
  };
}

/** Creates the queue. `now` is a monotonic clock in ms. */
export function createHashQueue(now: () => number = () => performance.now()) {
  const within = createLanes(maxWaiting.within);
  const over = createLanes(maxWaiting.over);
  const allowance = new TokenBucket(overLimit.burst, overLimit.perMinute, now);
  let running = 0;
  let isRunningOver = false;
  let timer: NodeJS.Timeout | undefined;

  /** Starts one hash beyond the limits. Returns false if none waits, if one runs, or if the rate is used up. */
  function beginOver(): boolean {
    if (over.isEmpty() || isRunningOver || timer !== undefined) return false;
    const wait = allowance.take(1);
    if (wait > 0) {
      timer = setTimeout(() => {
        timer = undefined;
        beginNext();
      }, Math.ceil(wait)).unref();
      return false;
    }
    isRunningOver = true;
    over.take()?.();
    return true;
  }

  function beginNext(): void {
    while (running < maxAtOnce) {
      const begin = within.take();
      if (begin !== undefined) begin();
      else if (!beginOver()) return;
    }
  }

  return {
    /**
     * Runs `work` when its turn comes. Lanes take turns, so that a flood in one lane does not block the others. Secrets whose sender or client is
     * over the limit of wrong secrets are hashed after all others, and at a low rate. Returns undefined at once if the lane is full.
     */
    async run<T>(
      { name, isOverLimit }: { readonly name: string; readonly isOverLimit: boolean },
      work: () => Promise<T>,
    ): Promise<T | undefined> {
      const turnBegins = new Promise<boolean>((resolve) => {
        const begin = (): void => {
          running += 1;
          resolve(true);
        };
        if (!(isOverLimit ? over : within).add(name, begin)) resolve(false);
      });
      beginNext();
      if (!(await turnBegins)) return undefined;
      try {
        return await work();
      } finally {
        running -= 1;
        if (isOverLimit) isRunningOver = false;
        beginNext();
      }
    },
  };
}
