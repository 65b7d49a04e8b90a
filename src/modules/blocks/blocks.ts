import type { Client } from '../../chain/client.ts';
import { type Block, type BlockId, decodeBlockId, decodeHeader, type Header } from '../../chain/wire/block.ts';
import { arrayAt, asObject, bigintAt, type JsonValue, malformed, objectAt } from '../../chain/wire/json.ts';
import { heightKey, heightOfKey } from '../../reads/height.ts';
import type { Awaitable } from '../../reads/loader.ts';
import type { ChainList, ReadRequest } from '../../reads/page.ts';
import type { HeightPlace } from '../../reads/pin.ts';

/** The part of a block that lists contain. The rest is read when it is selected. */
export interface BlockSummary {
  readonly blockId: BlockId;
  readonly header: Header;
  readonly numTxs: bigint;
  /** Size in bytes; undefined if the read that returned the block does not contain it. */
  readonly size?: bigint;
  /** The height and the time of the operation's own block for an answer to print, if nothing else of the block is selected. */
  readonly printed?: { readonly height: bigint | HeightPlace; readonly time: string };
}

/** A block of which only the height and the time are known, so nothing else of it may be read. */
class PrintedBlock implements BlockSummary {
  readonly printed: NonNullable<BlockSummary['printed']>;

  constructor(printed: NonNullable<BlockSummary['printed']>) {
    this.printed = printed;
  }

  get header(): never {
    throw new Error('the block was not read');
  }

  get blockId(): never {
    throw new Error('the block was not read');
  }

  get numTxs(): never {
    throw new Error('the block was not read');
  }
}

/** The block with this height and time, of which nothing else is selected. */
export function printedBlock(printed: NonNullable<BlockSummary['printed']>): BlockSummary {
  return new PrintedBlock(printed);
}

/** The summary of a whole block. */
export function summaryOf({ blockId, header, txs }: Block): BlockSummary {
  return { blockId, header, numTxs: BigInt(txs.length) };
}

function decodeMeta(json: JsonValue): BlockSummary {
  const meta = asObject(json, 'block meta');
  return {
    blockId: decodeBlockId(objectAt(meta, 'block_id')),
    header: decodeHeader(objectAt(meta, 'header')),
    numTxs: bigintAt(meta, 'num_txs'),
    size: bigintAt(meta, 'block_size'),
  };
}

/** Decodes the result of `block_by_hash` or an item of `block_search`; null if the node has no block with the hash. */
export function decodeSummary(json: JsonValue): BlockSummary | null {
  const result = asObject(json, 'block');
  if (result.block == null) return null;
  const block = objectAt(result, 'block');
  return {
    blockId: decodeBlockId(objectAt(result, 'block_id')),
    header: decodeHeader(objectAt(block, 'header')),
    numTxs: BigInt(arrayAt(objectAt(block, 'data'), 'txs').length),
  };
}

/** Most blocks in one response of `blockchain` (docs/chain.md, "Methods of the node RPC"). */
const metasMax = 20n;

/** Summaries of the blocks `low` to `high`, newest first. One call for every 20 blocks. The node must have all of them. */
export async function blockRange(
  client: Client,
  low: bigint,
  high: bigint,
  signal?: AbortSignal,
): Promise<readonly BlockSummary[]> {
  const reads: Promise<readonly BlockSummary[]>[] = [];
  for (let top = high; top >= low; top -= metasMax) {
    const bottom = top - metasMax + 1n > low ? top - metasMax + 1n : low;
    const params = { minHeight: bottom.toString(), maxHeight: top.toString() };
    reads.push(
      client.call('blockchain', params, {
        height: top,
        signal,
        decode(json) {
          const metas = arrayAt(asObject(json, 'blockchain'), 'block_metas').map(decodeMeta);
          const wrong = metas.findIndex(({ header }, index) => header.height !== top - BigInt(index));
          if (wrong !== -1 || BigInt(metas.length) !== top - bottom + 1n)
            throw malformed('blockchain returned blocks of another range');
          return metas;
        },
      }),
    );
  }
  return (await Promise.all(reads)).flat();
}

/** The blocks `low` to `high` as a list in either order. A page takes one read for every 20 blocks; the total takes none. */
export function blockList(
  read: (low: bigint, high: bigint) => Awaitable<readonly BlockSummary[]>,
  low: bigint,
  high: bigint,
  newestFirst: boolean,
): ChainList<BlockSummary> {
  const size = high >= low ? high - low + 1n : 0n;
  /** Index of the first block at or after a key. */
  const placeOf = (key: Uint8Array): bigint => {
    const height = heightOfKey(key, newestFirst);
    const skip = key.length > 8 ? 1n : 0n;
    const place = (newestFirst ? high - height : height - low) + skip;
    return place < 0n ? 0n : place;
  };
  return {
    keyOf: ({ header }) => heightKey(header.height, newestFirst),
    pageKey: (key) => key,
    async read({ key, offset = 0n, limit }: ReadRequest) {
      const start = key === undefined ? offset : placeOf(key);
      const count = size - start < BigInt(limit) ? size - start : BigInt(limit);
      if (count <= 0n) return { items: [], more: false, total: size };
      const last = start + count - 1n;
      const metas = newestFirst ? await read(high - last, high - start) : await read(low + start, low + last);
      return { items: newestFirst ? metas : metas.toReversed(), more: start + count < size, total: size };
    },
  };
}
