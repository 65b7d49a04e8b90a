import { hash } from 'node:crypto';
import type { Head } from '../chain/blocks/head.ts';
import {
  bufferBytes,
  createSeenNames,
  type MemoryBudget,
  objectBytes,
  ownBytes,
  textBytes,
} from '../chain/memory/memoryBudget.ts';
import type { StateRoots } from '../chain/roots/stateRoots.ts';
import type { Carried } from '../chain/state/state.ts';
import {
  type Answer,
  type Asker,
  areEqual,
  keptAnswer,
  type Making,
  PackedAnswer,
  SharedMaking,
  sizeOfAnswer,
} from './answer.ts';

// Decides which answers are kept, and finds them. An answer is not kept if it is of a mutation, which acts each time it is sent, of a stream, or read
// a field without a height (src/graphql/engine/engine.ts sets `outcome.immutable` to false, which becomes `Made.keep`), if it has errors, if its request
// names no height that exists or has a large body, or if a plugin runs for every request.

/** A request without the height that it is read at. */
export interface RequestParts {
  /** The scopes of the viewer, sorted. */
  readonly scopes: readonly string[];
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly accept: string;
  readonly contentType: string;
  readonly body: Buffer | string | undefined;
}

/** What must be equal for two requests to share an answer. */
export interface AnswerKey extends RequestParts {
  /** The chain, and how often its head was rewound. */
  readonly chain: string;
  readonly height: bigint;
}

/** The name of a request, which cache keys contain instead of the request. */
interface RequestName {
  /** Equal for two requests only if all parts of their keys but the height are equal. */
  readonly name: string;
  /** Where the request can be noted. undefined if it is noted already, or cannot be. */
  readonly place: number | undefined;
}

/** A request that may have been noted. */
export interface RecalledRequest {
  /** Where it can be noted. */
  readonly place: number;
  readonly noted: Noted | undefined;
  /** Whether its bytes name neither a document nor a height. false if it is not noted. */
  readonly isPlain: boolean;
}

/** A request that was sent again. */
interface Noted extends Omit<RequestParts, 'body'> {
  readonly chain: string;
  readonly body: Buffer | undefined;
  readonly isPlain: boolean;
  readonly found: RequestName;
}

function sizeOfNoted({ url, accept, contentType, body }: Noted): number {
  const texts = textBytes(url) + textBytes(accept) + textBytes(contentType);
  return 2 * objectBytes + texts + (body === undefined ? 0 : bufferBytes + body.length);
}

/** The number of bytes of a body that its place is computed from: half of them at its end, where variables usually are. */
const sampled = 32;

function isEqual(noted: Noted, { scopes, method, url, accept, contentType }: RequestParts, body: Buffer | undefined): boolean {
  return (
    noted.url === url &&
    noted.method === method &&
    noted.accept === accept &&
    noted.contentType === contentType &&
    areEqual(noted.scopes, scopes) &&
    (noted.body === undefined || body === undefined ? noted.body === body : noted.body.equals(body))
  );
}

/** The largest body, in bytes, of a request that is cached. Larger bodies are rarely sent twice. */
const largestBody = 64 * 1024;

/** The longest parts of a key besides its body that are not hashed, in characters. */
const longestHead = 160;

