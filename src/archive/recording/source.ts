import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { isChainError } from '../../chain/base/errors.ts';
import { type Nanoseconds, parseTime } from '../../chain/base/time.ts';
import type { CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import type { Client } from '../../chain/client.ts';
import { explainRequests } from '../../chain/proofs/answerProofs.ts';
import { asObject, type JsonObject, type JsonValue } from '../../chain/wire/json.ts';
import { createPin } from '../../reads/pin.ts';
import { integerAt, type Row, textAt } from '../database/database.ts';
import type { EarlierFacts, EarlierLife, Fact, OpenProposals, ProposalFact, Recorder, VoteFact } from '../facts.ts';
import { type BlockContents, contentsOf } from '../full/contents.ts';
import type { ProofSubject } from '../proofs.ts';
import type { RunRead } from '../store/archiveStore.ts';
import { openGovVotesIn, openGovVotesQuery } from '../store/govQueries.ts';
import type { RangeStart } from '../store/ranges.ts';
import { proposalIn } from '../store/recordQueries.ts';
import { recordedVotesQuery, voteIn } from '../store/votes.ts';

/** The lowest base of a range: there is no state below the first block. */
export const lowestBase = 1n;

/** The bounds of a proof that is kept. */
const proofBounds = { maxKeys: 20_000, maxBytes: 8 * 1024 * 1024 };

interface SourceBlock {
  readonly height: bigint;
  readonly hash: string;
  /** The hash of the previous block, as its header names it. */
  readonly previousHash: string;
  readonly time?: Nanoseconds | undefined;
  /** The application hash after the previous block. */
  readonly appHash?: string | undefined;
  /** What mode FULL records of it; absent if nothing is. */
  readonly contents?: BlockContents | undefined;
  /** Derives the facts. Rejects with a node's error; a later call tries again. */
  facts(recorded: OpenProposals): Promise<readonly Fact[]>;
}

export interface BlockName {
  readonly height: bigint;
  readonly hash: string;
}

export type RecordingSource = ReturnType<typeof createRecordingSource>;

/**
 * Where the archive gets blocks and facts: from the block log of a client, and from a recorder. `keeps` returns whether the contents of a block of this
 * time are recorded; undefined if none are.
 */
export function createRecordingSource(client: Client, recorder: Recorder, keeps: ((time: Nanoseconds) => boolean) | undefined) {
  function keptOf(block: CommittedBlock): BlockContents | undefined {
    return keeps?.(parseTime(block.header.time)) ? contentsOf(block) : undefined;
  }

  const proofs = client.answerProofs;

  async function firstContents(signal: AbortSignal): Promise<BlockContents | undefined> {
    for await (const block of client.blocks.from(lowestBase - 1n, { signal })) return keptOf(block);
    return undefined;
  }

  return {
    /** The newest block; undefined until a node has responded. */
    newest: (): BlockName | undefined => client.head.current(),
    /** Resolves with the newest block as soon as one is known. Rejects with a node's error or the signal's reason. */
    ready: (signal: AbortSignal): Promise<BlockName> => client.head.ready({ signal }),
    /** Every block above `after`, in order, as `BlockLog.from` yields them. */
    async *blocks(after: bigint, signal: AbortSignal): AsyncIterableIterator<SourceBlock> {
      for await (const block of client.blocks.from(after, { signal })) {
        const { height, time, appHash, lastBlockId } = block.header;
        yield {
          height,
          hash: block.blockId.hash,
          previousHash: lastBlockId.hash,
          time: parseTime(time),
          appHash,
          contents: keeps && keptOf(block),
          facts: (recorded) =>
            recorder.block(block, createPin(client, height - 1n, { signal }), createPin(client, height, { signal }), recorded),
        };
      }
    },
    hashAt: async (height: bigint, signal: AbortSignal): Promise<string> => (await client.block(height, signal)).blockId.hash,
    /** What the state at a height shows, and the contents of the first block, which no range begins below. Rejects with HEIGHT_PRUNED if no node has it any more. */
    async start(height: bigint, signal: AbortSignal): Promise<RangeStart> {
      const { blockId, header } = await client.block(height, signal);
      const facts = await recorder.start(createPin(client, height, { signal }));
      const contents = height === lowestBase ? await firstContents(signal) : undefined;
      return { height, hash: blockId.hash, time: parseTime(header.time), facts, contents };
    },
    /** The roots of the stores after a block. Never rejects. */
    rootsAfter: client.roots.treesAfter,
    /** As {@link Recorder.absent} at the newest height. Rejects with a node's error. */
    async absent(signal: AbortSignal): Promise<readonly string[]> {
      const { height } = await client.head.ready({ signal });
      return recorder.absent(createPin(client, height, { signal }));
    },
    /** Calls `listener` when the chain describes other types than before. Returns a function that removes the listener. */
    onUpgrade: (listener: () => void): (() => void) => client.descriptors.onReplaced(listener),
    /** What blocks and events up to the base of a range show of a proposal before it. Rejects as `Recorder.earlier`. */
    earlier: (life: EarlierLife, signal: AbortSignal): Promise<EarlierFacts> =>
      recorder.earlier(life, createPin(client, life.base, { signal })),
    /**
     * Proves a proposal, its votes and its electorate: returns the bundle, with the validators of the next header. Absent if nothing is verified. Rejects with PROOF_UNAVAILABLE,
     * and with the errors of nodes that cannot be reached.
     */
    prove:
      proofs &&
      (async (subject: ProofSubject, signal: AbortSignal): Promise<JsonObject> => {
        const explain = explainRequests(recorder.proofRequests(subject));
        const { bundle } = await proofs.of(subject.height, explain, { ...proofBounds, signal });
        const json: JsonValue = JSON.parse(JSON.stringify(bundle));
        return asObject(json, 'proof');
      }),
    /** Calls `listener` when the chain restarted under the same id. Returns a function that removes the listener. */
    onReset: (listener: () => void): (() => void) =>
      client.head.onRewind(({ kind }) => {
        if (kind === 'RESET') listener();
      }),
  };
}

/** Waits before the next try. `failures` is the number of failures in a row. Rejects when the recording ends. */
export type Wait = (failures: number, signal: AbortSignal) => Promise<void>;

/** Whether an error of a node may pass. HEIGHT_PRUNED and blocks that contradict each other do not. */
export function mayPass(error: unknown): boolean {
  return isChainError(error) && !['HEIGHT_PRUNED', 'NODE_INCONSISTENT', 'CHAIN_RESET'].includes(error.code);
}

/** Derives the facts of a block. An error of a node is tried again after a wait, for as long as it persists. */
export async function deriveFacts(
  block: SourceBlock,
  recorded: OpenProposals,
  signal: AbortSignal,
  wait: Wait,
): Promise<readonly Fact[]> {
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    try {
      return await block.facts(recorded);
    } catch (error) {
      signal.throwIfAborted();
      if (!mayPass(error)) throw error;
      await wait(failures, signal);
    }
  }
}

