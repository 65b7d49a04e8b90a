import { cursorMax } from '../config/bounds.ts';
import { RequestError } from './errors.ts';

/**
 * Where an item lies in a list. `key` is the item's own key, never the node's page key, so a cursor works from any item and at
 * any height. `place` is the item's place in ascending order when the cursor was made: a hint that saves a search, never trusted.
 */
export interface Cursor {
  readonly key: Uint8Array;
  readonly place: bigint | undefined;
}

/** The opaque text of a cursor. It names its list: `list` is the list's name with its arguments. */
export function encodeCursor(list: string, cursor: Cursor): string {
  const place = cursor.place === undefined ? '' : cursor.place.toString();
  return Buffer.from([list, place, Buffer.from(cursor.key).toString('hex')].join('\n')).toString('base64url');
}

/** Reads a cursor of the list `list`, given as `argument`; one that is malformed or of another list is BAD_CURSOR. */
export function decodeCursor(list: string, text: string, argument = 'after'): Cursor {
  const [name, place, key, ...rest] = text.length > cursorMax ? [] : Buffer.from(text, 'base64url').toString().split('\n');
  if (
    key === undefined ||
    place === undefined ||
    rest.length > 0 ||
    !/^\d{0,20}$/.test(place) ||
    !/^([0-9a-f]{2})*$/.test(key)
  ) {
    throw new RequestError('BAD_CURSOR', `\`${argument}\` is no cursor of this server.`, { argument });
  }
  if (name !== list) throw new RequestError('BAD_CURSOR', `\`${argument}\` is a cursor of another list.`, { argument });
  return { key: Buffer.from(key, 'hex'), place: place === '' ? undefined : BigInt(place) };
}
