import { inconsistent } from '../../base/errors.ts';
import { pause } from '../../base/waiting.ts';
import type { NodeState } from '../nodes/nodeState.ts';
import type { AcceptedChain } from './acceptedChain.ts';
import { followedBlocks, followLinks, holdsBlock, isNoResponse } from './claimProof.ts';
import { areMostOf, contradictingVoters, reachedByMost, votersOf } from './majority.ts';

/**
 * Time in ms that a contradiction must last before the chain counts as reset. During a restart behind a proxy, two chains may
 * appear for a moment.
 */
const contradictionLasts = 500;

/** Options of {@link createWithdrawal}. */
export interface WithdrawalOptions {
  readonly nodes: readonly NodeState[];
  readonly accepted: AcceptedChain;
  /** Calls `status` on every node. Resolves when all calls have ended. */
  readonly refreshStatus: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** Withdraws the accepted block if a majority of nodes shows that it is wrong. No function rejects. */
export interface Withdrawal {
  /**
   * Goes back to the majority's lower block if the accepted block has no links and no node proves it. Claims that contradict the
   * accepted chain do not count: `decide` handles them.
   */
  dropUnlinked(): Promise<void>;
  /**
   * Withdraws a block that only one node reported if a majority has passed it and does not hold it. It calls each node once,
   * and only if a majority passed a block before a round of `status` confirmed it.
   */
  dropOvertaken(): Promise<void>;
  /** Readmits nodes that now have the accepted block. */
  readmit(): Promise<void>;
  /**
   * Replaces the accepted chain if a majority of nodes contradicts it, has done so for a while, and has the blocks that it
   * reports.
   */
  decide(): Promise<void>;
}

/** Makes the withdrawal. */
export function createWithdrawal({ nodes, accepted, refreshStatus, signal }: WithdrawalOptions): Withdrawal {
  /** The majority's height when it was last below an accepted block without links. */
  let lowerHeight: bigint | undefined;
  let deciding = false;

  const rewind: AcceptedChain['rewind'] = (block, kind) => {
    lowerHeight = undefined;
    accepted.rewind(block, kind);
  };

  return {
    async dropUnlinked() {
      const newest = accepted.newest();
      const all = votersOf(nodes);
      if (accepted.isLinked() || newest === undefined || all.length < 2) return;
      const following = all.filter(({ opposes }) => opposes === undefined);
      const lower = reachedByMost(following, all.length);
      if (lower === undefined) return;
      if (lower.height + 1n >= newest.height) return accepted.setLinked(true);
      const holder = following.find(({ claim }) => claim !== undefined && claim.height >= newest.height);
      if (holder !== undefined) {
        try {
          if (newest.height - lower.height > followedBlocks) throw inconsistent(newest.height);
          await followLinks(holder, lower, newest, accepted.contradicts);
          accepted.setLinked(true);
        } catch (error) {
          if (isNoResponse(error) || signal.aborted) return;
          rewind(lower, 'WITHDRAWN');
          accepted.refuse(holder, newest);
        }
        return;
      }
      // No node has the block. The others may just be behind, so it is withdrawn only once they continue without it.
      if (lowerHeight !== undefined && lower.height > lowerHeight) rewind(lower, 'WITHDRAWN');
      else lowerHeight = lower.height;
    },
    async dropOvertaken() {
      const block = accepted.overtaken();
      if (block === undefined) return;
      const called = votersOf(nodes).filter(({ claim }) => claim !== undefined && claim.height > block.height);
      const held = await Promise.all(called.map((node) => holdsBlock(node, block).catch(() => undefined)));
      if (accepted.overtaken() !== block) return;
      const holders = called.filter((_, index) => held[index] === true);
      const others = called.filter((_, index) => held[index] === false);
      if (areMostOf(nodes, others)) {
        const newest = reachedByMost(others, votersOf(nodes).length) ?? accepted.newest() ?? block;
        accepted.settleOvertaken(false);
        rewind(newest, 'WITHDRAWN');
      } else if (areMostOf(nodes, holders)) accepted.settleOvertaken(true);
    },
    async readmit() {
      const readmitted: NodeState[] = [];
      for (const node of nodes) {
        const { diverged } = node;
        if (diverged === undefined || !node.responds) continue;
        const hasBlock = await holdsBlock(node, diverged).catch(() => false);
        if (hasBlock && node.diverged === diverged) readmitted.push(node);
      }
      accepted.readmit(readmitted);
    },
    async decide() {
      if (deciding || !areMostOf(nodes, contradictingVoters(nodes))) return;
      deciding = true;
      try {
        await pause(contradictionLasts, signal);
        await refreshStatus();
        const proven: NodeState[] = [];
        for (const node of contradictingVoters(nodes)) {
          const { claim } = node;
          if (claim !== undefined && (await holdsBlock(node, claim))) proven.push(node);
        }
        const voters = votersOf(nodes).length;
        const block = reachedByMost(proven, voters);
        if (block === undefined || !areMostOf(nodes, proven)) return;
        const lastConfirmed = accepted.confirmed();
        const [first] = proven;
        const hasCommonBlock =
          voters > 1 && lastConfirmed !== undefined && first !== undefined && (await holdsBlock(first, lastConfirmed));
        rewind(block, hasCommonBlock ? 'WITHDRAWN' : 'RESET');
      } catch {
        // Closed, or a node did not respond. The next contradiction starts over.
      } finally {
        deciding = false;
      }
    },
  };
}
