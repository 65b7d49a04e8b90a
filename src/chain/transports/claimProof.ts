import { inconsistent, isChainError } from '../base/errors.ts';
import { type Block, decodeBlock, decodeBlockId, decodeHeader, type HeadBlock, type Header } from '../wire/block.ts';
import { arrayAt, asObject, type JsonValue, malformed, objectAt } from '../wire/json.ts';
import type { NodeState } from './nodeState.ts';

const headersAtOnce = 20n;

/** Most blocks over which the links of a claim are followed. A larger gap needs a majority. */
export const followedBlocks = 1_000n;

interface Meta {
  readonly header: Header;
  readonly hash: string;
}

function checkHeader(header: Header, height: bigint, chainId: string): void {
  if (header.height !== height) throw malformed(`block ${header.height} instead of ${height}`);
  if (header.chainId !== chainId) throw malformed('a block of another chain');
}

/** Reads a block from one node. Rejects with the error of the call, or with NODE_INVALID_RESPONSE for a block with another height or chain id. */
export function readBlock({ transport }: NodeState, height: bigint, chainId: string): Promise<Block> {
  const decode = (json: JsonValue): Block => {
    const block = decodeBlock(json);
    checkHeader(block.header, height, chainId);
    return block;
  };
  return transport.call('block', { height: height.toString() }, { decode });
}

/** Reads the block that a node claims. Rejects with NODE_INCONSISTENT if the node has another block at this height. */
export async function readClaimed(node: NodeState, { height, hash, chainId }: HeadBlock): Promise<Block> {
  const block = await readBlock(node, height, chainId);
  if (block.blockId.hash !== hash) throw inconsistent(height);
  return block;
}

/** Whether the node holds this block. Rejects if the node does not respond. */
export async function holdsBlock(node: NodeState, { height, hash, chainId }: HeadBlock): Promise<boolean> {
  try {
    return (await readBlock(node, height, chainId)).blockId.hash === hash;
  } catch (error) {
    if (isNoResponse(error)) throw error;
    return false;
  }
}

/** Whether an error gives no information about the node's blocks. */
export function isNoResponse(error: unknown): boolean {
  return isChainError(error, 'NODE_UNREACHABLE') || isChainError(error, 'NODE_TIMEOUT');
}

function readMetas({ transport }: NodeState, first: bigint, last: bigint, chainId: string): Promise<readonly Meta[]> {
  const decode = (json: JsonValue): readonly Meta[] => {
    const metas = arrayAt(asObject(json, 'blockchain'), 'block_metas').map((item): Meta => {
      const meta = asObject(item, 'block_meta');
      return { header: decodeHeader(objectAt(meta, 'header')), hash: decodeBlockId(objectAt(meta, 'block_id')).hash };
    });
    const ascending = metas.toReversed();
    if (ascending.length !== Number(last - first) + 1) throw malformed(`headers ${first} to ${last} are incomplete`);
    for (const [index, { header }] of ascending.entries()) checkHeader(header, first + BigInt(index), chainId);
    return ascending;
  };
  return transport.call('blockchain', { minHeight: first.toString(), maxHeight: last.toString() }, { decode });
}

/**
 * Follows the headers of a node from the block after `base` to `claim`. Each must name its predecessor. Rejects with
 * NODE_INCONSISTENT if one does not, or if a hash contradicts the accepted chain.
 */
export async function followLinks(
  node: NodeState,
  base: Pick<HeadBlock, 'height' | 'hash'>,
  claim: HeadBlock,
  accepted: { contradicts(height: bigint, hash: string): boolean },
): Promise<void> {
  let previousHash = base.hash;
  for (let start = base.height + 1n; start <= claim.height; start += headersAtOnce) {
    const last = start + headersAtOnce - 1n;
    for (const { header, hash } of await readMetas(node, start, last < claim.height ? last : claim.height, claim.chainId)) {
      if (header.lastBlockId.hash !== previousHash || accepted.contradicts(header.height, hash))
        throw inconsistent(header.height);
      previousHash = hash;
    }
  }
  if (previousHash !== claim.hash) throw inconsistent(claim.height);
}
