import type { Row } from '../database/connection.ts';
import { integerAt, textAt } from '../database/row.ts';
import type { Fact, OpenProposals } from '../facts.ts';
import type { RunRead } from '../store/archiveStore.ts';
import { proposalIn } from '../store/recordQuery.ts';
import { recordedVotesQuery, voteIn } from '../store/voteQueries.ts';

type Open = Awaited<ReturnType<OpenProposals['open']>>[number];

/** The open proposals along one stream of blocks that are recorded in order. */
export interface OpenSet {
  /** What the recorder may read while it derives the facts of the block at `height`. */
  before(height: bigint): OpenProposals;
  /** Notes the facts of a block that was recorded. */
  apply(facts: readonly Fact[]): void;
}

function openIn(row: Row): Open {
  return {
    id: integerAt(row, 'id'),
    groupPolicyAddress: textAt(row, 'policy_address'),
    votingPeriodEnd: BigInt(textAt(row, 'voting_end')),
  };
}

/**
 * Reads the proposals that are open as of the height `base`, at which a stream of blocks begins. They are kept in memory: the recorder reads them with
 * each block.
 */
export async function createOpenSet(run: RunRead, base: bigint): Promise<OpenSet> {
  const rows = await run(
    `SELECT id, policy_address, voting_end FROM proposals p WHERE closed > ? AND seen <= ?
       AND NOT EXISTS (SELECT 1 FROM prunes WHERE proposal_id = p.id AND seen <= ?) ORDER BY id`,
    [base, base, base],
  );
  const open = new Map(rows.map(openIn).map((proposal) => [proposal.id, proposal]));

  return {
    before: (height) => ({
      open: async () => [...open.values()],
      async proposal(id) {
        const asOf = height - 1n;
        const [row] = await run('SELECT * FROM proposals WHERE id = ? AND seen <= ?', [id, asOf]);
        if (row === undefined) return null;
        const query = recordedVotesQuery(id, asOf);
        const votes = (await run(query.text, query.values)).map((vote) => {
          const { weight: _, ...fact } = voteIn(vote);
          return { kind: 'vote' as const, ...fact };
        });
        return { proposal: { kind: 'proposal', ...proposalIn(row) }, votes };
      },
    }),
    apply(facts) {
      for (const fact of facts) {
        if (fact.kind === 'proposal') {
          const { id, groupPolicyAddress, votingPeriodEnd } = fact;
          open.set(id, { id, groupPolicyAddress, votingPeriodEnd });
        } else if (fact.kind === 'close' || fact.kind === 'prune') open.delete(fact.proposalId);
      }
    },
  };
}
