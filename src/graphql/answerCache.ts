import { LRUCache } from 'lru-cache';

/** A whole answer as it goes over the wire. */
export interface KeptAnswer {
  readonly status: number;
  /** Name of its operation, for those who run the server. */
  readonly operation: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What makes two requests the same. */
export interface AnswerKey {
  /** The chain, and how often its newest block was given up. */
  readonly chain: string;
  readonly height: bigint;
  /** What the viewer may do, sorted: what one may read is not for whom may not. */
  readonly scopes: readonly string[];
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly accept: string;
  readonly contentType: string;
  readonly body: Buffer | undefined;
}

/**
 * Answers by request and height. What is read at a height never changes, so entries go only when they are the least recently used, and all
 * of them when the head is given up. Kept are answers of queries without an error and without a field that is not of a height.
 */
export interface AnswerCache {
  /**
   * The kept answer; else what `make` gives, which is kept when it says so. Equal requests that come meanwhile wait for it, and make
   * their own only when it was not to be kept. `hit` tells whether nothing was made for this asker.
   */
  answer(
    key: AnswerKey,
    make: () => Promise<{ readonly answer: KeptAnswer; readonly keep: boolean }>,
  ): Promise<{ readonly answer: KeptAnswer; readonly hit: boolean }>;
  /** Drops every kept answer. */
  clear(): void;
}

/** Bodies above this are rarely sent twice, and would be the larger part of the cache. */
const largestBody = 64 * 1024;

/** Approximate cost of an entry beside its bytes. */
const entryOverhead = 500;

/** Makes the cache, bounded by `maxBytes` (64 MiB if absent). */
export function createAnswerCache(options: { readonly maxBytes?: number } = {}): AnswerCache {
  const kept = new LRUCache<string, KeptAnswer>({
    maxSize: options.maxBytes ?? 64 * 1024 * 1024,
    sizeCalculation: ({ body }, key) => body.length + key.length + entryOverhead,
  });
  const underWay = new Map<string, Promise<KeptAnswer | undefined>>();

  return {
    async answer(key, make) {
      if ((key.body?.length ?? 0) > largestBody || mayWrite(key)) return { answer: (await make()).answer, hit: false };
      const text = keyText(key);
      // Nothing is awaited before its own is under way: two of one tick would both find none.
      const others = underWay.get(text);
      const known = kept.get(text) ?? (others && (await others));
      if (known !== undefined) return { answer: known, hit: true };

      const made = make();
      const shared = made.then(
        ({ answer, keep }) => (keep ? answer : undefined),
        () => undefined,
      );
      if (!underWay.has(text)) {
        underWay.set(text, shared);
        void shared.then(() => underWay.delete(text));
      }
      const { answer, keep } = await made;
      if (keep) kept.set(text, answer);
      return { answer, hit: false };
    },
    clear: () => kept.clear(),
  };
}

/**
 * Whether a request may be a mutation, whose answer is never kept and must not wait for an equal one. Sure it is only within the
 * engine, where what is kept is decided.
 */
function mayWrite({ body }: AnswerKey): boolean {
  return body?.includes('mutation') === true;
}

function keyText({ chain, height, scopes, method, url, accept, contentType, body }: AnswerKey): string {
  return [chain, height, scopes.join(' '), method, url, accept, contentType, body?.toString('latin1') ?? ''].join('\n');
}
