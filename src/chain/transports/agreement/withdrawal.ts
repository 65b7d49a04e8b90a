import { inconsistent } from '../../base/errors.ts';
import { pause } from '../../base/waiting.ts';
import type { NodeState } from '../nodes/nodeState.ts';
import type { AcceptedChain } from './acceptedChain.ts';
import { followedBlocks, followLinks, holdsBlock, isNoResponse } from './claimProof.ts';
import { areMostOf, contradictingVoters, reachedByMost, votersOf } from './majority.ts';

/** How long a contradiction must last, ms, before the chain counts as reset: a restart behind a proxy may show two chains for a moment. */
const contradictionLasts = 500;

/** What {@link createWithdrawal} takes. */
export interface WithdrawalOptions {
  readonly nodes: readonly NodeState[];
  readonly accepted: AcceptedChain;
  /** Asks every node for its `status`; resolves when all have answered or failed. */
  readonly askAll: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** Gives up what was believed, where most nodes show that it was wrong. None of this rejects. */
export interface Withdrawal {
  /** Follows most nodes to a lower block if the believed one has no links and nobody can prove it. */
  dropUnlinked(): Promise<void>;
  /**
   * Leaves a block that one node alone reported if most nodes have passed it and do not hold it. Costs one call of each node, and only if most
   * nodes passed a block before any round of `status` confirmed it.
   */
  dropOvertaken(): Promise<void>;
  /** Takes nodes back that have the believed block by now. */
  readmit(): Promise<void>;
  /** Gives the believed chain up if most nodes contradict it, have done so for a while, and have the blocks that they report. */
  decide(): Promise<void>;
}

/** Makes it. */
export function createWithdrawal({ nodes, accepted, askAll, signal }: WithdrawalOptions): Withdrawal {
  /** The height that most nodes had when they last were below a believed block without links. */
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
      const lower = reachedByMost(all, all.length);
      if (lower === undefined) return;
      if (lower.height + 1n >= newest.height) return accepted.setLinked(true);
      const witness = all.find(({ claim }) => claim !== undefined && claim.height >= newest.height);
      if (witness !== undefined) {
        try {
          if (newest.height - lower.height > followedBlocks) throw inconsistent(newest.height);
          await followLinks(witness, lower, newest, accepted.contradicts);
          accepted.setLinked(true);
        } catch (error) {
          if (isNoResponse(error) || signal.aborted) return;
          rewind(lower, 'WITHDRAWN');
          accepted.refuse(witness, newest);
        }
        return;
      }
      // Nobody has the block. It was no lie if the others are merely behind, so it is left only once they go on without it.
      if (lowerHeight !== undefined && lower.height > lowerHeight) rewind(lower, 'WITHDRAWN');
      else lowerHeight = lower.height;
    },
    async dropOvertaken() {
      const block = accepted.overtaken();
      if (block === undefined) return;
      const asked = votersOf(nodes).filter(({ claim }) => claim !== undefined && claim.height > block.height);
      const held = await Promise.all(asked.map((node) => holdsBlock(node, block).catch(() => undefined)));
      if (accepted.overtaken() !== block) return;
      const holders = asked.filter((_, index) => held[index] === true);
      const others = asked.filter((_, index) => held[index] === false);
      if (areMostOf(nodes, others)) {
        const newest = reachedByMost(others, votersOf(nodes).length) ?? accepted.newest() ?? block;
        accepted.settleOvertaken(false);
        rewind(newest, 'WITHDRAWN');
      } else if (areMostOf(nodes, holders)) accepted.settleOvertaken(true);
    },
    async readmit() {
      const back: NodeState[] = [];
      for (const node of nodes) {
        const { diverged } = node;
        if (diverged === undefined || !node.responds) continue;
        const isBack = await holdsBlock(node, diverged).catch(() => false);
        if (isBack && node.diverged === diverged) back.push(node);
      }
      accepted.readmit(back);
    },
    async decide() {
      if (deciding || !areMostOf(nodes, contradictingVoters(nodes))) return;
      deciding = true;
      try {
        await pause(contradictionLasts, signal);
        await askAll();
        const sure: NodeState[] = [];
        for (const node of contradictingVoters(nodes)) {
          const { claim } = node;
          if (claim !== undefined && (await holdsBlock(node, claim))) sure.push(node);
        }
        const voters = votersOf(nodes).length;
        const block = reachedByMost(sure, voters);
        if (block === undefined || !areMostOf(nodes, sure)) return;
        const anchor = accepted.confirmed();
        const [first] = sure;
        const isLie = voters > 1 && anchor !== undefined && first !== undefined && (await holdsBlock(first, anchor));
        rewind(block, isLie ? 'WITHDRAWN' : 'RESET');
      } catch {
        // Closed, or a node fell silent: the next contradiction begins it again.
      } finally {
        deciding = false;
      }
    },
  };
}
