import type { HeadBlock, Rewind } from '../../wire/newestBlock.ts';
import type { NodeState } from '../nodes/nodeState.ts';
import { createAcceptedChain } from './acceptedChain.ts';
import type { Relation } from './chainTip.ts';
import { createClaimCheck } from './claimCheck.ts';
import { contradictingVoters, votersOf } from './majority.ts';
import { createWithdrawal } from './withdrawal.ts';

/** Options of {@link createAgreement}. */
export interface AgreementOptions {
  readonly nodes: readonly NodeState[];
  /** Asks every node for its `status`; resolves when all have answered or failed. */
  readonly askAll: () => Promise<unknown>;
  /** Called after the newest believed block was given up, with the nodes' states already set right. */
  readonly onRewind: (rewind: Rewind) => void;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/**
 * Decides which newest block is believed. A block that names the newest believed one as its predecessor is believed at once, without any
 * call. So is a height that most of the answering nodes have reached. Any other claim is checked on the node that makes it: one node
 * alone must have the block, beside others its headers must link it to the believed block. A node whose claim fails is refused until its
 * next claim that holds. The trust model: most of the nodes that answer are honest. The believed chain is given up only when most of all
 * nodes contradict it.
 */
export interface Agreement {
  /** The newest believed block; undefined until there is one. */
  newest(): HeadBlock | undefined;
  /** Takes in the newest block that a node reports. */
  claim(node: NodeState, block: HeadBlock): Relation;
  /** Checks a claim as far as it needs to be. Whether it is believed. Never rejects. */
  settle(node: NodeState, claim: HeadBlock): Promise<boolean>;
  /** Compares what all nodes claim after a round of `status`, and checks the claims that need it. Never rejects. */
  settleAll(): Promise<void>;
}

/** Claims this little above the believed block are left to the next event for one round: the blocks are on their way. */
const underWay = 3n;

/** Makes the agreement. */
export function createAgreement({ nodes, askAll, onRewind, signal }: AgreementOptions): Agreement {
  const accepted = createAcceptedChain(nodes, onRewind);
  const check = createClaimCheck({ nodes, accepted, askAll, signal });
  const withdrawal = createWithdrawal({ nodes, accepted, askAll, signal });
  /** The believed height when the last round was settled. */
  let settledAt = 0n;

  async function settle(node: NodeState, claim: HeadBlock): Promise<boolean> {
    accepted.agree();
    if (accepted.relation(claim) === 'AHEAD') await check(node, claim);
    if (node.opposes !== undefined) void withdrawal.decide();
    return node.opposes === undefined && node.unproven === undefined && accepted.relation(claim) === 'KNOWN';
  }

  /** Checks what nodes claim above the believed block. Claims that are a little above it have a round's time for their events to come. */
  async function settleAhead(): Promise<void> {
    const newest = accepted.newest()?.height ?? 0n;
    const slack = newest > settledAt ? underWay : 0n;
    settledAt = newest;
    const bold = nodes.filter(
      ({ responds, claim, wrongChain }) => responds && !wrongChain && claim !== undefined && claim.height > newest + slack,
    );
    // One after another from the lowest: the first block that is believed makes the next claim smaller.
    for (const node of bold.toSorted((a, b) => Number((a.claim?.height ?? 0n) - (b.claim?.height ?? 0n)))) {
      if (node.claim !== undefined) await settle(node, node.claim);
    }
  }

  return {
    newest: accepted.newest,
    claim: accepted.claim,
    settle,
    async settleAll() {
      accepted.agree();
      await withdrawal.dropOvertaken();
      await settleAhead();
      await withdrawal.dropUnlinked();
      await withdrawal.readmit();
      accepted.rememberEarliest();
      const against = contradictingVoters(nodes);
      if (against.length === 0) return;
      // Most others do not contradict the believed chain, so these are not asked until they do not either.
      if (against.length * 2 < votersOf(nodes).length) {
        for (const node of against)
          if (node.claim !== undefined && node.unproven === undefined) accepted.refuse(node, node.claim);
      }
      void withdrawal.decide();
    },
  };
}
