import { decodeBlockResults, decodeCommit, decodeWholeBlock } from '../../chain/blocks/committedBlock.ts';
import type { Client } from '../../chain/client.ts';
import { type Block, type BlockId, decodeBlockId, decodeHeader, type Header } from '../../chain/wire/block.ts';
import { arrayAt, asObject, bigintAt, booleanAt, type JsonValue, malformed, objectAt } from '../../chain/wire/json.ts';
import { heightKey, heightOfKey } from '../../reads/height.ts';
import type { ChainList, ReadRequest } from '../../reads/page.ts';
import { type Awaitable, type HeightPlace, ReadOnce, type Source } from '../../reads/pin.ts';
import type { SearchKind } from '../events/search.ts';

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
function decodeSummary(json: JsonValue): BlockSummary | null {
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
async function blockRange(client: Client, low: bigint, high: bigint, signal?: AbortSignal): Promise<readonly BlockSummary[]> {
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

/** Decodes the result of `commit` (docs/chain.md, "Headers, blocks and commits"). */
function decodeSignedHeader(json: JsonValue) {
  const result = asObject(json, 'commit');
  const signed = objectAt(result, 'signed_header');
  return {
    header: decodeHeader(objectAt(signed, 'header')),
    commit: decodeCommit(objectAt(signed, 'commit')),
    canonical: booleanAt(result, 'canonical'),
  };
}

/** A header and the commit that signs it. `canonical` is false while its block is the newest. */
export type SignedHeader = Readonly<ReturnType<typeof decodeSignedHeader>>;

/** Decodes the evidence and the last commit in the result of `block`. */
function decodeBlockExtras(json: JsonValue) {
  const { evidence, lastCommit, header } = decodeWholeBlock(json);
  return { evidence, lastCommit, height: header.height };
}

function decodeHeaderByHash(json: JsonValue): Header | null {
  const result = asObject(json, 'header_by_hash');
  return result.header == null ? null : decodeHeader(objectAt(result, 'header'));
}

/** The loaders of one pin. Callers check heights first. Blocks in the block log take no call to a node. */
export function createBlockLoaders(source: Source) {
  // Its signal is made when something is not in memory.
  const { client } = source;
  /** A loader for a method whose only argument is a height. Fails if the response is for another height. */
  const byHeight = <T>(method: string, decode: (json: JsonValue) => T, heightOf: (value: T) => bigint): ReadOnce<bigint, T> =>
    new ReadOnce((height: bigint) =>
      client.call(
        method,
        { height: height.toString() },
        {
          height,
          signal: source.signal,
          decode(json) {
            const value = decode(json);
            const repliedHeight = heightOf(value);
            if (repliedHeight !== height) throw malformed(`${method} returned height ${repliedHeight} instead of ${height}`);
            return value;
          },
        },
      ),
    );
  const extras = byHeight('block', decodeBlockExtras, ({ height }) => height);
  const results = byHeight('block_results', decodeBlockResults, ({ height }) => height);
  const hashParam = (hash: string): string => Buffer.from(hash, 'hex').toString('base64');
  return {
    /** The block at a height. */
    block: new ReadOnce((height: bigint) => client.blockInMemory(height) ?? client.block(height, source.signal)),
    /** The block with a hash (upper case hex); null if the node has none. It can be above the height of the pin. */
    blockByHash: new ReadOnce((hash: string) =>
      client.call('block_by_hash', { hash: hashParam(hash) }, { signal: source.signal, decode: decodeSummary }),
    ),
    /** The blocks of a range, newest first. */
    range: new ReadOnce(
      ({ low, high }: { readonly low: bigint; readonly high: bigint }) => blockRange(client, low, high, source.signal),
      ({ low, high }) => `${low}-${high}`,
    ),
    /** The evidence and the last commit of a block. */
    extras: new ReadOnce((height: bigint) => {
      const seenBlock = client.blocks.at(height);
      return seenBlock === undefined ? extras.load(height) : { ...seenBlock, height };
    }),
    header: byHeight(
      'header',
      (json) => decodeHeader(objectAt(asObject(json, 'header'), 'header')),
      ({ height }) => height,
    ),
    /** The header of the block with a hash; null if the node has none. It can be above the height of the pin. */
    headerByHash: new ReadOnce((hash: string) =>
      client.call('header_by_hash', { hash }, { signal: source.signal, decode: decodeHeaderByHash }),
    ),
    /** The commit of the block at a height, not the one of its predecessor that it contains. */
    commit: byHeight('commit', decodeSignedHeader, ({ header }) => header.height),
    results: new ReadOnce((height: bigint) => {
      const seenBlock = client.blocks.at(height);
      return seenBlock === undefined
        ? results.load(height)
        : { height, txs: seenBlock.transactions.map(({ result }) => result), outcome: seenBlock };
    }),
    /** The height of the oldest block that the current node has. Not read at a height. */
    earliest: new ReadOnce(async () =>
      bigintAt(
        objectAt(asObject(await client.call('status', {}, { signal: source.signal }), 'status'), 'sync_info'),
        'earliest_block_height',
      ),
    ),
  };
}

/** The search of blocks by their own events. */
export const blockSearch: SearchKind<BlockSummary> = {
  method: 'block_search',
  heightTag: 'block.height',
  member: 'blocks',
  decode(json) {
    const block = decodeSummary(json);
    if (block === null) throw malformed('a search result contains no block');
    return block;
  },
  heightOf: ({ header }) => header.height,
  indexOf: () => undefined,
  holds: () => true,
};
