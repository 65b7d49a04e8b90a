import type { HeadBlock, Rewind } from '../../wire/block.ts';
import type { NodeState } from '../nodes/nodeState.ts';
import { createAcceptedChain } from './acceptedChain.ts';
import type { Relation } from './chainTip.ts';
import { createClaimCheck } from './claimCheck.ts';
import { contradictingVoters, votersOf } from './majority.ts';
import { createWithdrawal } from './withdrawal.ts';

/** Options of {@link createAgreement}. */
export interface AgreementOptions {
  readonly nodes: readonly NodeState[];
  /** Calls `status` on every node. Resolves when all calls have ended. */
  readonly refreshStatus: () => Promise<unknown>;
  /** Called after the newest accepted block was replaced and the states of the nodes were updated. */
  readonly onRewind: (rewind: Rewind) => void;
  /** Aborts pending work. */
  readonly signal: AbortSignal;
}

/**
 * Decides which newest block Stele accepts. A block whose header names the newest accepted block as its predecessor is accepted
 * at once, without a call. So is a height that a majority of the responding nodes has reached. Any other claim is verified on
 * the node that makes it: a single node must have the block; beside others, its headers must link the block to the accepted
 * chain. A node whose claim fails is refused until its next valid claim.
 *
 * The trust model: a majority of the responding nodes is honest. The accepted chain is replaced only if a majority of all nodes
 * contradicts it.
 */
export interface Agreement {
  /** The newest accepted block; undefined before the first. */
  newest(): HeadBlock | undefined;
  /** Records the newest block that a node reports. */
  recordClaim(node: NodeState, block: HeadBlock): Relation;
  /** Verifies a claim if necessary. Resolves with whether the block is accepted. Never rejects. */
  settle(node: NodeState, claim: HeadBlock): Promise<boolean>;
  /** Compares the claims of all nodes after a round of `status`, and verifies those that need it. Never rejects. */
  settleAll(): Promise<void>;
}

/** Claims up to this many blocks above the accepted one wait for one round, because their events are usually on the way. */
const underWay = 3n;

/** Makes the agreement. */
export function createAgreement({ nodes, refreshStatus, onRewind, signal }: AgreementOptions): Agreement {
  const accepted = createAcceptedChain(nodes, onRewind);
  const check = createClaimCheck({ nodes, accepted, refreshStatus, signal });
  const withdrawal = createWithdrawal({ nodes, accepted, refreshStatus, signal });
  /** The accepted height at the end of the last round. */
  let settledAt = 0n;

  async function settle(node: NodeState, claim: HeadBlock): Promise<boolean> {
    accepted.acceptMajority();
    if (accepted.relation(claim) === 'AHEAD') await check(node, claim);
    if (node.opposes !== undefined) void withdrawal.decide();
    return node.opposes === undefined && node.unproven === undefined && accepted.relation(claim) === 'KNOWN';
  }

  /** Verifies claims above the accepted block. Claims that are slightly above it get one round of time for their events. */
  async function settleAhead(): Promise<void> {
    const newest = accepted.newest()?.height ?? 0n;
    const slack = newest > settledAt ? underWay : 0n;
    settledAt = newest;
    const ahead = nodes.filter(
      ({ responds, claim, wrongChain }) => responds && !wrongChain && claim !== undefined && claim.height > newest + slack,
    );
    // In ascending order: each accepted block shortens the way to the next claim.
    for (const node of ahead.toSorted((a, b) => Number((a.claim?.height ?? 0n) - (b.claim?.height ?? 0n)))) {
      if (node.claim !== undefined) await settle(node, node.claim);
    }
  }

  return {
    newest: accepted.newest,
    recordClaim: accepted.recordClaim,
    settle,
    async settleAll() {
      accepted.acceptMajority();
      await withdrawal.dropOvertaken();
      await settleAhead();
      await withdrawal.dropUnlinked();
      await withdrawal.readmit();
      accepted.rememberEarliest();
      const contradicting = contradictingVoters(nodes);
      if (contradicting.length === 0) return;
      // The majority follows the accepted chain, so these nodes are refused until they follow it too.
      if (contradicting.length * 2 < votersOf(nodes).length) {
        for (const node of contradicting)
          if (node.claim !== undefined && node.unproven === undefined) accepted.refuse(node, node.claim);
      }
      void withdrawal.decide();
    },
  };
}