/** Creates the names of requests. Those that were sent again are found by their bytes, without a hash. */
export function createRequestNames(memory: Pick<MemoryBudget, 'cache'>, surface: string) {
  const again = memory.cache<Noted, number>('answers', `${surface}-requests`, sizeOfNoted);

  /** Finds a request by its bytes. undefined if it cannot be noted. */
  function recall(request: RequestParts): RecalledRequest | undefined {
    const { body } = request;
    if (typeof body === 'string' || (body !== undefined && body.length > largestBody)) return undefined;
    const { url } = request;
    // Requests at the same place replace each other, so it only has to differ for most requests.
    let place = body === undefined ? url.length : Math.imul(url.length ^ body.length, 0x01000193);
    if (body === undefined) {
      for (let at = Math.max(0, url.length - sampled); at < url.length; at += 1)
        place = Math.imul(place ^ url.charCodeAt(at), 0x01000193);
    } else {
      const end = Math.max(0, body.length - sampled / 2);
      const step = Math.max(1, Math.floor(end / (sampled / 2)));
      for (let at = 0; at < end; at += step) place = Math.imul(place ^ (body[at] ?? 0), 0x01000193);
      for (let at = end; at < body.length; at += 1) place = Math.imul(place ^ (body[at] ?? 0), 0x01000193);
    }
    const knownPlace = again.get(place);
    const noted = knownPlace !== undefined && isEqual(knownPlace, request, body) ? knownPlace : undefined;
    return { place, noted, isPlain: noted?.isPlain ?? false };
  }

  return {
    recall,
    /** Text that is equal only for keys whose parts but the height are equal. Long parts are hashed. */
    nameOf(key: AnswerKey, recalled = recall(key)): RequestName {
      const noted = recalled?.noted;
      const { chain, scopes, method, url, accept, contentType, body } = key;
      if (noted !== undefined && noted.chain === chain) return noted.found;
      // No part contains a line break.
      const head = `${chain}\n${scopes.join(' ')}\n${method}\n${url}\n${accept}\n${contentType}\n`;
      const start = head.length > longestHead ? hash('sha256', head, 'base64') : head;
      return { name: body === undefined ? start : start + hash('sha256', body, 'base64'), place: recalled?.place };
    },
    /** Notes a request that was sent again. `isPlain` is whether its bytes name neither a document nor a height. */
    note(key: AnswerKey, { name, place }: RequestName, isPlain: boolean): void {
      const { chain, scopes, method, url, accept, contentType, body } = key;
      if (place === undefined || typeof body === 'string') return;
      const ownBody = body && ownBytes(body);
      const foundName = { name, place: undefined };
      again.set(place, { chain, scopes, method, url, accept, contentType, body: ownBody, isPlain, found: foundName });
    },
  };
}

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
   * returned without a promise. `recalled` is the result of `recall`, `isPlain` whether the bytes of the request name neither a document nor a height.
   */
  answer(
    key: AnswerKey | undefined,
    asker: Asker,
    make: MakeAnswer,
    request?: { readonly recalled: RecalledRequest | undefined; readonly isPlain: boolean },
  ): Found | Promise<Found | undefined>;
  /**
   * Finds a request that got a cached answer before, by its bytes. Pass the result to `answer`. undefined if it is not stored by
   * its bytes.
   */
  recall(request: RequestParts): RecalledRequest | undefined;
  counts(): AnswerCounts;
}

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
type Place = { readonly hash: string; readonly height: bigint };

function sizeOf({ answer, roots, carried }: Entry): number {
  const size = answer instanceof PackedAnswer ? answer.size() : sizeOfAnswer(answer);
  if (roots === undefined) return size + objectBytes;
  let names = 0;
  for (const { name } of carried?.named ?? []) names += objectBytes + textBytes(name);
  return size + 2 * objectBytes + textBytes(roots) + names;
}

/** What {@link createAnswerCache} needs of a client. */
export interface AnswerCacheSource {
  readonly memory: Pick<MemoryBudget, 'cache'>;
  readonly head: Pick<Head, 'onRewind' | 'timeAt'>;
  readonly roots: Pick<StateRoots, 'keyAt' | 'areSame' | 'timeAt' | 'settled' | 'onDropped'>;
}

/** How one surface keeps answers. */
interface AnswerCacheOptions {
  /** Whether answers are kept. If not, every request is executed for itself. Default true. */
  readonly keeps?: boolean;
  /** Calls a listener when the answers of the surface change for another reason than the chain. */
  readonly onDropped?: (listener: () => void) => void;
}

