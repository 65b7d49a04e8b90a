import { bytesAt, objectAt } from '../wire/decode.ts';
import type { HeadBlock } from '../wire/newestBlock.ts';
import type { StoreRoots } from './storeRoots.ts';

/** The notifications of the head that the roots need. */
export interface HeadNotifications {
  onBlock(listener: (block: HeadBlock) => void): () => void;
  onRewind(listener: () => void): () => void;
}

/** The app hash after a block, in upper case hex, from its NewBlock event. Undefined if the block was read from `status`. */
export function appHashAfter({ block }: HeadBlock): string | undefined {
  if (block === undefined) return undefined;
  const bytes = bytesAt(objectAt(block, 'result_finalize_block'), 'app_hash');
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('hex').toUpperCase();
}

/**
 * Learns the roots of each new block of the head, before a request needs them. The header of each block confirms the roots of
 * the block before it. Returns a function that ends this.
 */
export function learnFromHead(head: HeadNotifications, roots: StoreRoots): () => void {
  const stopBlocks = head.onBlock((block) => {
    if (block.appHash !== '') roots.confirm(block);
    const appHash = appHashAfter(block);
    if (appHash !== undefined) void roots.learn({ height: block.height, appHash });
  });
  const stopRewinds = head.onRewind(() => roots.clear());
  return () => {
    stopBlocks();
    stopRewinds();
  };
}
