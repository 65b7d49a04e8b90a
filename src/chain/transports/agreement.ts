import { inconsistent, isChainError } from '../base/errors.ts';
import { pause } from '../base/time.ts';
import type { HeadBlock, Rewind } from '../wire/block.ts';
import { followedBlocks, followLinks, holdsBlock, isNoResponse, readBlock, readClaimed } from './claimProof.ts';
import type { NodeState } from './nodeState.ts';

/**
 * The relation of a block to the accepted chain. KNOWN: at or below the newest accepted block, without a contradiction. NEXT:
 * its header names the newest accepted block as its predecessor. AHEAD: above the newest accepted block, without such a link.
 * CONTRADICTS: it cannot be part of the same chain.
 */
export type Relation = 'KNOWN' | 'NEXT' | 'AHEAD' | 'CONTRADICTS';

interface AgreementOptions {
  readonly nodes: readonly NodeState[];
  /** Calls `status` on every node. Resolves when all calls have ended. */
  readonly refreshStatus: () => Promise<unknown>;
  /** Called after the newest accepted block was replaced and the states of the nodes were updated. */
  readonly onRewind: (rewind: Rewind) => void;
  readonly signal: AbortSignal;
}

/** Claims up to this many blocks above the accepted one wait for one round of `status`, because their events are usually on the way. */
const underWay = 3n;

/** A dispute ends when no node has renewed it for this many blocks. */
const disputeLifetime = 16n;

/**
 * Decides whether nodes disagree, and which newest block Stele accepts. Two nodes disagree if they report different blocks at one height: the
 * block that most of the reporting nodes have is right. If two blocks have equally many, no node is used for calls from that height on, until one has more
 * or the dispute has not been renewed for some blocks.
 *
 * A claim is the newest block that a node reports. A block whose header names the newest accepted block as its predecessor is accepted
 * at once, without a call. So is a height that a majority of the responding nodes has reached. Any other claim is verified on
 * the node that makes it: a single node must have the block; beside others, its headers must link the block to the accepted
 * chain. A node whose claim fails is refused until its next valid claim.
 *
 * The trust model: a majority of the responding nodes is honest. The accepted chain is replaced only if a majority of all nodes
 * contradicts it.
 */
