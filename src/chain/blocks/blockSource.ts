import { inconsistent } from '../base/errors.ts';
import type { Transport } from '../transports/transport.ts';
import { type Block, decodeBlock } from '../wire/block.ts';
import { malformed } from '../wire/decode.ts';
import type { JsonValue } from '../wire/json.ts';
import { type BlockResults, type CommittedBlock, decodeBlockResults, decodeWholeBlock, joinResults } from './committedBlock.ts';

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
  if (previous !== undefined && !follows(block, previous)) throw inconsistent(height - 1n);
  return block;
}

/** Whether a block names `previous` as the one before it, and begins with the state that `previous` left. */
export function follows(block: Block, previous: CommittedBlock): boolean {
  return namesBefore(block, previous) && block.header.appHash === previous.appHash;
}

function namesBefore({ header }: Block, previous: Block): boolean {
  return header.lastBlockId.hash === previous.blockId.hash;
}

type BlockRequest = Pick<WantedBlock, 'height' | 'signal'>;

/** The nodes of a transport as a source: `block` and `block_results`, asked together and so of one node, unless that one fails. */
export function createNodeSource(transport: Transport): BlockSource {
  function read<T>(method: string, { height, signal }: BlockRequest, decode: (json: JsonValue) => T): Promise<T> {
    return transport.call(method, { height: height.toString() }, { height, signal, decode });
  }

  /**
   * Results of a block when some node holds another one: nothing in them tells whose they are but the hash of the state they led
   * to, which the next block's header repeats. Until that block is there, HEIGHT_NOT_YET_AVAILABLE.
   */
  async function readProven(block: Block, signal: AbortSignal): Promise<BlockResults> {
    const { height } = block.header;
    const appHash = await read('block', { height: height + 1n, signal }, (json) => {
      const next = decodeBlock(json);
      if (!namesBefore(next, block)) throw inconsistent(height);
      return next.header.appHash;
    });
    return read('block_results', { height, signal }, (json) => {
      const results = decodeBlockResults(json);
      if (results.outcome.appHash !== appHash) throw inconsistent(height);
      return results;
    });
  }

  return {
    async block(wanted) {
      const { height } = wanted;
      const results = read('block_results', wanted, (json) => {
        const answered = decodeBlockResults(json);
        if (answered.height !== height) throw malformed(`results of height ${answered.height} in place of ${height}`);
        return answered;
      });
      // Without this, its failure would be nobody's while the block is still awaited.
      results.catch(() => undefined);
      let contradicted = false;
      const block = await read('block', wanted, (json) => {
        const answered = decodeWholeBlock(json);
        contradicted ||= wanted.previous !== undefined && !namesBefore(answered, wanted.previous);
        return checkBlock(answered, wanted);
      });
      return joinResults(block, contradicted ? await readProven(block, wanted.signal) : await results);
    },
  };
}
