import { inconsistent, isChainError } from '../../base/errors.ts';
import type { HeadBlock } from '../../wire/block.ts';
import type { NodeState } from '../nodes/nodeState.ts';
import type { AcceptedChain } from './acceptedChain.ts';
import { followedBlocks, followLinks, isNoResponse, readBlock, readClaimed } from './claimProof.ts';
import { votersOf } from './majority.ts';

/** From this gap on, in blocks, `status` is read from all nodes before the headers of one are followed. */
const smallGap = 20n;

/** Options of {@link createClaimCheck}. */
export interface ClaimCheckOptions {
  readonly nodes: readonly NodeState[];
  readonly accepted: AcceptedChain;
  /** Calls `status` on every node. Resolves when all calls have ended. */
  readonly refreshStatus: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/**
 * Makes the verification of claims above the accepted block. A valid claim is accepted; a node with an invalid one is refused.
 * Checks of one node run one after another. The returned function never rejects.
 */
export function createClaimCheck(options: ClaimCheckOptions): (node: NodeState, claim: HeadBlock) => Promise<void> {
  const { nodes, accepted, refreshStatus, signal } = options;

  /**
   * Verifies the claim of a single node, which must have the block. Resolves with whether the node also has the accepted block,
   * if it still stores that height.
   */
  async function checkAlone(node: NodeState, claim: HeadBlock, base: HeadBlock): Promise<boolean> {
    const reading = readClaimed(node, claim);
    reading.catch(() => undefined);
    if (base.height + 1n >= (node.status?.earliestHeight ?? 0n)) {
      const next = claim.height === base.height + 1n ? reading : readBlock(node, base.height + 1n, claim.chainId);
      if ((await next).header.lastBlockId.hash !== base.hash) return false;
    }
    await reading;
    return true;
  }

  /**
   * Verifies that the node's headers link its claim to the accepted block, unless a majority accepts the height meanwhile.
   * Resolves with whether the node has the accepted block.
   */
  async function checkLinks(node: NodeState, claim: HeadBlock, base: HeadBlock): Promise<boolean> {
    if (claim.height - base.height > smallGap) {
      await refreshStatus();
      accepted.acceptMajority();
    }
    const from = accepted.newest() ?? base;
    if (from.height >= claim.height) return true;
    if (claim.height - from.height > followedBlocks) throw inconsistent(claim.height);
    try {
      await followLinks(node, from, claim, accepted.contradicts);
      return true;
    } catch (error) {
      if (!isChainError(error, 'NODE_INCONSISTENT') || error.facts.height !== from.height + 1n) throw error;
      accepted.diverge(node, from);
      return false;
    }
  }

  async function check(node: NodeState, claim: HeadBlock): Promise<void> {
    if (accepted.relation(claim) !== 'AHEAD') return;
    const base = accepted.newest();
    const isAlone = votersOf(nodes).length < 2;
    if (base === undefined) {
      // If only one node is configured, it is the majority.
      if (nodes.length > 1) await readClaimed(node, claim);
      accepted.setLinked(false);
    } else if (isAlone || claim.height === base.height + 1n) {
      if (!(await checkAlone(node, claim, base))) return accepted.diverge(node, base);
      if (isAlone && claim.height > base.height + 1n) accepted.setLinked(false);
    } else if (!(await checkLinks(node, claim, base))) {
      return;
    }
    const now = accepted.newest();
    if (now === undefined || claim.height > now.height) accepted.advance(claim);
  }

  return async (node, claim) => {
    const before = node.proof;
    const proof = (async () => {
      await before;
      try {
        await check(node, claim);
      } catch (error) {
        // A failed call does not disprove the claim. It is verified again when the node repeats it.
        if (!isNoResponse(error) && !signal.aborted) accepted.refuse(node, claim);
      }
    })();
    node.proof = proof;
    await proof;
    if (node.proof === proof) node.proof = undefined;
  };
}
