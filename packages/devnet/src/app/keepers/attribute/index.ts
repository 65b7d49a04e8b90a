import type { Context } from '../../runtime/context.ts';
import { goJson, plainEvent } from '../../runtime/events.ts';
import type { Keeper } from '../../runtime/keeper.ts';
import { goTime, momentOf } from '../../runtime/time.ts';
import { attributeMessages } from './messages.ts';
import { attributeQueries } from './queries.ts';
import { expiredAttributes, removeAttribute, valueHash } from './state.ts';

/** Encodes bytes as a JSON string as Go does: each byte that is not part of a UTF-8 character becomes `\ufffd`. */
function goBytesJson(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = characterSize(bytes, at);
    parts.push(size === 0 ? '\\ufffd' : goJson(Buffer.from(bytes.subarray(at, at + size)).toString()).slice(1, -1));
    at += Math.max(size, 1);
  }
  return `"${parts.join('')}"`;
}

/** Returns the length of the UTF-8 character at `at`. 0 if it is invalid. */
function characterSize(bytes: Uint8Array, at: number): number {
  for (let size = 1; size <= 4 && at + size <= bytes.length; size += 1) {
    try {
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(at, at + size));
      return size;
    } catch {
      // Overlong encoding.
    }
  }
  return 0;
}

/** Deletes expired attributes, with events in the recorded format: they contain the hash of the value as if it were text. */
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

/** The attribute module: attributes of accounts and scopes (docs/chain.md, "Attributes"). */
export const attributeKeeper: Keeper = {
  messages: attributeMessages,
  queries: attributeQueries,
  beginBlock,
};
