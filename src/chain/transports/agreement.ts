import { inconsistent, isChainError } from '../errors.ts';
import type { HeadBlock, NodeStatus, Rewind } from '../newestBlock.ts';
import { createChainTip, type Relation } from './chainTip.ts';
import { followedBlocks, followLinks, holdsBlock, isSilence, readBlock, readClaimed } from './claimProof.ts';
import type { NodeState } from './nodeState.ts';
import { pause } from './waiting.ts';

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

/** Gap, in blocks, from which on all nodes are asked again before one of them is followed. */
const smallGap = 20n;

/** How long a contradiction must last, ms, before the chain counts as reset: a restart behind a proxy may show two chains for a moment. */
const contradictionLasts = 500;

/** Makes the agreement. */
export function createAgreement({ nodes, askAll, onRewind, signal }: AgreementOptions): Agreement {
  const tip = createChainTip();
  /** The newest block that most of several nodes reported. */
  let confirmed: HeadBlock | undefined;
  /** Whether links or a majority lead to the believed block; not so for the word of a node that was alone. */
  let linked = true;
  /** The height that most nodes had when they last were below a believed block without links. */
  let lowerHeight: bigint | undefined;
  /** The believed height when the last round was settled. */
  let settledAt = 0n;
  let deciding = false;

  /** Nodes whose word counts: those that answer, without those that catch up if others do not. */
  function voters(): readonly NodeState[] {
    const up = nodes.filter(({ responds, claim, wrongChain }) => responds && claim !== undefined && !wrongChain);
    const synced = up.filter(({ status }) => status?.catchingUp !== true);
    return synced.length > 0 ? synced : up;
  }

  /** The highest claim that more than half of the voters have reached, of these nodes alone. */
  function reachedByMost(of: readonly NodeState[]): HeadBlock | undefined {
    const claims = of.flatMap(({ claim }) => claim ?? []).toSorted((a, b) => Number(b.height - a.height));
    return claims[Math.floor(voters().length / 2)];
  }

  function raise(): void {
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
    raise();
  }

  function relate(node: NodeState): Relation {
    if (node.claim === undefined) return 'KNOWN';
    const relation = node.diverged === undefined ? tip.relation(node.claim) : 'CONTRADICTS';
    if (relation !== 'CONTRADICTS') node.opposes = undefined;
    else node.opposes ??= inconsistent(node.claim.height);
    return relation;
  }

  function checkEarliest(node: NodeState, { earliestHeight, earliestHash }: NodeStatus): void {
    if (tip.contradicts(earliestHeight, earliestHash)) node.opposes ??= inconsistent(earliestHeight);
  }

  /** Believes what most nodes have reached, without any call. */
  function agree(): void {
    const all = voters();
    if (all.length < 2) return;
    const block = reachedByMost(all.filter(({ opposes }) => opposes === undefined));
    if (block === undefined) return;
    const newest = tip.newest();
    if (newest === undefined || block.height > newest.height) {
      linked = true;
      advance(block);
    }
    if (confirmed === undefined || block.height > confirmed.height) confirmed = block;
  }

  function rememberEarliest(): void {
    const all = voters();
    for (const { status, opposes } of all) {
      if (status === undefined || opposes !== undefined) continue;
      const same = all.filter((other) => other.status?.earliestHash === status.earliestHash);
      if (same.length * 2 > all.length) tip.remember(status.earliestHeight, status.earliestHash);
    }
  }

  function refuse(node: NodeState, { height }: HeadBlock): void {
    node.unproven = inconsistent(height);
    node.contradictions += 1;
    node.lastErrorCode = 'NODE_INCONSISTENT';
  }

  /** The node has a chain without this believed block. */
  function diverge(node: NodeState, from: HeadBlock): void {
    node.diverged = from;
    node.opposes ??= inconsistent(from.height);
    node.contradictions += 1;
    node.lastErrorCode = 'NODE_INCONSISTENT';
  }

  /** Takes nodes back that have the believed block by now. */
  async function takeBack(): Promise<void> {
    for (const node of nodes) {
      const { diverged } = node;
      if (diverged === undefined || !node.responds) continue;
      const isBack = await holdsBlock(node, diverged).catch(() => false);
      if (!isBack || node.diverged !== diverged) continue;
      node.diverged = undefined;
      relate(node);
    }
    raise();
  }

  function rewind(block: HeadBlock, kind: Rewind['kind']): void {
    tip.rewind(block, kind === 'RESET' ? -1n : (confirmed?.height ?? -1n));
    confirmed = undefined;
    lowerHeight = undefined;
    for (const node of nodes) {
      Object.assign(node, { opposes: undefined, diverged: undefined, height: 0n });
      relate(node);
    }
    linked = true;
    raise();
    rememberEarliest();
    onRewind({ kind, newest: block });
  }

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

  /** Checks a claim that is ahead. */
  async function check(node: NodeState, claim: HeadBlock): Promise<void> {
    if (tip.relation(claim) !== 'AHEAD') return;
    const base = tip.newest();
    const isAlone = voters().length < 2;
    if (base === undefined || isAlone || claim.height === base.height + 1n) {
      if (base !== undefined && !(await checkAlone(node, claim, base))) return diverge(node, base);
      if (base === undefined) await readClaimed(node, claim);
      if (isAlone && base !== undefined && claim.height > base.height + 1n) linked = false;
      if (base === undefined) linked = false;
    } else {
      if (claim.height - base.height > smallGap) {
        await askAll();
        agree();
      }
      const from = tip.newest() ?? base;
      if (from.height >= claim.height) return;
      if (claim.height - from.height > followedBlocks) throw inconsistent(claim.height);
      try {
        await followLinks(node, from, claim, tip.contradicts);
      } catch (error) {
        if (isChainError(error, 'NODE_INCONSISTENT') && error.facts.height === from.height + 1n) return diverge(node, from);
        throw error;
      }
    }
    const now = tip.newest();
    if (now === undefined || claim.height > now.height) advance(claim);
  }

  async function settle(node: NodeState, claim: HeadBlock): Promise<boolean> {
    agree();
    if (tip.relation(claim) === 'AHEAD') {
      const before = node.proof;
      const proof = (async () => {
        await before;
        try {
          await check(node, claim);
        } catch (error) {
          // Silence is no proof of a lie: the claim is checked again when it is made again.
          if (!isSilence(error) && !signal.aborted) refuse(node, claim);
        }
      })();
      node.proof = proof;
      await proof;
      if (node.proof === proof) node.proof = undefined;
    }
    if (node.opposes !== undefined) void decide();
    return node.opposes === undefined && node.unproven === undefined && tip.relation(claim) === 'KNOWN';
  }

  /** Follows most nodes to a lower block if the believed one has no links and nobody can prove it. */
  async function leaveUnlinked(): Promise<void> {
    const newest = tip.newest();
    const all = voters();
    if (linked || newest === undefined || all.length < 2) return;
    const lower = reachedByMost(all);
    if (lower === undefined) return;
    if (lower.height + 1n >= newest.height) {
      linked = true;
      return;
    }
    const witness = all.find(({ claim }) => claim !== undefined && claim.height >= newest.height);
    if (witness !== undefined) {
      try {
        if (newest.height - lower.height > followedBlocks) throw inconsistent(newest.height);
        await followLinks(witness, lower, newest, tip.contradicts);
        linked = true;
      } catch (error) {
        if (isSilence(error) || signal.aborted) return;
        rewind(lower, 'WITHDRAWN');
        refuse(witness, newest);
      }
      return;
    }
    // Nobody has the block. It was no lie if the others are merely behind, so it is left only once they go on without it.
    if (lowerHeight !== undefined && lower.height > lowerHeight) rewind(lower, 'WITHDRAWN');
    else lowerHeight = lower.height;
  }

  const opponents = (): readonly NodeState[] => voters().filter(({ opposes }) => opposes !== undefined);
  /** Of all nodes, not only of those that answer: a node that is alone for a moment does not replace the chain of the others. */
  const areMost = (some: readonly NodeState[]): boolean =>
    some.length * 2 > nodes.filter(({ wrongChain }) => !wrongChain).length;

  /** Gives the believed chain up if most nodes contradict it, have done so for a while, and have the blocks that they report. */
  async function decide(): Promise<void> {
    if (deciding || !areMost(opponents())) return;
    deciding = true;
    try {
      await pause(contradictionLasts, signal);
      await askAll();
      const sure: NodeState[] = [];
      for (const node of opponents()) {
        const claim = node.claim;
        if (claim !== undefined && (await holdsBlock(node, claim))) sure.push(node);
      }
      const block = reachedByMost(sure);
      if (block === undefined || !areMost(sure)) return;
      const anchor = confirmed;
      const [first] = sure;
      const isLie = voters().length > 1 && anchor !== undefined && first !== undefined && (await holdsBlock(first, anchor));
      rewind(block, isLie ? 'WITHDRAWN' : 'RESET');
    } catch {
      // Closed, or a node fell silent: the next contradiction begins it again.
    } finally {
      deciding = false;
    }
  }

  return {
    newest: tip.newest,
    claim(node, block) {
      node.claim = block;
      const relation = relate(node);
      if (node.status !== undefined) checkEarliest(node, node.status);
      if (node.opposes !== undefined) return 'CONTRADICTS';
      if (relation === 'NEXT') advance(block);
      else raise();
      return relation;
    },
    settle,
    async settleAll() {
      agree();
      const newest = tip.newest()?.height ?? 0n;
      const slack = newest > settledAt ? underWay : 0n;
      settledAt = newest;
      const bold = nodes.filter(
        ({ responds, claim, wrongChain }) => responds && !wrongChain && claim !== undefined && claim.height > newest + slack,
      );
      // One after another from the lowest: the first block that is believed makes the next claim smaller.
      for (const node of bold.toSorted((a, b) => Number((a.claim?.height ?? 0n) - (b.claim?.height ?? 0n)))) {
        if (node.claim !== undefined) await settle(node, node.claim);
      }
      await leaveUnlinked();
      await takeBack();
      rememberEarliest();
      const against = opponents();
      if (against.length === 0) return;
      // Most others do not contradict the believed chain, so these are not asked until they do not either.
      if (against.length * 2 < voters().length) {
        for (const node of against) if (node.claim !== undefined && node.unproven === undefined) refuse(node, node.claim);
      }
      void decide();
    },
  };
}
