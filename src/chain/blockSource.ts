import type { Block } from './block.ts';
import { type CommittedBlock, decodeBlockResults, decodeWholeBlock, joinResults } from './committedBlock.ts';
import { malformed } from './decode.ts';
import { ChainError } from './errors.ts';
import type { JsonValue } from './json.ts';
import type { Transport } from './transports/transport.ts';

/** What a block must be to be taken. */
export interface WantedBlock {
  readonly height: bigint;
  readonly chainId: string;
  /** The block before it, where that is known. */
  readonly previous: CommittedBlock | undefined;
  readonly signal: AbortSignal;
}

/** Where blocks of the past come from. */
export interface BlockSource {
  /**
   * The block; undefined when this source does not have it, so that the next one is asked. Rejects with a `ChainError`:
   * HEIGHT_PRUNED, NODE_INCONSISTENT (see {@link checkBlock}), or what else kept it from answering.
   */
  block(wanted: WantedBlock): Promise<CommittedBlock | undefined>;
}

/**
 * Throws unless a block is the one wanted: of its height and chain, and NODE_INCONSISTENT unless it follows the block before it, in
 * its hash and in the state that the block before it left.
 */
export function checkBlock<B extends Block>(block: B, { height, chainId, previous }: Omit<WantedBlock, 'signal'>): B {
  const { header } = block;
  if (header.height !== height) throw malformed(`block ${header.height} in place of ${height}`);
  if (header.chainId !== chainId) throw malformed('a block of another chain');
  if (previous !== undefined && !follows(block, previous)) {
    const before = height - 1n;
    throw new ChainError('NODE_INCONSISTENT', `Two nodes hold different blocks at height ${before}.`, { height: before });
  }
  return block;
}

/** Whether a block names `previous` as the one before it, and begins with the state that `previous` left. */
export function follows({ header }: Block, previous: CommittedBlock): boolean {
  return header.lastBlockId.hash === previous.blockId.hash && header.appHash === previous.appHash;
}

/** The nodes of a transport as a source: `block` and `block_results`, asked together. */
export function createNodeSource(transport: Transport): BlockSource {
  return {
    async block(wanted) {
      const { height, signal } = wanted;
      const params = { height: height.toString() };
      const read = <T>(method: string, decode: (json: JsonValue) => T): Promise<T> =>
        transport.call(method, params, { height, signal, decode });
      const results = read('block_results', (json) => {
        const answered = decodeBlockResults(json);
        if (answered.height !== height) throw malformed(`results of height ${answered.height} in place of ${height}`);
        return answered;
      });
      // Without this, its failure would be nobody's while the block is still awaited.
      results.catch(() => undefined);
      const block = await read('block', (json) => checkBlock(decodeWholeBlock(json), wanted));
      return joinResults(block, await results);
    },
  };
}
