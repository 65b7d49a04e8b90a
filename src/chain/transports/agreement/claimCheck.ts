import { inconsistent, isChainError } from '../../base/errors.ts';
import type { HeadBlock } from '../../wire/newestBlock.ts';
import type { NodeState } from '../nodes/nodeState.ts';
import type { AcceptedChain } from './acceptedChain.ts';
import { followedBlocks, followLinks, isNoResponse, readBlock, readClaimed } from './claimProof.ts';
import { votersOf } from './majority.ts';

/** Gap, in blocks, from which on all nodes are asked again before one of them is followed. */
const smallGap = 20n;

/** What {@link createClaimCheck} takes. */
export interface ClaimCheckOptions {
  readonly nodes: readonly NodeState[];
  readonly accepted: AcceptedChain;
  /** Asks every node for its `status`; resolves when all have answered or failed. */
  readonly askAll: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/**
 * Makes the check of claims that are ahead of the believed block, on the nodes that make them. A claim that holds is believed; a node whose
 * claim fails is refused. Checks of one node run one after another. The check never rejects.
 */
export function createClaimCheck(options: ClaimCheckOptions): (node: NodeState, claim: HeadBlock) => Promise<void> {
  const { nodes, accepted, askAll, signal } = options;

  /** Checks the claim of a node that is alone: it must have the block. Whether it has the believed block too, as far as it keeps that. */
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

  /** Checks that the node's headers link its claim to the believed block, unless most nodes agree meanwhile. Whether the node has the believed block. */
  async function checkLinks(node: NodeState, claim: HeadBlock, base: HeadBlock): Promise<boolean> {
    if (claim.height - base.height > smallGap) {
      await askAll();
      accepted.agree();
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
      // The only node that is configured is most of them.
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
        // Silence is no proof of a lie: the claim is checked again when it is made again.
        if (!isNoResponse(error) && !signal.aborted) accepted.refuse(node, claim);
      }
    })();
    node.proof = proof;
    await proof;
    if (node.proof === proof) node.proof = undefined;
  };
}