/** The proposals of whose close the chain's tally differs from the computed one. */
export function disagreements(facts: readonly Fact[]): readonly bigint[] {
  const proposalIds: bigint[] = [];
  for (const fact of facts) {
    const isTallied = fact.kind === 'close' || fact.kind === 'govStep';
    if (!isTallied || fact.tally === null || fact.computed === null) continue;
    if (!isDeepStrictEqual({ ...fact.tally }, { ...fact.computed })) proposalIds.push(fact.proposalId);
  }
  return proposalIds;
}

type Open = Awaited<ReturnType<OpenProposals['open']>>[number];

function openIn(row: Row): Open {
  return {
    id: integerAt(row, 'id'),
    groupPolicyAddress: textAt(row, 'policy_address'),
    votingPeriodEnd: BigInt(textAt(row, 'voting_end')),
  };
}

type ProposalWithVotes = NonNullable<Awaited<ReturnType<OpenProposals['proposal']>>>;

/** The most bytes of proposals with their votes that are kept, about. */
const keptBytes = 4 * 1024 * 1024;

function sizeOf({ proposal: { title, summary, metadata, messages }, votes }: ProposalWithVotes): number {
  const texts = 2 * (title.length + summary.length + metadata.length);
  let size = 1_000 + texts + 500 * votes.length;
  for (const { value } of messages) size += 200 + value.length;
  return size;
}