/** Creates the cache of one surface, within the memory for answers. */
export function createAnswerCache(
  { memory, head, roots }: AnswerCacheSource,
  surface: string,
  { keeps = true, onDropped }: AnswerCacheOptions = {},
): AnswerCache {
  /**
   * By the name of the request: the answer that can be carried, else that of the newest height, which is asked for most. Further answers of the same
   * request, each of which is valid at one height only, have `@` and the height after it. Most requests have none, so that one lookup is enough for a
   * request that is new.
   */
  const cache = memory.cache('answers', surface, sizeOf);
  const names = createRequestNames(memory, surface);
  /** The requests that were executed recently. */
  const seenNames = createSeenNames();
  head.onRewind(drop);
  roots.onDropped(drop);
  onDropped?.(drop);
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

  /** The cached answer. `first` is the entry with the name of the request. The answer is kept unpacked from now on. */
  function find(hash: string, height: bigint, first: Entry | undefined): Found | undefined {
    let source = first && use(first, height);
    const name = source === undefined && first !== undefined ? `${hash}@${height}` : hash;
    // Counts a hit or a miss, and marks the entry as used.
    const entry = cache.get(name);
    source ??= entry && use(entry, height);
    if (entry === undefined || source === undefined) return undefined;
    const { answer } = entry;
    if (!(answer instanceof PackedAnswer)) return { answer, source, isKept: true };
    const unpacked = answer.unpacked();
    cache.set(name, { ...entry, answer: unpacked });
    return { answer: unpacked, source, isKept: true };
  }

  /** Counts the use of an answer at a height. Undefined if it is not known to be valid there, or to be printable. */
  function use(entry: Entry, height: bigint): AnswerSource | undefined {
    if (entry.printsTime && head.timeAt(height) === undefined) return undefined;
    if (entry.carried === undefined) {
      if (entry.height !== height) return undefined;
      counts.kept += 1;
      return 'kept';
    }
    const { stores, validUntil, reads } = entry.carried;
    if (roots.keyAt(height, stores) !== entry.roots && !roots.areSame(entry.carried.named, entry.height, height))
      return undefined;
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

  /** Counts an executed request, and keeps its answer. `dropsAtStart` is the number of drops when it began. */
  function ended({ answer, keep, carried }: Made, dropsAtStart: number, at: Place | undefined): Found {
    counts[keep ? 'executed' : 'uncacheable'] += 1;
    if (!keep || at === undefined || dropsAtStart !== drops) return { answer, source: 'made', isKept: false };
    const { hash: name, height } = at;
    // Most requests are never sent again. Once memory is full, their answers must not evict those of requests that are.
    if (!seenNames.note(name) && cache.isFull()) return { answer, source: 'made', isKept: false };
    const key = carried && roots.keyAt(height, carried.stores);
    const knownEntry = cache.peek(name);
    const isCarried = key !== undefined;
    const isNewest = knownEntry === undefined || knownEntry.height <= height;
    const isFirst = isNewest && (isCarried || knownEntry?.carried === undefined);
    if (isFirst && knownEntry !== undefined && knownEntry.carried === undefined && knownEntry.height !== height)
      cache.set(`${name}@${knownEntry.height}`, knownEntry);
    const packedAnswer = keptAnswer(answer);
    cache.set(isFirst ? name : `${name}@${height}`, {
      answer: packedAnswer,
      carried: isFirst && isCarried ? carried : undefined,
      roots: isFirst ? key : undefined,
      printsTime: answer.body.places.includes('time'),
      height,
    });
    // The first caller gets an answer that is packed as it was made.
    return { answer: packedAnswer instanceof PackedAnswer ? answer : packedAnswer, source: 'made', isKept: true };
  }

  /**
   * Executes a request. Equal requests wait for it, unless its `body` may be a mutation or a subscription. A guess: the engine calls `cannotShare` once it has
   * parsed it.
   */
  function execute(asker: Asker, make: MakeAnswer, at?: Place, body?: Buffer | string): Found | Promise<Found> {
    const dropsAtStart = drops;
    const making = new SharedMaking();
    const madeAnswer = make(making);
    // Nothing else ran meanwhile, so no request waits for it.
    if (!(madeAnswer instanceof Promise)) return ended(madeAnswer, dropsAtStart, at);
    making.join(asker);
    const mayShare = body !== undefined && !body.includes('mutation') && !body.includes('subscription');
    if (at === undefined || !mayShare) return madeAnswer.then((result) => ended(result, dropsAtStart, at));
    return share(making, madeAnswer, dropsAtStart, at);
  }

  /** Lets equal requests wait for an execution that has begun. */
  async function share(making: SharedMaking, madeAnswer: Promise<Made>, dropsAtStart: number, at: Place): Promise<Found> {
    const name = `${at.hash}@${at.height}`;
    if (!making.isOver) underWay.set(name, making);
    try {
      const result = await madeAnswer;
      const foundAnswer = ended(result, dropsAtStart, at);
      making.end(result.keep ? foundAnswer.answer : undefined);
      return foundAnswer;
    } finally {
      making.end(undefined);
      if (underWay.get(name) === making) underWay.delete(name);
    }
  }

  /** Executes a request whose answer is not cached, or waits for an equal one. */
  function executeOrWait(
    { body = '', height }: AnswerKey,
    hash: string,
    asker: Asker,
    make: MakeAnswer,
  ): Found | Promise<Found | undefined> {
    const at = { hash, height };
    // Nothing is awaited until the first execution starts: otherwise two callers would both be the first.
    const other = underWay.size === 0 ? undefined : underWay.get(`${hash}@${height}`);
    return other === undefined || other.isOver ? execute(asker, make, at, body) : waitFor(other, asker, make, at);
  }

  async function waitFor(other: SharedMaking, asker: Asker, make: MakeAnswer, at: Place): Promise<Found | undefined> {
    const shared = await other.wait(asker);
    if (shared === 'left') return undefined;
    if (shared === undefined) return execute(asker, make, at);
    counts.kept += 1;
    return { answer: shared, source: 'kept', isKept: true };
  }

  return {
    recall: keeps ? names.recall : () => undefined,
    answer(key, asker, make, { recalled, isPlain } = { recalled: undefined, isPlain: false }) {
      const isLarge = key?.body !== undefined && key.body.length > largestBody;
      if (!keeps || key === undefined || isLarge) return execute(asker, make);
      const namedPlace = names.nameOf(key, recalled);
      const { name } = namedPlace;
      // Once the roots are known, the answer from an earlier height may be valid.
      const several = cache.peek(name);
      const settled = several?.carried === undefined ? undefined : roots.settled(key.height);
      if (settled !== undefined) {
        return settled.then(() => find(name, key.height, cache.peek(name)) ?? executeOrWait(key, name, asker, make));
      }
      const knownAnswer = find(name, key.height, several);
      if (knownAnswer === undefined) return executeOrWait(key, name, asker, make);
      if (namedPlace.place !== undefined) names.note(key, namedPlace, isPlain);
      return knownAnswer;
    },
    counts: () => ({ surface, ...counts }),
  };
}

/** Creates the answer caches of all surfaces. */
export function createAnswerCaches(source: AnswerCacheSource) {
  const caches = new Map<string, AnswerCache>();
  return {
    /** The cache of a surface. It is created at the first call with this surface. */
    of(surface: string, options?: AnswerCacheOptions): AnswerCache {
      const cache = caches.get(surface) ?? createAnswerCache(source, surface, options);
      caches.set(surface, cache);
      return cache;
    },
    /** The counters of each cache since the start. */
    counts: (): readonly AnswerCounts[] => [...caches.values()].map((cache) => cache.counts()),
  };
}
