import type { HeadBlock } from '../../wire/block.ts';

/**
 * The relation of a block to the accepted chain. KNOWN: at or below the newest accepted block, without a contradiction. NEXT:
 * its header names the newest accepted block as its predecessor. AHEAD: above the newest accepted block, without such a link.
 * CONTRADICTS: it cannot be part of the same chain.
 */
export type Relation = 'KNOWN' | 'NEXT' | 'AHEAD' | 'CONTRADICTS';

/** The accepted chain: its newest block, and hashes of some earlier blocks. */
export interface ChainTip {
  /** Undefined before the first accepted block. */
  newest(): HeadBlock | undefined;
  relation(block: HeadBlock): Relation;
  /** Whether the accepted chain has another hash at this height. False if its hash is not stored. */
  contradicts(height: bigint, hash: string): boolean;
  /** Accepts a block above the newest one. */
  advance(block: HeadBlock): void;
  /** Stores the hash of an old block of the accepted chain. */
  remember(height: bigint, hash: string): void;
  /**
   * Makes `block` the newest block, whatever the previous one was. Hashes up to the height `keep` stay; all others are removed.
   */
  rewind(block: HeadBlock, keep: bigint): void;
}

/** Number of hashes of the newest blocks. Nodes in sync report heights within a few blocks. */
const newestKept = 64;

/** Number of hashes of old blocks, which are the oldest blocks that nodes reported. */
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
      // Block times increase within a chain, so a lower block with a later time belongs to another chain.
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
