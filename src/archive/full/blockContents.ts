import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Event } from '../../chain/base/execution.ts';
import { parseTime } from '../../chain/base/time.ts';
import { encodeBlock, encodeBlockId, encodeEvents, encodeExec } from '../../chain/blocks/blockJson.ts';
import type { CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import { decodeEvent } from '../../chain/wire/block.ts';
import { arrayAt, asObject, type JsonObject, type JsonValue, objectAt, textAt } from '../../chain/wire/json.ts';

/** The contents of a block as mode FULL records them. The texts are JSON in the format of a node, so that a thread gets them at little cost. */
export interface BlockContents {
  readonly height: bigint;
  readonly time: bigint;
  /** `{block, events}`: the result of `block` without its transactions, and the events of the block itself. */
  readonly block: string;
  readonly transactions: readonly {
    /** Upper case hex. */
    readonly hash: string;
    /** `{tx, tx_result}`: the bytes in base64 and the result. */
    readonly content: string;
  }[];
}

/** The contents of a block of the log. */
export function contentsOf(block: CommittedBlock): BlockContents {
  const { header, blockId, events, transactions } = block;
  return {
    height: header.height,
    time: parseTime(header.time),
    block: JSON.stringify({
      block: { block_id: encodeBlockId(blockId), block: encodeBlock({ ...block, txs: [] }) },
      events: encodeEvents(events),
    }),
    transactions: transactions.map(({ hash, tx, result }) => ({
      hash,
      content: JSON.stringify({ tx, tx_result: encodeExec(result) }),
    })),
  };
}

/** A recorded transaction as a node prints it, without its place. */
export interface TransactionContent {
  readonly tx: string;
  readonly txResult: JsonObject;
}

/** Reads the text of a transaction. */
export function readTransaction(content: string): TransactionContent {
  const value: JsonValue = JSON.parse(content);
  const json = asObject(value, 'transaction');
  return { tx: textAt(json, 'tx'), txResult: objectAt(json, 'tx_result') };
}

/** The events of a transaction. */
export function transactionEvents(content: string): readonly Event[] {
  return arrayAt(readTransaction(content).txResult, 'events').map(decodeEvent);
}

/** Reads the text of a block: the result of `block` without transactions, and the events of the block itself. */
export function readBlock(content: string): { readonly block: JsonObject; readonly events: readonly Event[] } {
  const value: JsonValue = JSON.parse(content);
  const json = asObject(value, 'block');
  return { block: objectAt(json, 'block'), events: arrayAt(json, 'events').map(decodeEvent) };
}

/** Compresses a text, at little cost: tables for long texts take longer to make than a short text to compress. */
export function packed(text: string): Uint8Array {
  return deflateRawSync(text, text.length > 8_192 ? { level: 1 } : { level: 1, windowBits: 13, memLevel: 5 });
}

/** The inverse of {@link packed}. */
export function unpacked(bytes: Uint8Array): string {
  return inflateRawSync(bytes).toString();
}
