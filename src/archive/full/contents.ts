import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Event } from '../../chain/base/execution.ts';
import { parseTime } from '../../chain/base/time.ts';
import {
  type CommittedBlock,
  encodeBlock,
  encodeBlockId,
  encodeEvents,
  encodeExec,
} from '../../chain/blocks/committedBlock.ts';
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

export function readTransaction(content: string): { readonly tx: string; readonly txResult: JsonObject } {
  const value: JsonValue = JSON.parse(content);
  const json = asObject(value, 'transaction');
  return { tx: textAt(json, 'tx'), txResult: objectAt(json, 'tx_result') };
}

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

/** A place in a block: the index of a transaction (0 for the block itself) and the index of one of its events. */
export interface EventPlace {
  readonly item: number;
  readonly event: number;
}

/** The most events of an item in the number of a place. */
const eventsMax = 2 ** 24;

function placeNumber({ item, event }: EventPlace): number {
  return item * eventsMax + event;
}

export function itemOfPlace(place: number): number {
  return Math.floor(place / eventsMax);
}

export function eventOfPlace(place: number): number {
  return place % eventsMax;
}

/** Writes ascending places as pairs of the step to the next item and the event, in groups of seven bits. */
export function writePlaces(places: readonly EventPlace[]): Uint8Array {
  const bytes: number[] = [];
  const write = (value: number): void => {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
    bytes.push(rest);
  };
  let last = 0;
  for (const { item, event } of places) {
    write(item - last);
    write(event);
    last = item;
  }
  return Uint8Array.from(bytes);
}

/** Reads what {@link writePlaces} wrote, as the numbers of the places. */
export function readPlaces(bytes: Uint8Array): readonly number[] {
  const places: number[] = [];
  let at = 0;
  const readNumber = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  let item = 0;
  while (at < bytes.length) {
    item += readNumber();
    places.push(placeNumber({ item, event: readNumber() }));
  }
  return places;
}

/** The number of bits of an id of a transaction that hold its index in the block. */
const indexBits = 20n;

/** The id of a transaction in the archive. Ids ascend in the order of the chain. */
export function transactionId(height: bigint, index: number): bigint {
  return (height << indexBits) + BigInt(index);
}

export function heightOfId(id: bigint): bigint {
  return id >> indexBits;
}

export function indexOfId(id: bigint): number {
  return Number(BigInt.asUintN(Number(indexBits), id));
}
