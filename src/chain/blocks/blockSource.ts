import { inconsistent } from '../base/errors.ts';
import type { Transport } from '../transports/transport.ts';
import { type Block, decodeBlock } from '../wire/block.ts';
import { type JsonValue, malformed } from '../wire/json.ts';
import { type BlockResults, type CommittedBlock, decodeBlockResults, decodeWholeBlock, joinResults } from './committedBlock.ts';

/** The block that a reader needs. */
export interface WantedBlock {
  readonly height: bigint;
  readonly chainId: string;
  /** The previous block, if known. */
  readonly previous: CommittedBlock | undefined;
  readonly signal: AbortSignal;
}

/** A source of older blocks. */
export interface BlockSource {
  /**
   * The block; undefined if this source does not have it, so that the next one is tried. Rejects with a `ChainError`:
   * HEIGHT_PRUNED, NODE_INCONSISTENT (see {@link checkBlock}), or the error of the call.
   */
  block(wanted: WantedBlock): Promise<CommittedBlock | undefined>;
}

/**
 * Checks a block. Throws NODE_INVALID_RESPONSE if it has another height or chain id, and NODE_INCONSISTENT if it does not
 * follow the previous block by hash and app hash.
 */
export function checkBlock<B extends Block>(block: B, { height, chainId, previous }: Omit<WantedBlock, 'signal'>): B {
  const { header } = block;
  if (header.height !== height) throw malformed(`block ${header.height} instead of ${height}`);
  if (header.chainId !== chainId) throw malformed('a block of another chain');
  if (previous !== undefined && !follows(block, previous)) throw inconsistent(height - 1n);
  return block;
}

/** Whether the header of a block contains the hash of `previous`, and its app hash is the one after `previous`. */
export function follows(block: Block, previous: CommittedBlock): boolean {
  return namesBefore(block, previous) && block.header.appHash === previous.appHash;
}

function namesBefore({ header }: Block, previous: Block): boolean {
  return header.lastBlockId.hash === previous.blockId.hash;
}

type BlockRequest = Pick<WantedBlock, 'height' | 'signal'>;

/**
 * Makes a source of the nodes of a transport. It calls `block` and `block_results` together, so both go to one node unless that
 * node fails.
 */
export function createNodeSource(transport: Transport): BlockSource {
  function read<T>(method: string, { height, signal }: BlockRequest, decode: (json: JsonValue) => T): Promise<T> {
    return transport.call(method, { height: height.toString() }, { height, signal, decode });
  }

  /**
   * Reads the results of a block when nodes hold different blocks at the height. Results contain no block hash, only the app
   * hash after the block, and the next block's header repeats that. Until the next block exists, this rejects with
   * HEIGHT_NOT_YET_AVAILABLE.
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
        if (answered.height !== height) throw malformed(`results of block ${answered.height} instead of ${height}`);
        return answered;
      });
      // Prevents an unhandled rejection while the block is still pending.
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
