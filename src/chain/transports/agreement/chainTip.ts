import type { HeadBlock } from '../../wire/newestBlock.ts';

/**
 * How a block relates to the believed chain. KNOWN: at or below the newest believed block, and nothing contradicts it. NEXT: its header
 * names the newest believed block as the one before it. AHEAD: above the newest believed block, without such a link.
 * CONTRADICTS: it cannot be of the same chain.
 */
export type Relation = 'KNOWN' | 'NEXT' | 'AHEAD' | 'CONTRADICTS';

/** The believed chain: its newest block, and the hashes of some blocks before it. */
export interface ChainTip {
  /** Undefined until a block is believed. */
  newest(): HeadBlock | undefined;
  relation(block: HeadBlock): Relation;
  /** Whether another hash is believed at this height. False where none is known. */
  contradicts(height: bigint, hash: string): boolean;
  /** Makes `block`, which is above the newest one, the newest believed block. */
  advance(block: HeadBlock): void;
  /** Remembers the hash of an old block of the believed chain. */
  remember(height: bigint, hash: string): void;
  /** Makes `block` the newest believed block, whatever was believed before. Hashes up to `keep` stay known, all others are forgotten. */
  rewind(block: HeadBlock, keep: bigint): void;
}

/** Hashes of the newest blocks that are kept. Nodes that are in step report heights within a few blocks. */
const newestKept = 64;

/** Hashes of old blocks that are kept: the oldest blocks that nodes reported. */
const oldKept = 16;

/** Makes a tip without a block. */
export function createChainTip(): ChainTip {
  const hashes = new Map<bigint, string>();
  const oldHashes = new Map<bigint, string>();
  let newest: HeadBlock | undefined;

  function put(map: Map<bigint, string>, limit: number, height: bigint, hash: string): void {
    map.set(height, hash);
    const [first] = map.keys();
    if (map.size > limit && first !== undefined) map.delete(first);
  }

  function contradicts(height: bigint, hash: string): boolean {
    const known = hashes.get(height) ?? oldHashes.get(height);
    return known !== undefined && hash !== '' && known !== hash;
  }

  function set(block: HeadBlock): void {
    newest = block;
    put(hashes, newestKept, block.height, block.hash);
  }

  return {
    newest: () => newest,
    relation(block) {
      if (newest === undefined) return 'AHEAD';
      if (contradicts(block.height, block.hash) || contradicts(block.height - 1n, block.lastHash)) return 'CONTRADICTS';
      if (block.height > newest.height) {
        return block.height === newest.height + 1n && block.lastHash === newest.hash ? 'NEXT' : 'AHEAD';
      }
      // Block times of one chain only grow, so a lower block with a later time is of another chain.
      const isLater = block.height < newest.height && Date.parse(block.time) > Date.parse(newest.time);
      return isLater ? 'CONTRADICTS' : 'KNOWN';
    },
    contradicts,
    advance: set,
    remember(height, hash) {
      if (hash !== '' && !hashes.has(height) && !oldHashes.has(height)) put(oldHashes, oldKept, height, hash);
    },
    rewind(block, keep) {
      for (const map of [hashes, oldHashes]) for (const height of [...map.keys()]) if (height > keep) map.delete(height);
      set(block);
    },
  };
}
