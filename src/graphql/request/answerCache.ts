import { createHash } from 'node:crypto';
import type { MemoryBudget } from '../../chain/memory/memoryBudget.ts';
import { bufferBytes, compact, objectBytes, textBytes } from '../../chain/memory/sizes.ts';

/** A whole response as it is sent. */
export interface KeptAnswer {
  readonly status: number;
  /** The name of the operation, for logs. */
  readonly operation: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What must be equal for two requests to share an answer. */
export interface AnswerKey {
  /** The chain, and how often its head was rewound. */
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
  /** Calls `listener` once if the caller disconnects before it has its answer. */
  onLeave(listener: () => void): void;
}

/** The execution of one answer, for all callers that wait for it. */
export interface Making {
  /** Calls `listener` once when all waiting callers have left. */
  onAbandoned(listener: () => void): void;
  /** Releases the other callers: the answer is for the first caller only. Call it as soon as this is known. */
  cannotShare(): void;
}

/** Executes a request. `keep` means that the answer is the same for every equal request. */
export type MakeAnswer = (making: Making) => Promise<{ readonly answer: KeptAnswer; readonly keep: boolean }>;

/**
 * Answers by request and height. State at a height never changes, so entries leave only by eviction of the least recently used, and all at once
 * when the head is rewound. It keeps answers of queries without errors and without fields that are not read at a height.
 */
export interface AnswerCache {
  /**
   * Returns the cached answer, else the answer of an equal request in progress, else the result of `make`. An execution continues while at
   * least one waiting caller has not left. Callers that cannot share it execute their own requests, concurrently. `hit` is true if nothing was
   * executed for this caller. Returns undefined if the caller left while it waited. A request without a key is never shared.
   */
  answer(
    key: AnswerKey | undefined,
    asker: Asker,
    make: MakeAnswer,
  ): Promise<{ readonly answer: KeptAnswer; readonly hit: boolean } | undefined>;
  /** Removes all answers. */
  clear(): void;
}

/** The largest body, in bytes, of a request that is cached. Larger bodies are rarely sent twice. */
const largestBody = 64 * 1024;

/** Memory of an answer, in bytes. */
function sizeOf({ body, headers, operation = '' }: KeptAnswer): number {
  const texts = [operation, ...Object.entries(headers).flat()];
  return texts.reduce((sum, text) => sum + textBytes(text), 2 * objectBytes + bufferBytes + body.length);
}

/** Creates the cache of one interface, within the memory for answers. */
export function createAnswerCache(memory: MemoryBudget, surface: string): AnswerCache {
  const cache = memory.cache('answers', surface, sizeOf);
  /** Bounded by the requests in progress. */
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
    // Later callers start over.
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
      // Nothing is awaited before the first execution starts: otherwise two callers of one tick would both be the first.
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
  /** Counts a caller as waiting until it disconnects or the returned function is called. */
  join(asker: Asker): () => void;
  /** Waits for the answer: undefined if it cannot be shared, `left` if this caller disconnects first. */
  wait(asker: Asker): Promise<KeptAnswer | undefined | 'left'>;
  /** Passes the answer to the waiting callers; undefined if it cannot be shared. Only the first call has an effect. */
  end(answer: KeptAnswer | undefined): void;
  /** Calls `listener` when no further caller can join. */
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

/** Whether a request may be a mutation, which must not wait for an equal one. A guess: the engine calls `cannotShare` once it has parsed it. */
function mayWrite({ body }: AnswerKey): boolean {
  return body?.includes('mutation') === true;
}

/** A hash of the key parts. A key as long as the request would take more memory than most answers. */
function keyHash({ chain, height, scopes, method, url, accept, contentType, body }: AnswerKey): string {
  const head = [chain, height, scopes.join(' '), method, url, accept, contentType, ''].join('\n');
  const hash = createHash('sha256').update(head);
  return (body === undefined ? hash : hash.update(body)).digest('base64');
}
