import { LRUCache } from 'lru-cache';
import { integerAt, type Row, textAt } from '../database/database.ts';
import type { Fact, OpenProposals, ProposalFact, VoteFact } from '../facts.ts';
import type { RunRead } from '../store/archiveStore.ts';
import { proposalIn } from '../store/recordQueries.ts';
import { recordedVotesQuery, voteIn } from '../store/votes.ts';

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
  return messages.reduce((sum, { value }) => sum + 200 + value.length, 1_000 + texts + 500 * votes.length);
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

  function applyVotes(votes: readonly VoteFact[]): void {
    for (const id of new Set(votes.map(({ proposalId }) => proposalId))) {
      changed.add(id);
      const before = proposals.get(id);
      const newVotes = votes.filter(({ proposalId }) => proposalId === id);
      if (before !== undefined) proposals.set(id, { ...before, votes: [...before.votes, ...newVotes] });
    }
  }

  return {
    /** What the recorder may read while it derives the facts of the block at `height`. */
    before: (height: bigint): OpenProposals => ({
      open: async () => [...open.values()],
      proposal: async (id) => proposals.get(id) ?? (await read(id, height - 1n)),
    }),
    /** Notes the facts of a block, of which the caller begins to store the facts next. */
    apply(facts: readonly Fact[]): void {
      for (const fact of facts) {
        if (fact.kind === 'proposal') applyProposal(fact);
        else if (fact.kind === 'close' || fact.kind === 'prune') open.delete(fact.proposalId);
      }
      applyVotes(facts.filter((fact) => fact.kind === 'vote'));
      for (const fact of facts) {
        if (fact.kind !== 'prune') continue;
        proposals.delete(fact.proposalId);
        changed.delete(fact.proposalId);
      }
    },
  };
}
