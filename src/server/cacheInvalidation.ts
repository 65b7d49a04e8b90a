import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { backoff } from '../chain/base/time.ts';
import type { Client } from '../chain/client.ts';

/**
 * The form of a request that invalidates tags: that of the response cache of Apollo Router, or the header `Surrogate-Key` with the tags, which caches with surrogate
 * keys read.
 */
export type InvalidationFormat = 'apollo' | 'surrogate-key';

const prefix = 'stele-';

/** The tag of the answers that were computed from a store. */
export function tagOfStore(store: string): string {
  return `${prefix}${store}`;
}

/** The store of a tag. */
export function storeOfTag(tag: string): string {
  return tag.slice(prefix.length);
}

/** The name of this subgraph for Apollo Router. */
const subgraph = 'stele';

function messageOf(url: URL, tags: readonly string[], format: InvalidationFormat) {
  const { password } = url;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(password && { authorization: decodeURIComponent(password) }),
  };
  if (format === 'surrogate-key')
    return { headers: { ...headers, 'surrogate-key': tags.join(' ') }, body: JSON.stringify({ tags }) };
  return { headers, body: JSON.stringify(tags.map((tag) => ({ kind: 'cache_tag', subgraphs: [subgraph], cache_tag: tag }))) };
}

/** How long one request to a cache may take, in ms. */
const longestRequest = 5_000;

/**
 * Posts the tags of each store to these URLs when the root of the store changes, and of all stores at the start, after a rewind, and where the roots of a block are
 * not known. A request that fails is repeated with the tags that were added meanwhile, until it succeeds. Returns a function that stops it.
 */
export function createCacheInvalidation(options: {
  readonly client: Pick<Client, 'head' | 'roots'>;
  readonly urls: readonly string[];
  readonly format: InvalidationFormat;
  readonly report: (error: unknown) => void;
}): () => void {
  const { client, urls, format, report } = options;
  const stop = new AbortController();
  const keys = new Map<string, string>();
  const targets = urls.map((text) => {
    const url = new URL(text);
    const message = (tags: readonly string[]) => messageOf(url, tags, format);
    const target = new URL(text);
    target.username = '';
    target.password = '';
    return { url: target, message, waiting: new Set<string>(), isSending: false };
  });

  async function send(target: (typeof targets)[number]): Promise<void> {
    if (target.isSending) return;
    target.isSending = true;
    const waitAfter = backoff({ first: 100, max: 10_000 });
    let failures = 0;
    while (target.waiting.size > 0 && !stop.signal.aborted) {
      const tags = [...target.waiting].sort();
      target.waiting.clear();
      try {
        const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(longestRequest)]);
        const { statusCode, body } = await request(target.url, { method: 'POST', ...target.message(tags), signal });
        await body.dump();
        if (statusCode >= 300) throw new Error(`a cache (--invalidate) responds with status ${statusCode}`);
        failures = 0;
      } catch (error) {
        for (const tag of tags) target.waiting.add(tag);
        if (stop.signal.aborted) break;
        report(error);
        failures += 1;
        await pause(waitAfter(failures), undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
    target.isSending = false;
  }

  function invalidate(stores: readonly string[]): void {
    for (const target of targets) {
      for (const store of stores) target.waiting.add(tagOfStore(store));
      void send(target);
    }
  }

  const stores = (): readonly string[] => [...client.roots.methods().byStore.keys()];

  async function follow(height: bigint): Promise<void> {
    await client.roots.settled(height);
    // A later block tells as much.
    if (height !== client.head.current()?.height) return;
    const changedStores = stores().filter((store) => {
      const key = client.roots.keyAt(height, [store]);
      const isSame = key !== undefined && keys.get(store) === key;
      if (key === undefined) keys.delete(store);
      else keys.set(store, key);
      return !isSame;
    });
    if (changedStores.length > 0) invalidate(changedStores);
  }

  function forget(): void {
    keys.clear();
    invalidate(stores());
  }

  const stopBlocks = client.head.onBlock(({ height }) => void follow(height).catch(report));
  const stopDropped = client.roots.onDropped(forget);
  return () => {
    stop.abort();
    stopBlocks();
    stopDropped();
  };
}
