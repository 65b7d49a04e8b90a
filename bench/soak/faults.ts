import type { Random } from '../../packages/devnet/src/app/runtime/random.ts';
import type { DevnetNode } from '../../packages/devnet/src/node/node.ts';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { count } from './truth.ts';

/** Starts a fault of a node. The returned function ends it. */
type Fault = (node: DevnetNode, random: Random) => Promise<() => Promise<void>>;

const million = 1_000_000n;

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A status with a newest block a million heights above the real one. */
function lie(result: JsonValue): JsonValue {
  if (!isObject(result) || !isObject(result.sync_info)) return result;
  const { latest_block_height: height } = result.sync_info;
  return { ...result, sync_info: { ...result.sync_info, latest_block_height: String(BigInt(String(height)) + million) } };
}

const faults: Readonly<Record<string, Fault>> = {
  async stop(node) {
    await node.stop();
    return () => node.start();
  },
  async drop(node) {
    node.closeSockets();
    return async () => undefined;
  },
  async slow(node, { below }) {
    node.faults.delay = 50 + below(2_000);
    return async () => node.heal();
  },
  async lag(node, { below }) {
    node.lag(1 + below(20));
    return async () => node.heal();
  },
  async lie(node) {
    node.faults.forge = ({ method }, result) => (method === 'status' ? lie(result) : result);
    return async () => node.heal();
  },
};

/** Faults that are injected until `stop` is called. */
export interface Injection {
  /** Number of injections of each kind. */
  readonly injected: ReadonlyMap<string, number>;
  /** Ends all running faults. */
  stop(): Promise<void>;
}

/**
 * Injects random faults into nodes, one after another, each for one to twelve seconds. At most two nodes have faults at the
 * same time, and at most one of them returns wrong data.
 */
export function inject(nodes: readonly DevnetNode[], random: Random): Injection {
  const { below, pick } = random;
  const injected = new Map<string, number>();
  const troubled = new Map<DevnetNode, string>();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });

  async function trouble(node: DevnetNode, kind: string): Promise<void> {
    troubled.set(node, kind);
    count(injected, kind);
    const end = await faults[kind]?.(node, random);
    await pause(1_000 + below(11_000));
    await end?.();
    troubled.delete(node);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await pause(500 + below(3_000));
      const sound = nodes.filter((node) => !troubled.has(node));
      const node = pick(sound);
      if (signal.aborted || node === undefined || sound.length < 2) continue;
      const kind = pick(Object.keys(faults).filter((each) => each !== 'lie' || ![...troubled.values()].includes('lie')));
      if (kind === undefined) continue;
      const own = trouble(node, kind).finally(() => running.delete(own));
      running.add(own);
    }
  }

  const all = run();
  return {
    injected,
    async stop() {
      stopping.abort();
      await all;
      await Promise.all(running);
    },
  };
}
