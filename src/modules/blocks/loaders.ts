import { type BlockResults, decodeBlockResults } from '../../chain/blocks/committedBlock.ts';
import { type Block, decodeHeader, type Header } from '../../chain/wire/block.ts';
import { asObject, bigintAt, malformed, objectAt } from '../../chain/wire/decode.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { type BlockSummary, blockRange, decodeSummary } from './blocks.ts';
import { type BlockExtras, decodeBlockExtras, decodeSignedHeader, type SignedHeader } from './commit.ts';

/**
 * The loaders of blocks at one pin. Callers check heights against the pin first. Blocks that the block log still holds cost no call to a node.
 */
export interface BlockLoaders {
  /** A block by height. */
  readonly block: Loader<bigint, Block>;
  /** A block by hash (upper case hex); null when the node does not know it. It may be above the height read. */
  readonly blockByHash: Loader<string, BlockSummary | null>;
  /** The blocks of a range, newest first. */
  readonly range: Loader<{ readonly low: bigint; readonly high: bigint }, readonly BlockSummary[]>;
  /** Evidence and last commit of a block. */
  readonly extras: Loader<bigint, BlockExtras>;
  readonly header: Loader<bigint, Header>;
  /** A header by its block's hash; null when the node does not know it. It may be above the height read. */
  readonly headerByHash: Loader<string, Header | null>;
  /** The commit of a block itself. */
  readonly commit: Loader<bigint, SignedHeader>;
  readonly results: Loader<bigint, BlockResults>;
  /** The oldest block that the node in use still has; of no height. */
  readonly earliest: Loader<'', bigint>;
}

function decodeHeaderByHash(json: JsonValue): Header | null {
  const result = asObject(json, 'header_by_hash');
  return result.header == null ? null : decodeHeader(objectAt(result, 'header'));
}

/** Makes the loaders of one pin. */
export function createBlockLoaders({ client, signal }: Source): BlockLoaders {
  /** A method that takes a height alone; `heightOf` what was read must be the one asked for. */
  const ofHeight = <T>(method: string, decode: (json: JsonValue) => T, heightOf: (value: T) => bigint): Loader<bigint, T> =>
    createLoader((height: bigint) =>
      client.call(
        method,
        { height: height.toString() },
        {
          height,
          signal,
          decode(json) {
            const value = decode(json);
            const answered = heightOf(value);
            if (answered !== height) throw malformed(`${method} of height ${answered} in place of ${height}`);
            return value;
          },
        },
      ),
    );
  const extras = ofHeight('block', decodeBlockExtras, ({ height }) => height);
  const results = ofHeight('block_results', decodeBlockResults, ({ height }) => height);
  const hashParam = (hash: string): string => Buffer.from(hash, 'hex').toString('base64');
  return {
    block: createLoader((height: bigint) => client.block(height, signal)),
    blockByHash: createLoader((hash: string) =>
      client.call('block_by_hash', { hash: hashParam(hash) }, { signal, decode: decodeSummary }),
    ),
    range: createLoader(
      ({ low, high }: { readonly low: bigint; readonly high: bigint }) => blockRange(client, low, high, signal),
      ({ low, high }) => `${low}-${high}`,
    ),
    extras: createLoader(async (height: bigint) => {
      const seen = client.blocks.at(height);
      return seen === undefined ? extras.load(height) : { ...seen, height };
    }),
    header: ofHeight(
      'header',
      (json) => decodeHeader(objectAt(asObject(json, 'header'), 'header')),
      ({ height }) => height,
    ),
    headerByHash: createLoader((hash: string) =>
      client.call('header_by_hash', { hash }, { signal, decode: decodeHeaderByHash }),
    ),
    commit: ofHeight('commit', decodeSignedHeader, ({ header }) => header.height),
    results: createLoader(async (height: bigint) => {
      const seen = client.blocks.at(height);
      return seen === undefined
        ? results.load(height)
        : { height, txs: seen.transactions.map(({ result }) => result), outcome: seen };
    }),
    earliest: createLoader(async () =>
      bigintAt(objectAt(asObject(await client.call('status', {}, { signal }), 'status'), 'sync_info'), 'earliest_block_height'),
    ),
  };
}
