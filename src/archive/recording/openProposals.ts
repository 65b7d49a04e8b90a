import { LRUCache } from 'lru-cache';
import { integerAt, type Row, textAt } from '../database/database.ts';
import type { Fact, OpenProposals, ProposalFact, VoteFact } from '../facts.ts';
import type { RunRead } from '../store/archiveStore.ts';
import { proposalIn } from '../store/recordQueries.ts';
import { recordedVotesQuery, voteIn } from '../store/votes.ts';

type Open = Awaited<ReturnType<OpenProposals['open']>>[number];

/** The open proposals along one stream of blocks that are recorded in order. */
export interface OpenSet {
  /** What the recorder may read while it derives the facts of the block at `height`. */
  before(height: bigint): OpenProposals;
  /** Notes the facts of a block, of which the caller begins to store the facts next. */
  apply(facts: readonly Fact[]): void;
}

function openIn(row: Row): Open {
  return {
    id: integerAt(row, 'id'),
    groupPolicyAddress: textAt(row, 'policy_address'),
    votingPeriodEnd: BigInt(textAt(row, 'voting_end')),
  };
}

type Known = NonNullable<Awaited<ReturnType<OpenProposals['proposal']>>>;

/** The most bytes of proposals with their votes that are kept, about. */
const keptBytes = 4 * 1024 * 1024;

function sizeOf({ proposal: { title, summary, metadata, messages }, votes }: Known): number {
  const texts = 2 * (title.length + summary.length + metadata.length);
  return messages.reduce((sum, { value }) => sum + 200 + value.length, 1_000 + texts + 500 * votes.length);
}

/**
 * Reads the proposals that are open as of the height `base`, at which a stream of blocks begins. They are kept in memory: the recorder reads them with
 * each block. So are the proposals that the blocks concern, with their votes. `stored` resolves when everything that was applied is stored.
 */
export async function createOpenSet(run: RunRead, base: bigint, stored: () => Promise<void>): Promise<OpenSet> {
  const rows = await run(
    `SELECT id, policy_address, voting_end FROM proposals p WHERE closed > ? AND seen <= ?
       AND NOT EXISTS (SELECT 1 FROM prunes WHERE proposal_id = p.id AND seen <= ?) ORDER BY id`,
    [base, base, base],
  );
  const open = new Map(rows.map(openIn).map((proposal) => [proposal.id, proposal]));
  /** As they are stored. */
  const known = new LRUCache<bigint, Known>({ maxSize: keptBytes, sizeCalculation: sizeOf });
  /** Those that are not deleted and of which some facts were applied that {@link known} may not have. */
  const changed = new Set<bigint>();

  async function read(id: bigint, asOf: bigint): Promise<Known | null> {
    if (changed.has(id)) await stored();
    const [row] = await run('SELECT * FROM proposals WHERE id = ? AND seen <= ?', [id, asOf]);
    if (row === undefined) return null;
    const query = recordedVotesQuery(id, asOf);
    const votes = (await run(query.text, query.values)).map((vote) => {
      const { weight: _, ...fact } = voteIn(vote);
      return { kind: 'vote' as const, ...fact };
    });
    const found: Known = { proposal: { kind: 'proposal', ...proposalIn(row) }, votes };
    known.set(id, found);
    return found;
  }

  function applyProposal(fact: ProposalFact): void {
    const { id, groupPolicyAddress, votingPeriodEnd, submitted, groupId } = fact;
    open.set(id, { id, groupPolicyAddress, votingPeriodEnd });
    changed.add(id);
    // Of others, the archive may know more.
    if (submitted !== null && groupId !== null) known.set(id, { proposal: fact, votes: [] });
    else known.delete(id);
  }

  function applyVotes(votes: readonly VoteFact[]): void {
    for (const id of new Set(votes.map(({ proposalId }) => proposalId))) {
      changed.add(id);
      const before = known.get(id);
      const cast = votes.filter(({ proposalId }) => proposalId === id);
      if (before !== undefined) known.set(id, { ...before, votes: [...before.votes, ...cast] });
    }
  }

  return {
    before: (height) => ({
      open: async () => [...open.values()],
      proposal: async (id) => known.get(id) ?? (await read(id, height - 1n)),
    }),
    apply(facts) {
      for (const fact of facts) {
        if (fact.kind === 'proposal') applyProposal(fact);
        else if (fact.kind === 'close' || fact.kind === 'prune') open.delete(fact.proposalId);
      }
      applyVotes(facts.filter((fact) => fact.kind === 'vote'));
      for (const fact of facts) {
        if (fact.kind !== 'prune') continue;
        known.delete(fact.proposalId);
        changed.delete(fact.proposalId);
      }
    },
  };
}
