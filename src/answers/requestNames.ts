import { hash } from 'node:crypto';
import type { MemoryBudget } from '../chain/memory/memoryBudget.ts';
import { bufferBytes, objectBytes, ownBytes, textBytes } from '../chain/memory/sizes.ts';
import { areEqual } from './answer.ts';
import type { AnswerKey, RequestParts } from './answerKey.ts';

/** The name of a request, which cache keys contain instead of the request. */
export interface RequestName {
  /** Equal for two requests only if all parts of their keys but the height are equal. */
  readonly name: string;
  /** Where the request can be noted. undefined if it is noted already, or cannot be. */
  readonly place: string | undefined;
}

/** A request that may have been noted. */
export interface RecalledRequest {
  /** Where it can be noted. */
  readonly place: string;
  readonly noted: Noted | undefined;
  /** Whether its bytes name neither a document nor a height. false if it is not noted. */
  readonly isPlain: boolean;
}

/** The names of requests. */
export interface RequestNames {
  /** Finds a request by its bytes. undefined if it cannot be noted. */
  recall(request: RequestParts): RecalledRequest | undefined;
  /** The name of a request, which may have been recalled already. */
  nameOf(key: AnswerKey, recalled?: RecalledRequest | undefined): RequestName;
  /**
   * Notes a request that was sent again, so that its name is found by its bytes from now on, without a hash. `isPlain` is
   * whether they name neither a document nor a height.
   */
  note(key: AnswerKey, name: RequestName, isPlain: boolean): void;
}

/** A request that was sent again. */
interface Noted extends Omit<RequestParts, 'body'> {
  readonly chain: string;
  readonly body: Buffer | undefined;
  readonly isPlain: boolean;
  readonly found: RequestName;
}

function sizeOf({ url, accept, contentType, body }: Noted): number {
  const texts = textBytes(url) + textBytes(accept) + textBytes(contentType);
  return 2 * objectBytes + texts + (body === undefined ? 0 : bufferBytes + body.length);
}

/** The number of bytes of a body that its place is computed from: half of them at its end, where variables usually are. */
const sampled = 64;

/** Adds a number to a hash. */
function mixed(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193);
}

/**
 * Returns the place of a request among those that were sent again. Requests at the same place replace each other, so it only has
 * to differ for most requests.
 */
function placeOf({ url }: RequestParts, body: Buffer | undefined): string {
  let hash = url.length;
  if (body === undefined) {
    for (let at = Math.max(0, url.length - sampled); at < url.length; at += 1) hash = mixed(hash, url.charCodeAt(at));
    return String(hash);
  }
  const { length } = body;
  hash = mixed(hash, length);
  const end = Math.max(0, length - sampled / 2);
  const step = Math.max(1, Math.floor(end / (sampled / 2)));
  for (let at = 0; at < end; at += step) hash = mixed(hash, body[at] ?? 0);
  for (let at = end; at < length; at += 1) hash = mixed(hash, body[at] ?? 0);
  return String(hash);
}

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

/** The longest parts of a key besides its body that are not hashed, in characters. */
const longestHead = 160;

/** Text that is equal only for keys whose parts but the height are equal. Long parts are hashed. */
function nameOf({ chain, scopes, method, url, accept, contentType, body }: AnswerKey): string {
  // No part contains a line break.
  const head = `${chain}\n${scopes.join(' ')}\n${method}\n${url}\n${accept}\n${contentType}\n`;
  const start = head.length > longestHead ? hash('sha256', head, 'base64') : head;
  return body === undefined ? start : start + hash('sha256', body, 'base64');
}

/** Creates the names of the requests of one surface, within the memory for answers. */
export function createRequestNames(memory: Pick<MemoryBudget, 'cache'>, surface: string): RequestNames {
  const again = memory.cache('answers', `${surface}-requests`, sizeOf);

  function recall(request: RequestParts): RecalledRequest | undefined {
    const { body } = request;
    if (typeof body === 'string') return undefined;
    const place = placeOf(request, body);
    const known = again.get(place);
    const noted = known !== undefined && isEqual(known, request, body) ? known : undefined;
    return { place, noted, isPlain: noted?.isPlain ?? false };
  }

  return {
    recall,
    nameOf(key, recalled = recall(key)) {
      const noted = recalled?.noted;
      return noted !== undefined && noted.chain === key.chain ? noted.found : { name: nameOf(key), place: recalled?.place };
    },
    note({ chain, scopes, method, url, accept, contentType, body }, { name, place }, isPlain) {
      if (place === undefined || typeof body === 'string') return;
      const own = body && ownBytes(body);
      const found = { name, place: undefined };
      again.set(place, { chain, scopes, method, url, accept, contentType, body: own, isPlain, found });
    },
  };
}
