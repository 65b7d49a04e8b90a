import { createHash } from 'node:crypto';
import type { ChainError } from '../base/errors.ts';
import { bufferBytes } from '../memory/memoryBudget.ts';
import { refusalError } from '../rpc/rpcErrors.ts';
import { asObject, type JsonObject, parseJson } from '../wire/json.ts';

/**
 * Makes values of the responses to one query method. A value depends on the request and the response alone, so it is kept in
 * memory beside the response and shared by all callers. A response has one decoded value: a method has one decoder.
 */
export interface Decoder<A extends readonly unknown[], T> {
  /** The value of a response with code 0. Throws if the response is malformed. */
  decode(response: Uint8Array, args: A): T;
  /** The value for a read that failed, such as null for an object that does not exist. Throws for every other error. */
  refused(error: unknown, args: A): T;
}

/** A value that `by` made. It is deeply frozen. */
interface DecodedValue<T> {
  readonly by: object;
  readonly value: T;
  /** Its memory in bytes, estimated. */
  readonly size: number;
}

/** Whether this decoder made the value. */
export function isDecodedBy<A extends readonly unknown[], T>(
  decoded: DecodedValue<unknown>,
  by: Decoder<A, T>,
): decoded is DecodedValue<T> {
  return decoded.by === by;
}

/** A query method and an encoded request. */
export interface EncodedQuery {
  /** ABCI path, or `rpc:` and a method whose result at a height never changes. */
  readonly path: string;
  readonly request: Uint8Array;
  /** The text of {@link queryText}. Absent if it is not known yet. */
  readonly text?: QueryText | undefined;
}

/** Identifies a query of the state. Its response never changes. */
export interface ReadKey extends EncodedQuery {
  /** Chain id, plus a counter once the chain was reset or its newest block was withdrawn. */
  readonly chain: string;
  /** The height that the query names. */
  readonly height: bigint;
  /** The state that the response depends on, as text of `StateRoots.keyAt`. If present, the key is equal at every height with this state. */
  readonly roots?: string | undefined;
}

/** A response in the memory of this process. */
export interface StateEntry {
  readonly answer: Uint8Array;
  /** The value that was made of the response last. Undefined until the response is decoded. */
  readonly decoded: DecodedValue<unknown> | undefined;
}

/** Longer requests, in bytes, are hashed in keys. Most requests are an address or an id. */
const longestRequest = 96;

/** Text that is equal for equal paths and requests and differs for others. */
function queryText(path: string, request: Uint8Array): string {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
  const isLong = bytes.length > longestRequest || path.length > longestRequest;
  if (!isLong) return `${path}?${bytes.toString('base64')}`;
  // A path contains no NUL, and the base64 of a request no `#`.
  return `#${createHash('sha256').update(`${path}\0`).update(bytes).digest('base64')}`;
}

/** The text of a query that is read several times. It is computed once, and so is its last key: V8 hashes a new text again to look it up. */
class QueryText {
  readonly text: string;
  /** The key of the response that was stored last. undefined until one is. */
  lastStoredKey: string | undefined;
  #chain: string | undefined;
  #roots: string | undefined;
  #key = '';

  constructor(text: string) {
    this.text = text;
  }

  /** The key by these roots. */
  keyBy(chain: string, roots: string): string {
    if (chain !== this.#chain || roots !== this.#roots) {
      this.#chain = chain;
      this.#roots = roots;
      this.#key = `${chain}/~${roots}${this.text}`;
    }
    return this.#key;
  }
}

/** A query that is read several times. */
export function encodedQuery(path: string, request: Uint8Array): EncodedQuery {
  return { path, request, text: new QueryText(queryText(path, request)) };
}

/** Names a query, at whatever height and of whichever chain. */
export const readName = ({ path, request, text }: EncodedQuery): string => text?.text ?? queryText(path, request);

/** Text that is equal for equal keys and differs for others. */
export function readKeyText({ chain, height, roots, path, request, text }: ReadKey): string {
  if (roots !== undefined && text !== undefined) return text.keyBy(chain, roots);
  const ownText = text?.text ?? queryText(path, request);
  return roots === undefined ? `${chain}/${height}${ownText}` : `${chain}/~${roots}${ownText}`;
}

/** Memory of a response and its decoded value, without its key. */
export function sizeOfEntry({ answer, decoded }: StateEntry): number {
  return bufferBytes + answer.byteLength + (decoded?.size ?? 0);
}

/** The first byte of a stored entry. An entry with an expiry continues with the time in 8 bytes. */
const kinds = { absent: 0, present: 1, refused: 2, expiring: 3 };
const absent = Uint8Array.of(kinds.absent);
const present = Uint8Array.of(kinds.present);
const refusalEntry = Uint8Array.of(kinds.refused);

/** A response. */
export interface Read {
  /** Undefined if a store has no value at the key. */
  readonly value: Uint8Array | undefined;
  /**
   * The response is valid at every height with the same roots before the first block with this time or a later one; null: at
   * every such height. Undefined if it is valid only at its own height.
   */
  readonly validUntil: bigint | null | undefined;
}

/** An entry for a response. A response that is valid until a time is stored with the time. */
export function packed({ value, validUntil }: Read): Uint8Array {
  if (validUntil == null) return value === undefined ? absent : Buffer.concat([present, value]);
  const head = Buffer.alloc(9, kinds.expiring);
  head.writeBigInt64BE(validUntil, 1);
  return Buffer.concat([head, value ?? new Uint8Array()]);
}

