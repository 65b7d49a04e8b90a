import type { RecordedTally } from '../../src/archive/facts.ts';
import type { ProposalRecord, VoteRecord } from '../../src/archive/records.ts';
import type { ArchiveReader } from '../../src/archive/store/reader.ts';
import { tallyOf } from '../../src/archive/store/votes.ts';
import { recordPages, recordVotePages } from '../../src/modules/records/export.ts';
import { decimal } from '../../src/reads/decimal.ts';

/** A proposal whose recomputed tally differs from the chain's. */
export interface Disagreement {
  readonly id: bigint;
  readonly chain: RecordedTally;
  readonly computed: RecordedTally;
}

/** What an audit of all tallies found. */
export interface AuditResult {
  /** Recorded proposals. */
  readonly proposals: bigint;
  /** Recorded votes. */
  readonly votes: bigint;
  /** Tallies that equal the chain's. */
  readonly agree: bigint;
  /** Closed proposals without a tally of the chain, or whose votes or members are not known. */
  readonly notComparable: bigint;
  /** Tallies that differ. */
  readonly differ: bigint;
}

const counts = ['yesCount', 'abstainCount', 'noCount', 'noWithVetoCount'] as const;

function areEqual(one: RecordedTally, other: RecordedTally): boolean {
  return counts.every((count) => decimal(one[count]).eq(decimal(other[count])));
}

/** Items of each page that is read. */
const pageSize = 200;

const options = { size: pageSize, beforePage: async () => undefined };

async function votesOf(reader: ArchiveReader, record: ProposalRecord): Promise<readonly VoteRecord[]> {
  const votes: VoteRecord[] = [];
  for await (const page of recordVotePages(reader, record, options)) votes.push(...page);
  return votes;
}

/**
 * Recomputes the tally of each closed proposal from the recorded votes and the weights of the members at the close, and compares it with the tally of
 * the chain. Calls `onDisagreement` for each that differs. Only the votes of one proposal are in memory.
 */
export async function auditTallies(
  reader: ArchiveReader,
  asOf: bigint,
  onDisagreement: (found: Disagreement) => void,
): Promise<AuditResult> {
  let [proposals, votes, agree, notComparable, differ] = [0n, 0n, 0n, 0n, 0n];
  for await (const records of recordPages(reader, {}, asOf, options)) {
    for (const record of records) {
      const cast = await votesOf(reader, record);
      proposals += 1n;
      votes += BigInt(cast.length);
      const { close, electorateVersion } = record;
      if (close === null) continue;
      // The recorder computes a tally only if it knows the votes and the members.
      if (close.tally === null || close.computed === null || electorateVersion === null) {
        notComparable += 1n;
        continue;
      }
      const computed = tallyOf(cast);
      if (areEqual(computed, close.tally)) agree += 1n;
      else {
        differ += 1n;
        onDisagreement({ id: record.id, chain: close.tally, computed });
      }
    }
  }
  return { proposals, votes, agree, notComparable, differ };
}
