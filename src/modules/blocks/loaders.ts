import { type BlockResults, decodeBlockResults } from '../../chain/blocks/committedBlock.ts';
import { type Block, decodeHeader, type Header } from '../../chain/wire/block.ts';
import { asObject, bigintAt, type JsonValue, malformed, objectAt } from '../../chain/wire/json.ts';
import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { type BlockSummary, blockRange, decodeSummary } from './blocks.ts';
import { type BlockExtras, decodeBlockExtras, decodeSignedHeader, type SignedHeader } from './commit.ts';

/** The loaders of blocks for one pin. Callers check heights first. Blocks in the block log take no call to a node. */
export interface BlockLoaders {
  /** The block at a height. */
  readonly block: Loader<bigint, Block>;
  /** The block with a hash (upper case hex); null if the node has none. It can be above the height of the pin. */
  readonly blockByHash: Loader<string, BlockSummary | null>;
  /** The blocks of a range, newest first. */
  readonly range: Loader<{ readonly low: bigint; readonly high: bigint }, readonly BlockSummary[]>;
  /** The evidence and the last commit of a block. */
  readonly extras: Loader<bigint, BlockExtras>;
  readonly header: Loader<bigint, Header>;
  /** The header of the block with a hash; null if the node has none. It can be above the height of the pin. */
  readonly headerByHash: Loader<string, Header | null>;
  /** The commit of the block at a height, not the one of its predecessor that it contains. */
  readonly commit: Loader<bigint, SignedHeader>;
  readonly results: Loader<bigint, BlockResults>;
  /** The height of the oldest block that the current node has. Not read at a height. */
  readonly earliest: Loader<'', bigint>;
}

function decodeHeaderByHash(json: JsonValue): Header | null {
  const result = asObject(json, 'header_by_hash');
  return result.header == null ? null : decodeHeader(objectAt(result, 'header'));
}

/** Makes the loaders of one pin. */
export function createBlockLoaders(source: Source): BlockLoaders {
  // Its signal is made when something is not in memory.
  const { client } = source;
  /** A loader for a method whose only argument is a height. Fails if the response is for another height. */
  const byHeight = <T>(method: string, decode: (json: JsonValue) => T, heightOf: (value: T) => bigint): Loader<bigint, T> =>
    createLoader((height: bigint) =>
      client.call(
        method,
        { height: height.toString() },
        {
          height,
          signal: source.signal,
          decode(json) {
            const value = decode(json);
            const answered = heightOf(value);
            if (answered !== height) throw malformed(`${method} returned height ${answered} instead of ${height}`);
            return value;
          },
        },
      ),
    );
  const extras = byHeight('block', decodeBlockExtras, ({ height }) => height);
  const results = byHeight('block_results', decodeBlockResults, ({ height }) => height);
  const hashParam = (hash: string): string => Buffer.from(hash, 'hex').toString('base64');
  return {
    block: createLoader((height: bigint) => client.blockInMemory(height) ?? client.block(height, source.signal)),
    blockByHash: createLoader((hash: string) =>
      client.call('block_by_hash', { hash: hashParam(hash) }, { signal: source.signal, decode: decodeSummary }),
    ),
    range: createLoader(
      ({ low, high }: { readonly low: bigint; readonly high: bigint }) => blockRange(client, low, high, source.signal),
      ({ low, high }) => `${low}-${high}`,
    ),
    extras: createLoader((height: bigint) => {
      const seen = client.blocks.at(height);
      return seen === undefined ? extras.load(height) : { ...seen, height };
    }),
    header: byHeight(
      'header',
      (json) => decodeHeader(objectAt(asObject(json, 'header'), 'header')),
      ({ height }) => height,
    ),
    headerByHash: createLoader((hash: string) =>
      client.call('header_by_hash', { hash }, { signal: source.signal, decode: decodeHeaderByHash }),
    ),
    commit: byHeight('commit', decodeSignedHeader, ({ header }) => header.height),
    results: createLoader((height: bigint) => {
      const seen = client.blocks.at(height);
      return seen === undefined
        ? results.load(height)
        : { height, txs: seen.transactions.map(({ result }) => result), outcome: seen };
    }),
    earliest: createLoader(async () =>
      bigintAt(
        objectAt(asObject(await client.call('status', {}, { signal: source.signal }), 'status'), 'sync_info'),
        'earliest_block_height',
      ),
    ),
  };
}