/** An entry for a refusal. */
export function packedRefusal(response: JsonObject): Uint8Array {
  return Buffer.concat([refusalEntry, Buffer.from(JSON.stringify(response))]);
}

/** Whether an entry is a refusal. */
export function isRefusal(entry: Uint8Array): boolean {
  return entry[0] === kinds.refused;
}

/** The expiry of an entry, in nanoseconds since 1970; null if it has none. */
export function expiryIn(entry: Uint8Array): bigint | null {
  if (entry[0] !== kinds.expiring) return null;
  return Buffer.from(entry.buffer, entry.byteOffset, 9).readBigInt64BE(1);
}

/** The error of an entry that is a refusal. */
export function refusalIn(entry: Uint8Array, height: bigint): ChainError {
  return refusalError(asObject(parseJson(Buffer.from(entry.subarray(1)).toString()), 'response'), height);
}

/** The response in an entry; undefined if a store has no value at the key. Throws the error of a refusal. */
export function valueIn(entry: Uint8Array, height: bigint): Uint8Array | undefined {
  if (isRefusal(entry)) throw refusalIn(entry, height);
  const [kind] = entry;
  return kind === kinds.absent ? undefined : entry.subarray(kind === kinds.expiring ? 9 : 1);
}

/** How long one request has waited for the store that processes share. Waits at the same time count once. */
export interface StoreWait {
  /**
   * Resolves as `command` does. Resolves to undefined as soon as the request has waited for `most` ms in total. From then on, commands of this
   * request are not sent.
   */
  within<T>(most: number, command: () => Promise<T>): Promise<T | undefined>;
  /** How much longer the request may wait, in ms, if it may wait for `most` ms in total. 0 or less: no longer. */
  left(most: number): number;
}

/** The wait of a request that has not waited yet. It is a class because each operation has one, and few wait. */
export class TotalWait implements StoreWait {
  #waited = 0;
  #pending = 0;
  #since = 0;

  left(most: number): number {
    return most - this.#waited - (this.#pending > 0 ? performance.now() - this.#since : 0);
  }

  async within<T>(most: number, command: () => Promise<T>): Promise<T | undefined> {
    const left = this.left(most);
    if (left <= 0) return undefined;
    if (this.#pending === 0) this.#since = performance.now();
    this.#pending += 1;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<undefined>((resolve) => {
      const end = (): void => {
        this.#waited = Number.POSITIVE_INFINITY;
        resolve(undefined);
      };
      // Responses that have arrived by then are read first.
      timer = setTimeout(() => setImmediate(end), left);
    });
    try {
      return await Promise.race([command(), over]);
    } finally {
      clearTimeout(timer);
      this.#pending -= 1;
      if (this.#pending === 0) this.#waited += performance.now() - this.#since;
    }
  }
}

/** The wait of several requests for the same command. It ends for all of them when the first may not wait any longer. */
export type JoinedWait = ReturnType<typeof createJoinedWait>;

/** Creates the wait of a command that one request makes, and others may join. */
export function createJoinedWait(first: StoreWait) {
  const waits = new Set([first]);
  /** Those that wait for the running commands. */
  const running = new Set<(wait: StoreWait) => void>();
  const left = (most: number): number => Math.min(...[...waits].map((wait) => wait.left(most)));
  return {
    left,
    async within<T>(most: number, command: () => Promise<T>): Promise<T | undefined> {
      if (left(most) <= 0) return undefined;
      const result = command();
      let stop = (): void => undefined;
      const stopped = new Promise<undefined>((resolve) => {
        stop = () => resolve(undefined);
      });
      const waiting = new Promise<T | undefined>((resolve, reject) => {
        const wait = (each: StoreWait): void =>
          void each.within(most, () => Promise.race([result, stopped])).then(resolve, reject);
        stopped.then(() => running.delete(wait));
        running.add(wait);
        for (const each of waits) wait(each);
      });
      // The others stop to wait, too, so none is charged for more than it waits.
      return waiting.finally(stop);
    },
    /** Adds a request. It may have waited for other commands before. */
    join(other: StoreWait): void {
      if (waits.has(other)) return;
      waits.add(other);
      for (const wait of running) wait(other);
    },
  };
}

/** A response of another process. */
interface SharedRead {
  /** The key that it was stored under. */
  readonly key: ReadKey;
  readonly answer: Uint8Array;
}

/** Responses that several processes share, so that they ask the nodes once. A process looks into its own memory first. */
export interface SharedReads {
  /**
   * Finds the response under one of the keys of a query. If there is none, the caller reads it from a node, and calls `put` or `release`
   * with `claim`; it waits a moment if another process is reading it. `keys` is called again after each wait, because the roots may have
   * been learnt. Never rejects.
   */
  find(keys: () => readonly ReadKey[], claim: ReadKey, wait: StoreWait): Promise<SharedRead | undefined>;
  /** Stores a response. `claim` is the one that was passed to `find`. */
  put(key: ReadKey, answer: Uint8Array, claim: ReadKey): void;
  /** The read failed, so others need not wait for it. */
  release(claim: ReadKey): void;
}