export function createAgreement(options: AgreementOptions) {
  const { nodes, onRewind } = options;
  let votes = createBlockVotes<NodeState>();
  const accepted = new AcceptedChain(nodes, (rewind) => {
    votes = createBlockVotes();
    for (const node of nodes) Object.assign(node, { contradicts: false, dispute: undefined, disputedAt: 0n, prunedAt: 0n });
    onRewind(rewind);
  });
  const check = createClaimCheck(accepted, options);
  const withdrawal = createWithdrawal(accepted, options);
  /** The accepted height at the end of the last round. */
  let settledAt = 0n;

  /** Verifies a claim if necessary. Resolves with whether the block is accepted. Never rejects. */
  async function settle(node: NodeState, claim: HeadBlock): Promise<boolean> {
    accepted.acceptMajority();
    if (accepted.relation(claim) === 'AHEAD') await check(node, claim);
    if (node.opposes !== undefined) void withdrawal.decide();
    return node.opposes === undefined && node.unproven === undefined && accepted.relation(claim) === 'KNOWN';
  }

  /** Verifies claims above the accepted block. Claims that are slightly above it get one round of time for their events. */
  async function settleAhead(): Promise<void> {
    const newest = accepted.newest?.height ?? 0n;
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
    accepted,
    /** Records the newest block that a node reports, and compares it with the blocks of other nodes at its height. */
    recordBlock(node: NodeState, block: HeadBlock): Relation {
      // A chain without blocks makes no claim.
      if (block.height === 0n) return 'KNOWN';
      const relation = accepted.recordClaim(node, block);
      const { agreed, contradicting, disputing } = votes.cast(node, block.height, block.hash);
      if (block.height > node.disputedAt + disputeLifetime) node.dispute = undefined;
      for (const each of agreed) Object.assign(each, { contradicts: false, dispute: undefined });
      for (const each of contradicting) Object.assign(each, { contradicts: true, dispute: undefined });
      for (const each of disputing) {
        each.dispute ??= inconsistent(block.height);
        each.disputedAt = block.height;
      }
      for (const each of [...contradicting, ...disputing]) countContradiction(each);
      return relation;
    },
    settle,
    /** Compares the claims of all nodes after a round of `status`, and verifies those that need it. Never rejects. */
    async settleAll(): Promise<void> {
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

function countContradiction(node: NodeState): void {
  node.contradictions += 1;
  node.lastErrorCode = 'NODE_INCONSISTENT';
}

/** The nodes that hold the majority's block at a height, and those that hold another one. */
interface VoteResult<N> {
  readonly agreed: readonly N[];
  readonly contradicting: readonly N[];
  /** Nodes that hold different blocks, none of which has a majority. None of them is accepted or refused. */
  readonly disputing: readonly N[];
}

/** Number of heights whose votes are stored. Nodes in sync report the same height within a few blocks. */
const votedHeights = 16;

/**
 * The blocks that nodes hold at each height. Blocks are final, so two blocks at one height mean a wrong node or another chain
 * (docs/security.md, T40).
 */
export function createBlockVotes<N>() {
  const heights = new Map<bigint, Map<N, string>>();
  return {
    /** Records the block of a node at a height. The result is empty until two nodes have reported that height. */
    cast(node: N, height: bigint, hash: string): VoteResult<N> {
      const reported = heights.get(height) ?? new Map<N, string>();
      heights.set(height, reported.set(node, hash));
      const [oldest] = heights.keys();
      if (heights.size > votedHeights && oldest !== undefined) heights.delete(oldest);
      if (reported.size < 2) return { agreed: [], contradicting: [], disputing: [] };

      const counts = new Map<string, number>();
      for (const each of reported.values()) counts.set(each, (counts.get(each) ?? 0) + 1);
      const most = Math.max(...counts.values());
      const [winner, ...others] = [...counts].filter(([, count]) => count === most).map(([each]) => each);
      const all = [...reported.keys()];
      if (others.length > 0) return { agreed: [], contradicting: [], disputing: all };
      return {
        agreed: all.filter((each) => reported.get(each) === winner),
        contradicting: all.filter((each) => reported.get(each) !== winner),
        disputing: [],
      };
    },
  };
}

/** Nodes that count for a majority: those that respond, without those that are catching up unless all of them are. */
function votersOf(nodes: readonly NodeState[]): readonly NodeState[] {
  const responding = nodes.filter(({ responds, claim, wrongChain }) => responds && claim !== undefined && !wrongChain);
  const synced = responding.filter(({ status }) => status?.catchingUp !== true);
  return synced.length > 0 ? synced : responding;
}

/** The highest block that more than half of `voters` nodes have reached, among `nodes`; undefined if those are too few. */
function reachedByMost(nodes: readonly NodeState[], voters: number): HeadBlock | undefined {
  const claims = nodes.flatMap(({ claim }) => claim ?? []).toSorted((a, b) => Number(b.height - a.height));
  return claims[Math.floor(voters / 2)];
}

/**
 * Whether `part` are more than half of all nodes, including nodes that do not respond. So a node that is temporarily alone does
 * not replace the chain of the others.
 */
function areMostOf(nodes: readonly NodeState[], part: readonly NodeState[]): boolean {
  return part.length * 2 > nodes.filter(({ wrongChain }) => !wrongChain).length;
}

/** Voters whose claims contradict the accepted chain. */
function contradictingVoters(nodes: readonly NodeState[]): readonly NodeState[] {
  return votersOf(nodes).filter(({ opposes }) => opposes !== undefined);
}

/** Number of hashes of the newest blocks that are stored. Nodes in sync report heights within a few blocks. */
const newestHashes = 64;

/** Number of hashes of old blocks that are stored: the oldest blocks that nodes reported. */
const oldestHashes = 16;

/** Stores the hash of a height, and drops the oldest of more than `limit`. */
function putHash(hashes: Map<bigint, string>, limit: number, height: bigint, hash: string): void {
  hashes.set(height, hash);
  const [first] = hashes.keys();
  if (hashes.size > limit && first !== undefined) hashes.delete(first);
}

/** The accepted chain, and the relation of each node's claim to it. Makes no calls. */
class AcceptedChain {
  /** The newest accepted block; undefined before the first. */
  newest: HeadBlock | undefined;
  /** The newest block that a majority of several nodes has reported. */
  confirmed: HeadBlock | undefined;
  /** Whether header links or a majority lead to the newest accepted block. False if only a single node reported it. */
  isLinked = true;
  /** A block that a majority of nodes passed without confirming it, and the newest block that they had confirmed before. */
  overtaken: { readonly block: HeadBlock; readonly confirmed: HeadBlock | undefined } | undefined;
  readonly #nodes: readonly NodeState[];
  readonly #onRewind: (rewind: Rewind) => void;
  /** Hashes of the newest accepted blocks, and of the oldest blocks that nodes reported. */
  readonly #hashes = new Map<bigint, string>();
  readonly #oldHashes = new Map<bigint, string>();

  constructor(nodes: readonly NodeState[], onRewind: (rewind: Rewind) => void) {
    this.#nodes = nodes;
    this.#onRewind = onRewind;
  }

  /** Whether the accepted chain has another hash at this height. False if its hash is not stored. */
  contradicts(height: bigint, hash: string): boolean {
    const acceptedHash = this.#hashes.get(height) ?? this.#oldHashes.get(height);
    return acceptedHash !== undefined && hash !== '' && acceptedHash !== hash;
  }

  relation(block: HeadBlock): Relation {
    const { newest } = this;
    if (newest === undefined) return 'AHEAD';
    if (this.contradicts(block.height, block.hash) || this.contradicts(block.height - 1n, block.lastHash)) return 'CONTRADICTS';
    if (block.height > newest.height) {
      return block.height === newest.height + 1n && block.lastHash === newest.hash ? 'NEXT' : 'AHEAD';
    }
    // Block times increase within a chain, so a lower block with a later time belongs to another chain.
    const isLater = block.height < newest.height && Date.parse(block.time) > Date.parse(newest.time);
    return isLater ? 'CONTRADICTS' : 'KNOWN';
  }

  /** Records the newest block that a node reports, and accepts it at once if it is the next block. */
  recordClaim(node: NodeState, block: HeadBlock): Relation {
    node.claim = block;
    const relation = this.#updateRelation(node, block);
    const { status } = node;
    if (status !== undefined && this.contradicts(status.earliestHeight, status.earliestHash)) {
      node.opposes ??= inconsistent(status.earliestHeight);
    }
    if (node.opposes !== undefined) return 'CONTRADICTS';
    this.advance(relation === 'NEXT' ? block : undefined);
    return relation;
  }

  #updateRelation(node: NodeState, claim: HeadBlock): Relation {
    const relation = node.diverged === undefined ? this.relation(claim) : 'CONTRADICTS';
    if (relation !== 'CONTRADICTS') node.opposes = undefined;
    else node.opposes ??= inconsistent(claim.height);
    return relation;
  }

  /** Accepts a block, and updates the heights of the nodes that follow the chain. Without a block, the newest one stays. */
  advance(block = this.newest): void {
    if (block === undefined) return;
    this.newest = block;
    putHash(this.#hashes, newestHashes, block.height, block.hash);
    for (const node of this.#nodes) {
      if (node.claim === undefined || node.opposes !== undefined || node.wrongChain) continue;
      const height = node.claim.height < block.height ? node.claim.height : block.height;
      if (height > node.height) node.height = height;
      if (node.claim.height <= block.height) node.unproven = undefined;
    }
  }

  /** Accepts the block that a majority of several nodes has reached. */
  acceptMajority(): void {
    const all = votersOf(this.#nodes);
    if (all.length < 2) return;
    const following = all.filter(({ opposes }) => opposes === undefined);
    const block = reachedByMost(following, all.length);
    if (block === undefined) return;
    const { newest, confirmed } = this;
    if (newest === undefined || block.height > newest.height) {
      // The previous block came from a single node, and no link leads from it to this one.
      if (newest !== undefined && (confirmed === undefined || newest.height > confirmed.height)) {
        this.overtaken ??= { block: newest, confirmed };
      }
      this.isLinked = true;
      this.advance(block);
    }
    if (confirmed === undefined || block.height > confirmed.height) this.confirmed = block;
  }

  /** Ends the doubt about the overtaken block. If no majority holds it, blocks that were confirmed after it do not count as common. */
  settleOvertaken(isHeld: boolean): void {
    if (!isHeld) this.confirmed = this.overtaken?.confirmed;
    this.overtaken = undefined;
  }

  /** Stores the oldest blocks that a majority of nodes reports, to recognize another chain by them. */
  rememberEarliest(): void {
    const all = votersOf(this.#nodes);
    for (const { status, opposes } of all) {
      if (status === undefined || opposes !== undefined) continue;
      const { earliestHeight, earliestHash } = status;
      const agreeing = all.filter((other) => other.status?.earliestHash === earliestHash);
      if (agreeing.length * 2 <= all.length || earliestHash === '') continue;
      if (!this.#hashes.has(earliestHeight) && !this.#oldHashes.has(earliestHeight))
        putHash(this.#oldHashes, oldestHashes, earliestHeight, earliestHash);
    }
  }

  /** Counts a failed claim against a node. The node is refused until its next valid claim. */
  refuse(node: NodeState, { height }: HeadBlock): void {
    node.unproven = inconsistent(height);
    countContradiction(node);
  }

  /** Marks a node whose chain does not contain the accepted block `block`. */
  diverge(node: NodeState, block: HeadBlock): void {
    node.diverged = block;
    node.opposes ??= inconsistent(block.height);
    countContradiction(node);
  }

  /** Readmits nodes that now have the accepted block they lacked. */
  readmit(readmitted: readonly NodeState[]): void {
    for (const node of readmitted) {
      node.diverged = undefined;
      if (node.claim !== undefined) this.#updateRelation(node, node.claim);
    }
    this.advance();
  }

  /** Makes `block` the newest block, whatever the previous one was. Hashes above the last common height are removed. */
  rewind(block: HeadBlock, kind: Rewind['kind']): void {
    const commonMax = kind === 'RESET' ? 0n : (this.confirmed?.height ?? 0n);
    const commonHeight = commonMax < block.height ? commonMax : block.height - 1n;
    for (const map of [this.#hashes, this.#oldHashes])
      for (const height of [...map.keys()]) if (height > commonHeight) map.delete(height);
    this.newest = block;
    putHash(this.#hashes, newestHashes, block.height, block.hash);
    this.confirmed = undefined;
    this.overtaken = undefined;
    for (const node of this.#nodes) {
      Object.assign(node, { opposes: undefined, diverged: undefined, height: 0n });
      if (node.claim !== undefined) this.#updateRelation(node, node.claim);
    }
    this.isLinked = true;
    this.advance(block);
    this.rememberEarliest();
    this.#onRewind({ kind, newest: block, kept: commonHeight });
  }
}

/** From this gap on, in blocks, `status` is read from all nodes before the headers of one are followed. */
const smallGap = 20n;

/**
 * Makes the verification of claims above the accepted block. A valid claim is accepted; a node with an invalid one is refused.
 * Checks of one node run one after another. The returned function never rejects.
 */
function createClaimCheck(accepted: AcceptedChain, { nodes, refreshStatus, signal }: AgreementOptions) {
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
    const start = accepted.newest ?? base;
    if (start.height >= claim.height) return true;
    if (claim.height - start.height > followedBlocks) throw inconsistent(claim.height);
    try {
      await followLinks(node, start, claim, accepted);
      return true;
    } catch (error) {
      if (!isChainError(error, 'NODE_INCONSISTENT') || error.facts.height !== start.height + 1n) throw error;
      accepted.diverge(node, start);
      return false;
    }
  }

  async function check(node: NodeState, claim: HeadBlock): Promise<void> {
    if (accepted.relation(claim) !== 'AHEAD') return;
    const base = accepted.newest;
    const isAlone = votersOf(nodes).length < 2;
    if (base === undefined) {
      // If only one node is configured, it is the majority.
      if (nodes.length > 1) await readClaimed(node, claim);
      accepted.isLinked = false;
    } else if (isAlone || claim.height === base.height + 1n) {
      if (!(await checkAlone(node, claim, base))) return accepted.diverge(node, base);
      if (isAlone && claim.height > base.height + 1n) accepted.isLinked = false;
    } else if (!(await checkLinks(node, claim, base))) {
      return;
    }
    const newest = accepted.newest;
    if (newest === undefined || claim.height > newest.height) accepted.advance(claim);
  }

  return async (node: NodeState, claim: HeadBlock): Promise<void> => {
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

/**
 * Time in ms that a contradiction must last before the chain counts as reset. During a restart behind a proxy, two chains may appear for a moment.
 */
const contradictionLasts = 500;

/** Withdraws the accepted block if a majority of nodes shows that it is wrong. No function rejects. */
function createWithdrawal(accepted: AcceptedChain, { nodes, refreshStatus, signal }: AgreementOptions) {
  /** The majority's height when it was last below an accepted block without links. */
  let lowerHeight: bigint | undefined;
  let isDeciding = false;

  const rewind: AcceptedChain['rewind'] = (block, kind) => {
    lowerHeight = undefined;
    accepted.rewind(block, kind);
  };

  return {
    /**
     * Goes back to the majority's lower block if the accepted block has no links and no node proves it. Claims that contradict the
     * accepted chain do not count: `decide` handles them.
     */
    async dropUnlinked(): Promise<void> {
      const newest = accepted.newest;
      const all = votersOf(nodes);
      if (accepted.isLinked || newest === undefined || all.length < 2) return;
      const following = all.filter(({ opposes }) => opposes === undefined);
      const lower = reachedByMost(following, all.length);
      if (lower === undefined) return;
      if (lower.height + 1n >= newest.height) {
        accepted.isLinked = true;
        return;
      }
      const holder = following.find(({ claim }) => claim !== undefined && claim.height >= newest.height);
      if (holder !== undefined) {
        try {
          if (newest.height - lower.height > followedBlocks) throw inconsistent(newest.height);
          await followLinks(holder, lower, newest, accepted);
          accepted.isLinked = true;
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
    /**
     * Withdraws a block that only one node reported if a majority has passed it and does not hold it. It calls each node once,
     * and only if a majority passed a block before a round of `status` confirmed it.
     */
    async dropOvertaken(): Promise<void> {
      const block = accepted.overtaken?.block;
      if (block === undefined) return;
      const askedNodes = votersOf(nodes).filter(({ claim }) => claim !== undefined && claim.height > block.height);
      const isHeld = await Promise.all(askedNodes.map((node) => holdsBlock(node, block).catch(() => undefined)));
      if (accepted.overtaken?.block !== block) return;
      const holders = askedNodes.filter((_, index) => isHeld[index] === true);
      const others = askedNodes.filter((_, index) => isHeld[index] === false);
      if (areMostOf(nodes, others)) {
        const newest = reachedByMost(others, votersOf(nodes).length) ?? accepted.newest ?? block;
        accepted.settleOvertaken(false);
        rewind(newest, 'WITHDRAWN');
      } else if (areMostOf(nodes, holders)) accepted.settleOvertaken(true);
    },
    /** Readmits nodes that now have the accepted block. */
    async readmit(): Promise<void> {
      const readmitted: NodeState[] = [];
      for (const node of nodes) {
        const { diverged } = node;
        if (diverged === undefined || !node.responds) continue;
        const hasBlock = await holdsBlock(node, diverged).catch(() => false);
        if (hasBlock && node.diverged === diverged) readmitted.push(node);
      }
      accepted.readmit(readmitted);
    },
    /** Replaces the accepted chain if a majority of nodes contradicts it, has done so for a while, and has the blocks that it reports. */
    async decide(): Promise<void> {
      if (isDeciding || !areMostOf(nodes, contradictingVoters(nodes))) return;
      isDeciding = true;
      try {
        await pause(contradictionLasts, signal);
        await refreshStatus();
        const provenNodes: NodeState[] = [];
        for (const node of contradictingVoters(nodes)) {
          const { claim } = node;
          if (claim !== undefined && (await holdsBlock(node, claim))) provenNodes.push(node);
        }
        const voters = votersOf(nodes).length;
        const block = reachedByMost(provenNodes, voters);
        if (block === undefined || !areMostOf(nodes, provenNodes)) return;
        const lastConfirmed = accepted.confirmed;
        const [first] = provenNodes;
        const hasCommonBlock =
          voters > 1 && lastConfirmed !== undefined && first !== undefined && (await holdsBlock(first, lastConfirmed));
        rewind(block, hasCommonBlock ? 'WITHDRAWN' : 'RESET');
      } catch {
        // Closed, or a node did not respond. The next contradiction starts over.
      } finally {
        isDeciding = false;
      }
    },
  };
}
