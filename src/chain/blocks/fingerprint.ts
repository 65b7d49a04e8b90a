import { chainReset, isChainError } from '../base/errors.ts';
import type { HeadBlock, NodeStatus } from '../wire/block.ts';

/**
 * The text by which clients recognise the chain of what they have read: the height of one of its blocks, a dash, and the first 16 digits of the
 * hash of that block (upper case hex). Chains with the same id that began at different times have different fingerprints. For clients it is opaque.
 */
export type Fingerprint = string;

/** The part of a client that is needed here. */
interface ChainBlocks {
  readonly head: {
    fingerprint(): Fingerprint | undefined;
    waitFor(
      height: bigint,
      options: { readonly milliseconds: number; readonly signal: AbortSignal },
    ): Promise<{ readonly height: bigint }>;
  };
  block(height: bigint, signal: AbortSignal): Promise<{ readonly blockId: { readonly hash: string } }>;
}

const digits = 16;

/** The fingerprint of a chain by one of its blocks. */
export function fingerprintOf({ height, hash }: Pick<HeadBlock, 'height' | 'hash'>): Fingerprint {
  return `${height}-${hash.slice(0, digits)}`;
}

/**
 * The fingerprint of the chain of a node: by its first block, which every chain started anew has another one of. If the node has pruned that block, by
 * its newest one, which stays readable for as long as the node keeps blocks. undefined before the first block.
 */
export function fingerprintIn({ newest, earliestHeight, earliestHash }: NodeStatus): Fingerprint | undefined {
  if (earliestHeight === 1n && earliestHash !== '') return fingerprintOf({ height: earliestHeight, hash: earliestHash });
  return newest.height === 0n ? undefined : fingerprintOf(newest);
}

/** The parts of a fingerprint; undefined if the text is none. */
export function readFingerprint(text: string): { readonly height: bigint; readonly hash: string } | undefined {
  const [, height, hash] = /^([1-9]\d{0,18})-([0-9A-F]{16})$/.exec(text) ?? [];
  return height === undefined || hash === undefined ? undefined : { height: BigInt(height), hash };
}

/**
 * Checks that the chain has the block of a fingerprint. Waits up to `milliseconds` for its height. Rejects with CHAIN_RESET if the chain has another
 * block at that height. A block that every node has pruned is not compared.
 */
export async function checkFingerprint(
  client: ChainBlocks,
  { height, hash }: { readonly height: bigint; readonly hash: string },
  options: { readonly milliseconds: number; readonly signal: AbortSignal },
): Promise<void> {
  const newest = await client.head.waitFor(height, options);
  const own = readFingerprint(client.head.fingerprint() ?? '');
  const known = own?.height === height ? own.hash : await hashAt(client, height, options.signal);
  if (known !== undefined && !known.startsWith(hash)) throw chainReset(newest.height);
}

/** The hash of a block; undefined if every node has pruned it. */
async function hashAt({ block }: ChainBlocks, height: bigint, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await block(height, signal)).blockId.hash;
  } catch (error) {
    if (isChainError(error, 'HEIGHT_PRUNED')) return undefined;
    throw error;
  }
}
