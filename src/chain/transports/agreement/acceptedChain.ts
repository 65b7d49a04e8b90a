import { inconsistent } from '../../base/errors.ts';
import type { HeadBlock, Rewind } from '../../wire/block.ts';
import type { NodeState } from '../nodes/nodeState.ts';
import { type ChainTip, createChainTip, type Relation } from './chainTip.ts';
import { reachedByMost, votersOf } from './majority.ts';

/**
 * The accepted chain, and the relation of each node's claim to it. A claim is the newest block that a node reports. This part
 * makes no calls.
 */
export interface AcceptedChain extends Pick<ChainTip, 'newest' | 'relation' | 'contradicts'> {
  /** The newest block that a majority of several nodes has reported. */
  confirmed(): HeadBlock | undefined;
  /** Whether header links or a majority lead to the newest accepted block. False if only a single node reported it. */
  isLinked(): boolean;
  setLinked(linked: boolean): void;
  /**
   * Records the newest block that a node reports and returns its relation to the accepted chain. The next block is accepted at
   * once.
   */
  recordClaim(node: NodeState, block: HeadBlock): Relation;
  /** Accepts a block above the newest one. */
  advance(block: HeadBlock): void;
  /** Accepts the block that a majority of several nodes has reached. */
  acceptMajority(): void;
  /** The block that a majority of nodes passed without confirming it; undefined if there is none. */
  overtaken(): HeadBlock | undefined;
  /**
   * Records whether a majority holds the overtaken block. If not, blocks that were confirmed after it no longer count as
   * common.
   */
  settleOvertaken(isHeld: boolean): void;
  /** Stores the oldest blocks that a majority of nodes reports, to recognize another chain by them. */
  rememberEarliest(): void;
  /** Counts a failed claim against a node. The node is refused until its next valid claim. */
  refuse(node: NodeState, claim: HeadBlock): void;
  /** Marks a node whose chain does not contain the accepted block `from`. */
  diverge(node: NodeState, from: HeadBlock): void;
  /** Readmits nodes that now have the accepted block they lacked. */
  readmit(nodes: readonly NodeState[]): void;
  /** Replaces the newest accepted block by `block`. */
  rewind(block: HeadBlock, kind: Rewind['kind']): void;
}

/** A block that a majority of nodes passed without confirming it, and the newest block that they had confirmed before. */
interface Overtaken {
  readonly block: HeadBlock;
  readonly confirmed: HeadBlock | undefined;
}

/** Makes an accepted chain without a block. `onRewind` is called after the states of the nodes were updated. */
export function createAcceptedChain(nodes: readonly NodeState[], onRewind: (rewind: Rewind) => void): AcceptedChain {
  const tip = createChainTip();
  let confirmed: HeadBlock | undefined;
  let linked = true;
  let overtaken: Overtaken | undefined;

  function updateNodes(): void {
    const newest = tip.newest();
    if (newest === undefined) return;
    for (const node of nodes) {
      if (node.claim === undefined || node.opposes !== undefined || node.wrongChain) continue;
      const height = node.claim.height < newest.height ? node.claim.height : newest.height;
      if (height > node.height) node.height = height;
      if (node.claim.height <= newest.height) node.unproven = undefined;
    }
  }

  function advance(block: HeadBlock): void {
    tip.advance(block);
    updateNodes();
  }

  function updateRelation(node: NodeState): Relation {
    if (node.claim === undefined) return 'KNOWN';
    const relation = node.diverged === undefined ? tip.relation(node.claim) : 'CONTRADICTS';
    if (relation !== 'CONTRADICTS') node.opposes = undefined;
    else node.opposes ??= inconsistent(node.claim.height);
    return relation;
  }

  function countContradiction(node: NodeState): void {
    node.contradictions += 1;
    node.lastErrorCode = 'NODE_INCONSISTENT';
  }

  function rememberEarliest(): void {
    const all = votersOf(nodes);
    for (const { status, opposes } of all) {
      if (status === undefined || opposes !== undefined) continue;
      const same = all.filter((other) => other.status?.earliestHash === status.earliestHash);
      if (same.length * 2 > all.length) tip.remember(status.earliestHeight, status.earliestHash);
    }
  }

  return {
    newest: tip.newest,
    relation: tip.relation,
    contradicts: tip.contradicts,
    confirmed: () => confirmed,
    isLinked: () => linked,
    setLinked(value) {
      linked = value;
    },
    recordClaim(node, block) {
      node.claim = block;
      const relation = updateRelation(node);
      const { status } = node;
      if (status !== undefined && tip.contradicts(status.earliestHeight, status.earliestHash)) {
        node.opposes ??= inconsistent(status.earliestHeight);
      }
      if (node.opposes !== undefined) return 'CONTRADICTS';
      if (relation === 'NEXT') advance(block);
      else updateNodes();
      return relation;
    },
    advance,
    acceptMajority() {
      const all = votersOf(nodes);
      if (all.length < 2) return;
      const block = reachedByMost(
        all.filter(({ opposes }) => opposes === undefined),
        all.length,
      );
      if (block === undefined) return;
      const newest = tip.newest();
      if (newest === undefined || block.height > newest.height) {
        // The previous block came from a single node, and no link leads from it to this one.
        if (newest !== undefined && (confirmed === undefined || newest.height > confirmed.height)) {
          overtaken ??= { block: newest, confirmed };
        }
        linked = true;
        advance(block);
      }
      if (confirmed === undefined || block.height > confirmed.height) confirmed = block;
    },
    overtaken: () => overtaken?.block,
    settleOvertaken(isHeld) {
      if (!isHeld) confirmed = overtaken?.confirmed;
      overtaken = undefined;
    },
    rememberEarliest,
    refuse(node, { height }) {
      node.unproven = inconsistent(height);
      countContradiction(node);
    },
    diverge(node, from) {
      node.diverged = from;
      node.opposes ??= inconsistent(from.height);
      countContradiction(node);
    },
    readmit(some) {
      for (const node of some) {
        node.diverged = undefined;
        updateRelation(node);
      }
      updateNodes();
    },
    rewind(block, kind) {
      const common = kind === 'RESET' ? 0n : (confirmed?.height ?? 0n);
      const kept = common < block.height ? common : block.height - 1n;
      tip.rewind(block, kept);
      confirmed = undefined;
      overtaken = undefined;
      for (const node of nodes) {
        Object.assign(node, { opposes: undefined, diverged: undefined, height: 0n });
        updateRelation(node);
      }
      linked = true;
      updateNodes();
      rememberEarliest();
      onRewind({ kind, newest: block, kept });
    },
  };
}
