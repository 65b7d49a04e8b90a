import { createHash } from 'node:crypto';
import type { MemoryBudget } from '../../chain/memory/memoryBudget.ts';
import { bufferBytes, compact, objectBytes, textBytes } from '../../chain/memory/sizes.ts';

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
  /** The scopes of the viewer, sorted. */
  readonly scopes: readonly string[];
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly accept: string;
  readonly contentType: string;
  readonly body: Buffer | undefined;
}

/** A caller that waits for an answer. */
export interface Asker {
  /** Calls `listener` once if the caller leaves before it has its answer. */
  onLeave(listener: () => void): void;
}

/** The making of one answer, for every caller that waits for it. */
export interface Making {
  /** Calls `listener` once when every caller that waits has left. */
  onAbandoned(listener: () => void): void;
  /** Ends the waiting of the other callers: the answer is for the first one only. To be called as soon as that is known. */
  cannotShare(): void;
}

/** Makes an answer; `keep` if it is the same for every equal request. */
export type MakeAnswer = (making: Making) => Promise<{ readonly answer: KeptAnswer; readonly keep: boolean }>;

/**
 * Answers by request and height. What is read at a height never changes, so entries go only when they are the least recently used, and all
 * of them when the head is given up. Kept are answers of queries without an error and without a field that is not of a height.
 */
export interface AnswerCache {
  /**
   * The kept answer; else the one that is being made for an equal request; else what `make` gives. The making goes on as long as one
   * of the callers that wait for it has not left. Callers that learn that they cannot share it make their own, all at once and without
   * waiting for each other. `hit` says whether nothing was made for this caller. undefined if the caller left while it waited.
   * A request without a key is like no other.
   */
  answer(
    key: AnswerKey | undefined,
    asker: Asker,
    make: MakeAnswer,
  ): Promise<{ readonly answer: KeptAnswer; readonly hit: boolean } | undefined>;
  /** Drops every kept answer. */
  clear(): void;
}

/** Requests with a larger body are rarely sent twice. */
const largestBody = 64 * 1024;

/** Memory of an answer, in bytes. */
function sizeOf({ body, headers, operation = '' }: KeptAnswer): number {
  const texts = [operation, ...Object.entries(headers).flat()];
  return texts.reduce((sum, text) => sum + textBytes(text), 2 * objectBytes + bufferBytes + body.length);
}

/** Makes the cache of a surface, within the memory for answers. */
export function createAnswerCache(memory: MemoryBudget, surface: string): AnswerCache {
  const cache = memory.cache('answers', surface, sizeOf);
  /** As many as requests are under way. */
  const underWay = new Map<string, SharedMaking>();

  function put(hash: string, answer: KeptAnswer): void {
    cache.set(hash, { ...answer, body: compact(answer.body) });
  }

  async function makeAlone(asker: Asker, make: MakeAnswer, hash?: string) {
    const making = createMaking();
    making.join(asker);
    const { answer, keep } = await make(making);
    if (keep && hash !== undefined) put(hash, answer);
    return { answer, hit: false };
  }

  async function makeShared(hash: string, asker: Asker, make: MakeAnswer) {
    const making = createMaking();
    underWay.set(hash, making);
    // Callers that come later start over.
    making.onOver(() => underWay.delete(hash));
    making.join(asker);
    try {
      const { answer, keep } = await make(making);
      if (keep) put(hash, answer);
      making.end(keep ? answer : undefined);
      return { answer, hit: false };
    } finally {
      making.end(undefined);
    }
  }

  return {
    async answer(key, asker, make) {
      if (key === undefined || (key.body?.length ?? 0) > largestBody || mayWrite(key)) return makeAlone(asker, make);
      const hash = keyHash(key);
      const known = cache.get(hash);
      if (known !== undefined) return { answer: known, hit: true };
      // Nothing is awaited before the first one is under way: two of one tick would both be the first.
      const other = underWay.get(hash);
      if (other === undefined) return makeShared(hash, asker, make);
      const shared = await other.wait(asker);
      if (shared === 'left') return undefined;
      return shared === undefined ? makeAlone(asker, make, hash) : { answer: shared, hit: true };
    },
    clear: cache.clear,
  };
}

interface SharedMaking extends Making {
  /** Counts a caller among those that wait, until it leaves. The returned function ends that. */
  join(asker: Asker): () => void;
  /** Waits with the others: the answer, undefined if it cannot be shared, `left` if this caller leaves before. */
  wait(asker: Asker): Promise<KeptAnswer | undefined | 'left'>;
  /** Gives the answer to those who wait; undefined if it cannot be shared. Only the first call counts. */
  end(answer: KeptAnswer | undefined): void;
  /** Calls `listener` when no caller may join any more. */
  onOver(listener: () => void): void;
}

function createMaking(): SharedMaking {
  const over: (() => void)[] = [];
  const abandoned: (() => void)[] = [];
  let waiting = 0;
  let isAbandoned = false;
  let end: (answer: KeptAnswer | undefined) => void = () => undefined;
  const ended = new Promise<KeptAnswer | undefined>((resolve) => {
    end = (answer) => {
      resolve(answer);
      for (const tell of over.splice(0)) tell();
    };
  });

  function join(asker: Asker): () => void {
    let joined = true;
    waiting += 1;
    const leave = (): void => {
      if (!joined) return;
      joined = false;
      waiting -= 1;
      if (waiting > 0) return;
      isAbandoned = true;
      end(undefined);
      for (const stop of abandoned.splice(0)) stop();
    };
    asker.onLeave(leave);
    return leave;
  }

  return {
    join,
    async wait(asker) {
      let hasLeft = false;
      const left = new Promise<undefined>((resolve) => {
        asker.onLeave(() => {
          hasLeft = true;
          resolve(undefined);
        });
      });
      const leave = join(asker);
      const answer = await Promise.race([ended, left]);
      leave();
      return hasLeft ? 'left' : answer;
    },
    end: (answer) => end(answer),
    cannotShare: () => end(undefined),
    onAbandoned(listener) {
      if (isAbandoned) listener();
      else abandoned.push(listener);
    },
    onOver: (listener) => void over.push(listener),
  };
}

/** Whether a request may be a mutation, which must not wait for an equal one. Only the engine knows for sure; it says so with `cannotShare`. */
function mayWrite({ body }: AnswerKey): boolean {
  return body?.includes('mutation') === true;
}

/** A hash of what makes requests the same: a key as long as the request would take more memory than most answers. */
function keyHash({ chain, height, scopes, method, url, accept, contentType, body }: AnswerKey): string {
  const head = [chain, height, scopes.join(' '), method, url, accept, contentType, ''].join('\n');
  const hash = createHash('sha256').update(head);
  return (body === undefined ? hash : hash.update(body)).digest('base64');
}