/**
 * Reads the proposals that are open as of the height `base`, at which a stream of blocks begins. They are kept in memory: the recorder reads them with
 * each block. So are the proposals that the blocks concern, with their votes. `stored` resolves when everything that was applied is stored.
 */
export async function createOpenSet(run: RunRead, base: bigint, stored: () => Promise<void>) {
  const rows = await run(
    `SELECT id, policy_address, voting_end FROM proposals p WHERE closed > ? AND seen <= ?
       AND NOT EXISTS (SELECT 1 FROM prunes WHERE proposal_id = p.id AND seen <= ?) ORDER BY id`,
    [base, base, base],
  );
  const open = new Map(rows.map(openIn).map((proposal) => [proposal.id, proposal]));
  const proposals = new LRUCache<bigint, ProposalWithVotes>({ maxSize: keptBytes, sizeCalculation: sizeOf });
  /** Proposals that changed since they were last written to {@link proposals}. Deleted ones are left out. */
  const changed = new Set<bigint>();
  /** Proposals of the governance module with votes that may not be stored yet. */
  const voted = new Set<bigint>();

  async function read(id: bigint, asOf: bigint): Promise<ProposalWithVotes | null> {
    if (changed.has(id)) await stored();
    const [row] = await run('SELECT * FROM proposals WHERE id = ? AND seen <= ?', [id, asOf]);
    if (row === undefined) return null;
    const query = recordedVotesQuery(id, asOf);
    const votes = (await run(query.text, query.values)).map((vote) => {
      const { weight: _, ...fact } = voteIn(vote);
      return { kind: 'vote' as const, ...fact };
    });
    const withVotes: ProposalWithVotes = { proposal: { kind: 'proposal', ...proposalIn(row) }, votes };
    proposals.set(id, withVotes);
    return withVotes;
  }

  function applyProposal(fact: ProposalFact): void {
    const { id, groupPolicyAddress, votingPeriodEnd, submitted, groupId } = fact;
    open.set(id, { id, groupPolicyAddress, votingPeriodEnd });
    changed.add(id);
    // Of others, the archive may know more.
    if (submitted !== null && groupId !== null) proposals.set(id, { proposal: fact, votes: [] });
    else proposals.delete(id);
  }

  return {
    /** What the recorder may read while it derives the facts of the block at `height`. */
    before: (height: bigint): OpenProposals => ({
      open: async () => [...open.values()],
      proposal: async (id) => proposals.get(id) ?? (await read(id, height - 1n)),
      async govVotes(id) {
        if (voted.delete(id)) await stored();
        const { text, values } = openGovVotesQuery(id, height - 1n);
        return openGovVotesIn(await run(text, values));
      },
    }),
    /** Notes the facts of a block, of which the caller begins to store the facts next. */
    apply(facts: readonly Fact[]): void {
      const votes = new Map<bigint, VoteFact[]>();
      for (const fact of facts) {
        if (fact.kind === 'govVote' || fact.kind === 'govStep') voted.add(fact.proposalId);
        else if (fact.kind === 'proposal') applyProposal(fact);
        else if (fact.kind === 'close' || fact.kind === 'prune') open.delete(fact.proposalId);
        else if (fact.kind === 'vote') {
          const others = votes.get(fact.proposalId);
          if (others === undefined) votes.set(fact.proposalId, [fact]);
          else others.push(fact);
        }
      }
      for (const [id, newVotes] of votes) {
        changed.add(id);
        const before = proposals.get(id);
        if (before !== undefined) proposals.set(id, { ...before, votes: [...before.votes, ...newVotes] });
      }
      for (const fact of facts) {
        if (fact.kind !== 'prune') continue;
        proposals.delete(fact.proposalId);
        changed.delete(fact.proposalId);
      }
    },
  };
}
