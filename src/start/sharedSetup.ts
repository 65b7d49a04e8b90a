import { pause } from '../chain/base/waiting.ts';
import type { Client } from '../chain/client.ts';
import type { Limits } from '../config/limits/limits.ts';
import type { Log } from '../server/observability/log.ts';
import type { SharedStore } from '../shared/sharedStore.ts';

/** How long a start waits for the shared store, in ms. Without it, the server starts and shares nothing until it responds. */
const startWait = 2_000;

/** Opens the store that replicas share. Its code is loaded only if it is used. `client` returns the client once it exists. */
export async function openShared(
  url: string,
  options: { readonly limits: Limits; readonly log: Pick<Log, 'shared'>; readonly client: () => Client | undefined },
): Promise<SharedStore> {
  const { limits, log, client } = options;
  const { openRedisStore } = await import('../shared/redisStore.ts');
  return openRedisStore({
    url,
    chainId: () => client()?.head.current()?.chainId,
    maxValue: limits['shared.value'],
    wait: limits['shared.wait'],
    onLost: log.shared,
    onBack: () => log.shared(undefined),
  });
}

/** Waits until a store can be used, for two seconds at most. Keys that are read after that are those of the other replicas. */
export async function untilUsable(store: SharedStore, client: Client): Promise<void> {
  await client.head.ready({ milliseconds: startWait }).catch(() => undefined);
  const end = performance.now() + startWait;
  while (!store.isUsable() && performance.now() < end) await pause(10);
}
