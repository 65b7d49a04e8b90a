import type { Head } from '../chain/blocks/head.ts';
import type { MemoryBudget } from '../chain/memory/memoryBudget.ts';
import { objectBytes, textBytes } from '../chain/memory/sizes.ts';
import type { StateRoots } from '../chain/roots/stateRoots.ts';
import type { Carried } from '../chain/state/dependencies.ts';
import { type Answer, keptAnswer, PackedAnswer, sizeOfAnswer } from './answer.ts';
import type { AnswerKey, RequestParts } from './answerKey.ts';
import { type Asker, createMaking, type Making, type SharedMaking } from './making.ts';
import { createRequestNames, type RecalledRequest } from './requestNames.ts';
import { createSeenNames } from './seenNames.ts';

/** An executed request. */
export interface Made {
  readonly answer: Answer;
  /** Whether the answer is the same for every equal request at the same height. */
  readonly keep: boolean;
  /** What the answer was computed from, if it is valid at other heights, too. */
  readonly carried: Carried | undefined;
}

/** Executes a request. Returns a promise only if it waits for something. */
export type MakeAnswer = (making: Making) => Made | Promise<Made>;

/**
 * Where an answer comes from. `made`: it was executed for this caller. `kept`: it was executed before at this height, or for
 * another caller at the same time. `carried`: it was executed at another height, and nothing that it depends on has changed.
 */
export type AnswerSource = 'made' | 'kept' | 'carried';

/** An answer and its source. */
export interface Found {
  readonly answer: Answer;
  readonly source: AnswerSource;
  /** Whether later requests get the same answer. */
  readonly isKept: boolean;
}

/** Counters of the answers of one surface since the start. */
export interface AnswerCounts {
  readonly surface: string;
  readonly carried: number;
  readonly kept: number;
  /** Executed. The answer can be sent again. */
  readonly executed: number;
  /** Executed. The answer is for one request only. */
  readonly uncacheable: number;
  /** Reads of the state that carried answers saved: those of its execution, once for each answer and height. */
  readonly readsSaved: number;
}

/**
 * Answers by request. State at a height never changes, and an answer whose stores have the same roots at another height is the
 * same there. So entries leave only by eviction of the least recently used, and all at once when the head is rewound or roots are
 * refuted. It keeps answers of queries without errors and without fields that are not read at a height. Once its memory is full, it keeps the
 * answer of a request that is new to it only when the request is executed for the second time.
 */
export interface AnswerCache {
  /**
   * Returns the cached answer, else the answer of an equal request in progress, else the result of `make`. An execution continues while at
   * least one waiting caller has not left. Callers that cannot share it execute their own requests, concurrently. Returns undefined
   * if the caller left while it waited. A request without a key is never shared. A cached answer, and one that `make` returns at once, is
   * returned without a promise.
   */
  answer(
    key: AnswerKey | undefined,
    asker: Asker,
    make: MakeAnswer,
    request?: AskedRequest,
  ): Found | Promise<Found | undefined>;
  /**
   * Finds a request that got a cached answer before, by its bytes. Pass the result to `answer`. undefined if it is not stored by
   * its bytes.
   */
  recall(request: RequestParts): RecalledRequest | undefined;
  counts(): AnswerCounts;
}

/** What is known of a request besides its key. */
export interface AskedRequest {
  /** The result of {@link AnswerCache.recall}, if it was called. */
  readonly recalled: RecalledRequest | undefined;
  /** Whether its bytes name neither a document nor a height. */
  readonly isPlain: boolean;
}

const unknownRequest: AskedRequest = { recalled: undefined, isPlain: false };

/** The largest body, in bytes, of a request that is cached. Larger bodies are rarely sent twice. */
const largestBody = 64 * 1024;

interface Entry {
  readonly answer: Answer | PackedAnswer;
  /** What an answer that can be carried depends on. */
  readonly carried: Carried | undefined;
  /** The roots that an answer that can be carried was computed from. */
  readonly roots: string | undefined;
  /** Whether it prints the time of its block. It is found only at heights whose time is known. */
  readonly printsTime: boolean;
  /** The newest height that it was sent at. */
  height: bigint;
}

/** The name of a request, and the height that it is read at. */
interface Place {
  readonly hash: string;
  readonly height: bigint;
}

