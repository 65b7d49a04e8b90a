import { createHash } from 'node:crypto';
import type { MemoryBudget } from '../../chain/memory/memoryBudget.ts';
import { bufferBytes, objectBytes, ownBytes, textBytes } from '../../chain/memory/sizes.ts';
import { areEqual } from './answer.ts';
import type { AnswerKey } from './answerKey.ts';

/** The name of a request, which cache keys contain instead of the request. */
export interface RequestName {
  /** Equal for two requests only if all parts of their keys but the height are equal. */
  readonly name: string;
  /** Where the request can be noted. undefined if it is noted already, or cannot be. */
  readonly place: string | undefined;
}

/** The names of requests. */
export interface RequestNames {
  nameOf(key: AnswerKey): RequestName;
  /** Notes a request that was sent again, so that its name is found by its bytes from now on, without a hash. */
  note(key: AnswerKey, name: RequestName): void;
}

/** A request that was sent again. */
type Noted = Omit<AnswerKey, 'height' | 'body'> & RequestName & { readonly body: Buffer | undefined };

function sizeOf({ url, accept, contentType, body }: Noted): number {
  const texts = textBytes(url) + textBytes(accept) + textBytes(contentType);
  return 2 * objectBytes + texts + (body === undefined ? 0 : bufferBytes + body.length);
}

/** The number of bytes of a body that its place is computed from: half of them at its end, where variables usually are. */
const sampled = 128;

/**
 * Returns the place of a request among those that were sent again. Requests at the same place replace each other, so it only has
 * to differ for most requests.
 */
function placeOf({ url }: AnswerKey, body: Buffer | undefined): string {
  let hash = url.length;
  const mix = (value: number): void => {
    hash = Math.imul(hash ^ value, 0x01000193);
  };
  if (body === undefined) for (let at = Math.max(0, url.length - sampled); at < url.length; at += 1) mix(url.charCodeAt(at));
  else {
    const { length } = body;
    mix(length);
    const end = Math.max(0, length - sampled / 2);
    const step = Math.max(1, Math.floor(end / (sampled / 2)));
    for (let at = 0; at < end; at += step) mix(body[at] ?? 0);
    for (let at = end; at < length; at += 1) mix(body[at] ?? 0);
  }
  return String(hash);
}

function isEqual(
  noted: Noted,
  { chain, scopes, method, url, accept, contentType }: AnswerKey,
  body: Buffer | undefined,
): boolean {
  return (
    noted.url === url &&
    noted.chain === chain &&
    noted.method === method &&
    noted.accept === accept &&
    noted.contentType === contentType &&
    areEqual(noted.scopes, scopes) &&
    (noted.body === undefined || body === undefined ? noted.body === body : noted.body.equals(body))
  );
}

/** A hash of the parts of a key but its height. */
function hashOf({ chain, scopes, method, url, accept, contentType, body }: AnswerKey): string {
  const head = [chain, scopes.join(' '), method, url, accept, contentType, ''].join('\n');
  const hash = createHash('sha256').update(head);
  return (body === undefined ? hash : hash.update(body)).digest('base64');
}

/** Creates the names of the requests of one surface, within the memory for answers. */
export function createRequestNames(memory: Pick<MemoryBudget, 'cache'>, surface: string): RequestNames {
  const again = memory.cache('answers', `${surface}-requests`, sizeOf);
  return {
    nameOf(key) {
      const { body } = key;
      if (typeof body === 'string') return { name: hashOf(key), place: undefined };
      const place = placeOf(key, body);
      const noted = again.get(place);
      if (noted !== undefined && isEqual(noted, key, body)) return noted;
      return { name: hashOf(key), place };
    },
    note({ chain, scopes, method, url, accept, contentType, body }, { name, place }) {
      if (place === undefined || typeof body === 'string') return;
      const own = body && ownBytes(body);
      again.set(place, { chain, scopes, method, url, accept, contentType, body: own, name, place: undefined });
    },
  };
}
