import type { Context } from '../../runtime/context.ts';
import { goJson, plainEvent } from '../../runtime/events.ts';
import type { Keeper } from '../../runtime/keeper.ts';
import { goTime, momentOf } from '../../runtime/time.ts';
import { attributeMessages } from './messages.ts';
import { attributeQueries } from './queries.ts';
import { attributeStore, expiredAttributes, removeAttribute, valueHash } from './state.ts';

/** How Go writes bytes that it takes for text as JSON: each that is no part of a UTF-8 character as `\ufffd`. */
function goBytesJson(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = characterSize(bytes, at);
    parts.push(size === 0 ? '\\ufffd' : goJson(Buffer.from(bytes.subarray(at, at + size)).toString()).slice(1, -1));
    at += Math.max(size, 1);
  }
  return `"${parts.join('')}"`;
}

/** Bytes of the UTF-8 character at `at`; 0 when there is none. */
function characterSize(bytes: Uint8Array, at: number): number {
  for (let size = 1; size <= 4 && at + size <= bytes.length; size += 1) {
    try {
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(at, at + size));
      return size;
    } catch {
      // Not with so many bytes.
    }
  }
  return 0;
}

/** Deletes what has ended, with the events in the recorded form: the hash of the value stands there as if it were text. */
function beginBlock(context: Context): void {
  const ended = expiredAttributes(context, context.block.time);
  for (const attribute of ended) {
    removeAttribute(context, attribute);
    context.emit(
      plainEvent('provenance.attribute.v1.EventAttributeExpired', [
        ['account', goJson(attribute.address)],
        ['attribute_type', '""'],
        ['expiration', goJson(goTime(momentOf(attribute.expirationDate)))],
        ['name', goJson(attribute.name)],
        ['value_hash', goBytesJson(Buffer.from(valueHash(attribute.value), 'latin1'))],
      ]),
    );
  }
  if (ended.length === 0) return;
  context.emit(
    plainEvent('beginblock', [
      ['module', 'attribute'],
      ['action', 'attribute_deleted_expired'],
      ['total_expired_deleted', String(ended.length)],
    ]),
  );
}

/** What is said of accounts and scopes by the owners of names (chain.md 4). */
export const attributeKeeper: Keeper = {
  store: attributeStore,
  messages: attributeMessages,
  queries: attributeQueries,
  beginBlock,
};
