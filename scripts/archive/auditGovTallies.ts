import type { RecordedTally } from '../../src/archive/facts.ts';
import type { GovProposalRecord, GovVoteRecord } from '../../src/archive/govRecords.ts';
import type { GovReader } from '../../src/archive/store/govReader.ts';
import { govOptions } from '../../src/modules/gov/tally.ts';
import { govRecordPages, govRecordVotePages } from '../../src/modules/records/govExport.ts';
import { roundsOf } from '../../src/modules/records/govParts.ts';
import { decOf, decTimes, oneDec } from '../../src/reads/decimal.ts';
import type { AuditResult } from './auditTallies.ts';

/** A voting period whose recomputed tally differs from the chain's, or from the one that was computed when it was recorded. */
export interface GovDisagreement {
  readonly id: bigint;
  readonly round: number;
  readonly chain: RecordedTally;
  readonly recorded: RecordedTally;
  readonly computed: RecordedTally;
}

const counts = ['yesCount', 'abstainCount', 'noCount', 'noWithVetoCount'] as const satisfies readonly (keyof RecordedTally)[];

/** What an option has of the votes with the recorded power. */
interface Sum {
  readonly power: bigint;
  /** The chain rounds a part of a split vote for each delegation. The archive has their sum, so that the last decimals can differ by this. */
  readonly rounding: bigint;
}

/** The most delegations of a voter for whose rounding a sum can differ. */
const delegationsMax = 1_000n;

function sumsOf(votes: readonly GovVoteRecord[]): readonly Sum[] {
  return govOptions.map((_, index) => {
    let [power, rounding] = [0n, 0n];
    for (const { options, delegated, validator } of votes) {
      for (const { option, weight } of options) {
        if (option !== index + 1) continue;
        const part = decOf(weight);
        power += decTimes(decOf(delegated ?? '0'), part) + decTimes(decOf(validator ?? '0'), part);
        if (part !== oneDec) rounding += delegationsMax;
      }
    }
    return { power, rounding };
  });
}

/** Whether a tally is that of the sums, whose decimals the chain cuts off. */
function areEqual(tally: RecordedTally, sums: readonly Sum[]): boolean {
  return sums.every(({ power, rounding }, index) => {
    const from = BigInt(tally[counts[index] ?? 'yesCount']) * oneDec;
    return from <= power + rounding && power - rounding < from + oneDec;
  });
}

function tallyIn(sums: readonly Sum[]): RecordedTally {
  const [yesCount = '0', abstainCount = '0', noCount = '0', noWithVetoCount = '0'] = sums.map(({ power }) =>
    String(power / oneDec),
  );
  return { yesCount, abstainCount, noCount, noWithVetoCount };
}

const options = { size: 200, beforePage: async () => undefined };

async function votesOf(gov: GovReader, record: GovProposalRecord): Promise<readonly GovVoteRecord[]> {
  const votes: GovVoteRecord[] = [];
  for await (const page of govRecordVotePages(gov, record, options)) votes.push(...page);
  return votes;
}

/**
 * Recomputes the tally of each voting period of the governance module from the recorded votes and their power at the close, and compares it with the tally of the
 * chain and with the one that was computed at the close. Calls `onDisagreement` for each that differs. Only the votes of one proposal are in memory.
 */
export async function auditGovTallies(
  gov: GovReader,
  asOf: bigint,
  onDisagreement: (found: GovDisagreement) => void,
): Promise<AuditResult> {
  let [proposals, votes, agree, notComparable, differ] = [0n, 0n, 0n, 0n, 0n];
  for await (const records of govRecordPages(gov, {}, asOf, options)) {
    for (const record of records) {
      const cast = await votesOf(gov, record);
      proposals += 1n;
      votes += BigInt(cast.length);
      // The votes before it were deleted when an expedited proposal became a regular one.
      let after = -1n;
      for (const { number, end } of roundsOf(record)) {
        // A cancelled proposal has no tally.
        if (end === null || end.step === 'CANCELLED') continue;
        if (end.tally === null || end.computed === null) {
          notComparable += 1n;
          continue;
        }
        const until = end.at.height ?? after;
        // A vote that was replaced has no power.
        const sums = sumsOf(cast.filter(({ seen }) => after < seen && seen <= until));
        after = until;
        if (areEqual(end.tally, sums) && areEqual(end.computed, sums)) agree += 1n;
        else {
          differ += 1n;
          const { tally: chain, computed: recorded } = end;
          onDisagreement({ id: record.id, round: number, chain, recorded, computed: tallyIn(sums) });
        }
      }
    }
  }
  return { proposals, votes, agree, notComparable, differ };
}
