import { cursorMax } from '../config/bounds.ts';
import { RequestError } from './errors.ts';

/**
 * The position of an item in a list. `key` is the key of the item, never the page key of the node, so a cursor works from any
 * item and at any height. `place` is the index of the item in ascending order when the cursor was made. It is a hint that saves
 * a search; the reader verifies it.
 */
export interface Cursor {
  readonly key: Uint8Array;
  readonly place: bigint | undefined;
}

/** Encodes a cursor as opaque text. `list` is the name of its list, including the arguments of the list. */
export function encodeCursor(list: string, cursor: Cursor): string {
  const place = cursor.place === undefined ? '' : cursor.place.toString();
  return Buffer.from([list, place, Buffer.from(cursor.key).toString('hex')].join('\n')).toString('base64url');
}

/** Decodes a cursor of the list `list`, passed as `argument`. A malformed cursor, or one of another list, is BAD_CURSOR. */
export function decodeCursor(list: string, text: string, argument = 'after'): Cursor {
  const [name, place, key, ...rest] = text.length > cursorMax ? [] : Buffer.from(text, 'base64url').toString().split('\n');
  if (
    key === undefined ||
    place === undefined ||
    rest.length > 0 ||
    !/^\d{0,20}$/.test(place) ||
    !/^([0-9a-f]{2})*$/.test(key)
  ) {
    throw new RequestError('BAD_CURSOR', `\`${argument}\` is not a cursor of this server.`, { argument });
  }
  if (name !== list) throw new RequestError('BAD_CURSOR', `\`${argument}\` is a cursor of another list.`, { argument });
  return { key: Buffer.from(key, 'hex'), place: place === '' ? undefined : BigInt(place) };
}