function sizeOf({ answer, roots }: Entry): number {
  const size = answer instanceof PackedAnswer ? answer.size() : sizeOfAnswer(answer);
  return size + objectBytes + (roots === undefined ? 0 : objectBytes + textBytes(roots));
}

/** What {@link createAnswerCache} needs of a client. */
export interface AnswerCacheSource {
  readonly memory: Pick<MemoryBudget, 'cache'>;
  readonly head: Pick<Head, 'onRewind' | 'timeAt'>;
  readonly roots: Pick<StateRoots, 'keyAt' | 'timeAt' | 'settled' | 'onDropped'>;
}

/** Creates the cache of one surface, within the memory for answers. */
export function createAnswerCache({ memory, head, roots }: AnswerCacheSource, surface: string): AnswerCache {
  const cache = memory.cache('answers', surface, sizeOf);
  const names = createRequestNames(memory, surface);
  /** The requests that were executed recently. */
  const seen = createSeenNames();
  head.onRewind(drop);
  roots.onDropped(drop);
  /** Bounded by the requests in progress. */
  const underWay = new Map<string, SharedMaking>();
  const counts = { carried: 0, kept: 0, executed: 0, uncacheable: 0, readsSaved: 0 };
  /** How often all entries were dropped. An execution that began before may have read what was refuted. */
  let drops = 0;

  function drop(): void {
    drops += 1;
    cache.clear();
    underWay.clear();
  }

  /** The cached answer. `carried` is the entry that may be valid at several heights. */
  function find(hash: string, height: bigint, carried: Entry | undefined): Found | undefined {
    if (carried?.carried !== undefined && isPrintable(carried, height)) {
      const source = useCarried(carried, carried.carried, height);
      // Counts a hit, and marks the entry as used.
      if (source !== undefined && cache.get(hash) !== undefined)
        return { answer: answerOf(hash, carried), source, isKept: true };
    }
    const name = atHeight(hash, height);
    const kept = cache.get(name);
    if (kept === undefined || !isPrintable(kept, height)) return undefined;
    counts.kept += 1;
    return { answer: answerOf(name, kept), source: 'kept', isKept: true };
  }

  const isPrintable = ({ printsTime }: Entry, height: bigint): boolean => !printsTime || head.timeAt(height) !== undefined;

  /** The answer of an entry that is asked for again. It is kept unpacked from now on. */
  function answerOf(name: string, entry: Entry): Answer {
    const { answer } = entry;
    if (!(answer instanceof PackedAnswer)) return answer;
    const unpacked = answer.unpacked();
    cache.set(name, { ...entry, answer: unpacked });
    return unpacked;
  }

  /** Counts the use of an answer at a height. Undefined if it is not known to be valid there. */
  function useCarried(entry: Entry, { stores, validUntil, reads }: Carried, height: bigint) {
    if (roots.keyAt(height, stores) !== entry.roots) return undefined;
    const time = validUntil === null ? undefined : roots.timeAt(height);
    if (validUntil !== null && (time === undefined || time >= validUntil)) return undefined;
    if (height === entry.height) {
      counts.kept += 1;
      return 'kept';
    }
    if (height > entry.height) {
      counts.readsSaved += reads;
      entry.height = height;
    }
    counts.carried += 1;
    return 'carried';
  }

  /** Keeps an answer. Returns it as it is kept. */
  function put(hash: string, height: bigint, { answer, carried }: Made): Answer {
    const key = carried && roots.keyAt(height, carried.stores);
    const known = cache.peek(hash);
    const isNewest = known === undefined || known.height <= height;
    const kept = keptAnswer(answer);
    const printsTime = answer.body.places.includes('time');
    if (carried !== undefined && key !== undefined && isNewest)
      cache.set(hash, { answer: kept, carried, roots: key, printsTime, height });
    else cache.set(atHeight(hash, height), { answer: kept, carried: undefined, roots: undefined, printsTime, height });
    // The first caller gets an answer that is packed as it was made.
    return kept instanceof PackedAnswer ? answer : kept;
  }

  /** Counts an executed request, and keeps its answer. `begun` is the number of drops when it began. */
  function ended(made: Made, begun: number, at: Place | undefined): Found {
    counts[made.keep ? 'executed' : 'uncacheable'] += 1;
    const isKept = made.keep && at !== undefined && begun === drops && isWorthKeeping(at.hash);
    return { answer: isKept ? put(at.hash, at.height, made) : made.answer, source: 'made', isKept };
  }

  /** Most requests are never sent again. Once memory is full, their answers must not evict those of requests that are. */
  function isWorthKeeping(hash: string): boolean {
    const isSeen = seen.note(hash);
    return isSeen || !cache.isFull();
  }

  function makeAlone(asker: Asker, make: MakeAnswer, at?: Place): Found | Promise<Found> {
    const begun = drops;
    const making = createMaking();
    const made = make(making);
    if (!(made instanceof Promise)) return ended(made, begun, at);
    making.join(asker);
    return made.then((result) => ended(result, begun, at));
  }

  function makeShared(asker: Asker, make: MakeAnswer, at: Place): Found | Promise<Found> {
    const begun = drops;
    const making = createMaking();
    const made = make(making);
    // Nothing else ran meanwhile, so no request waits for it.
    return made instanceof Promise ? share(asker, making, made, begun, at) : ended(made, begun, at);
  }

  /** Lets equal requests wait for an execution that has begun. */
  async function share(asker: Asker, making: SharedMaking, made: Promise<Made>, begun: number, at: Place): Promise<Found> {
    const name = atHeight(at.hash, at.height);
    if (!making.isOver) {
      underWay.set(name, making);
      // Later callers start over.
      making.onOver(() => {
        if (underWay.get(name) === making) underWay.delete(name);
      });
    }
    making.join(asker);
    try {
      const result = await made;
      const found = ended(result, begun, at);
      making.end(result.keep ? found.answer : undefined);
      return found;
    } finally {
      making.end(undefined);
    }
  }

  /** Executes a request whose answer is not cached, or waits for an equal one. */
  function makeOrWait(key: AnswerKey, hash: string, asker: Asker, make: MakeAnswer): Found | Promise<Found | undefined> {
    const at = { hash, height: key.height };
    if (mayBeUnique(key)) return makeAlone(asker, make, at);
    // Nothing is awaited until the first execution starts: otherwise two callers would both be the first.
    const other = underWay.size === 0 ? undefined : underWay.get(atHeight(hash, at.height));
    return other === undefined ? makeShared(asker, make, at) : waitFor(other, asker, make, at);
  }

  async function waitFor(other: SharedMaking, asker: Asker, make: MakeAnswer, at: Place): Promise<Found | undefined> {
    const shared = await other.wait(asker);
    if (shared === 'left') return undefined;
    if (shared === undefined) return makeAlone(asker, make, at);
    counts.kept += 1;
    return { answer: shared, source: 'kept', isKept: true };
  }

  return {
    recall: (request) => (isTooLarge(request) ? undefined : names.recall(request)),
    answer(key, asker, make, { recalled, isPlain } = unknownRequest) {
      if (key === undefined || isTooLarge(key)) return makeAlone(asker, make);
      const named = names.nameOf(key, recalled);
      const { name } = named;
      // Once the roots are known, the answer from an earlier height may be valid.
      const carried = cache.peek(name);
      const settled = carried?.carried === undefined ? undefined : roots.settled(key.height);
      if (settled !== undefined) {
        return settled.then(() => find(name, key.height, cache.peek(name)) ?? makeOrWait(key, name, asker, make));
      }
      const known = find(name, key.height, carried);
      if (known === undefined) return makeOrWait(key, name, asker, make);
      names.note(key, named, isPlain);
      return known;
    },
    counts: () => ({ surface, ...counts }),
  };
}

/** The name of an entry that is valid at one height only. */
function atHeight(hash: string, height: bigint): string {
  return `${hash}@${height}`;
}

const uniqueKinds = ['mutation', 'subscription'];
const uniqueBytes = uniqueKinds.map((kind) => Buffer.from(kind));

/**
 * Whether a request may be a mutation or a subscription, which must not wait for an equal one. A guess: the engine calls
 * `cannotShare` once it has parsed it.
 */
function mayBeUnique({ body }: AnswerKey): boolean {
  if (typeof body !== 'object') return uniqueKinds.some((kind) => body?.includes(kind) === true);
  return uniqueBytes.some((kind) => body.includes(kind));
}

function isTooLarge({ body }: RequestParts): boolean {
  return body !== undefined && body.length > largestBody;
}
