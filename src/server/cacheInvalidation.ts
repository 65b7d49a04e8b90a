import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { backoff } from '../chain/base/time.ts';
import type { Client } from '../chain/client.ts';
import { tagOfAll } from '../config/bounds.ts';
import type { CacheTags } from './cacheTags.ts';

/**
 * The form of a request that invalidates tags: that of the response cache of Apollo Router, or the header `Surrogate-Key` with the tags, which caches with surrogate
 * keys read.
 */
export type InvalidationFormat = 'apollo' | 'surrogate-key';

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

/** How long the last one may take when the server stops, in ms. */
const longestStop = 1_000;

/** The most tags of one request: caches and proxies bound the length of a header. */
const tagsPerRequest = 100;

/**
 * Posts the tags that caches may have from this process to these URLs once their reads may have changed, and the tag of all answers at the start, after a rewind, and when
 * roots were refuted. A request that fails is repeated with the tags that were added meanwhile, until it succeeds. Each process posts the tags of the answers that it has sent itself,
 * so several need not agree, and a tag that two of them have sent is posted twice. Returns a function that stops it, which posts the tag of all answers once if a cache may have one.
 */
export function createCacheInvalidation(options: {
  readonly client: Pick<Client, 'head' | 'roots'>;
  readonly tags: Pick<CacheTags, 'changed' | 'clear'>;
  readonly urls: readonly string[];
  readonly format: InvalidationFormat;
  readonly report: (error: unknown) => void;
}): () => Promise<void> {
  const { client, tags, urls, format, report } = options;
  const stop = new AbortController();
  const targets = urls.map((text) => {
    const url = new URL(text);
    const message = (names: readonly string[]) => messageOf(url, names, format);
    const target = new URL(text);
    target.username = '';
    target.password = '';
    return { url: target, message, waiting: new Set<string>(), isSending: false };
  });

  async function post(
    { url, message }: (typeof targets)[number],
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { statusCode, body } = await request(url, { method: 'POST', ...message(names), signal });
    await body.dump();
    if (statusCode >= 300) throw new Error(`a cache (--invalidate) responds with status ${statusCode}`);
  }

  async function send(target: (typeof targets)[number]): Promise<void> {
    if (target.isSending) return;
    target.isSending = true;
    const waitAfter = backoff({ first: 100, max: 10_000 });
    let failures = 0;
    while (target.waiting.size > 0 && !stop.signal.aborted) {
      // The tag of all answers includes the others.
      const names = target.waiting.has(tagOfAll) ? [tagOfAll] : [...target.waiting].slice(0, tagsPerRequest);
      const before = [...target.waiting].slice(0, names[0] === tagOfAll ? undefined : tagsPerRequest);
      for (const name of before) target.waiting.delete(name);
      try {
        await post(target, names, AbortSignal.any([stop.signal, AbortSignal.timeout(longestRequest)]));
        failures = 0;
      } catch (error) {
        for (const name of before) target.waiting.add(name);
        if (stop.signal.aborted) break;
        report(error);
        failures += 1;
        await pause(waitAfter(failures), undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
    target.isSending = false;
  }

  function invalidate(names: readonly string[]): void {
    if (names.length === 0) return;
    for (const target of targets) {
      for (const name of names) target.waiting.add(name);
      void send(target);
    }
  }

  async function follow(height: bigint): Promise<void> {
    await client.roots.settled(height);
    // A later block tells as much.
    if (height === client.head.current()?.height) invalidate(tags.changed(height));
  }

  function forget(): void {
    tags.clear();
    invalidate([tagOfAll]);
  }

  const stopBlocks = client.head.onBlock(({ height }) => void follow(height).catch(report));
  const stopRewinds = client.head.onRewind(forget);
  const stopDropped = client.roots.onDropped(forget);
  // Caches may have answers of a process that ended.
  forget();
  return async () => {
    stop.abort();
    stopBlocks();
    stopRewinds();
    stopDropped();
    const areLeft = tags.clear();
    const left = targets.filter(({ waiting }) => areLeft || waiting.size > 0);
    await Promise.all(left.map((target) => post(target, [tagOfAll], AbortSignal.timeout(longestStop)).catch(report)));
  };
}
