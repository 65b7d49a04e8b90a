import { describe, expect, it, onTestFinished } from 'vitest';
import { auditGovTallies } from '../../scripts/archive/auditGovTallies.ts';
import { miscountedVotes } from '../../scripts/archive/storedArchive.ts';
import type { GovRecordFilter } from '../../src/archive/govRecords.ts';
import { govRecordStatuses, govVoteKey } from '../../src/archive/govRecords.ts';
import { type ArchiveReader, createArchiveReader, type RecordPageRequest } from '../../src/archive/store/reader.ts';
import { type PlainArchive, postgresArchive, sqliteArchive } from '../support/archive/databases.ts';
import { hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { recordAtRandom } from '../support/archive/recordAtRandom.ts';
import { accounts, createDice, type Dice, hashAt, type SimulatedBlock, simulate } from '../support/archive/simulation.ts';
import { rounds, runsAll, seed } from '../support/atRandom.ts';

const all: RecordPageRequest = { first: 1_000, reverse: false, count: true };

async function opened(open: () => Promise<PlainArchive>): Promise<PlainArchive> {
  const archive = await open();
  onTestFinished(() => archive.close());
  return archive;
}

/** What a reader shows of the governance module at a height. */
async function viewOf({ gov }: ArchiveReader, asOf: bigint) {
  const page = await gov.recordPage({}, all, asOf);
  const records = page.items;
  return {
    total: page.total,
    records,
    votes: await gov.votes(records, all),
    last: await gov.votesOf(records, accounts[0]!),
    deposits: await gov.deposits(records),
    misses: await gov.misses(records),
    ofAccounts: await Promise.all(accounts.map((account) => gov.votesByAccount(account, all, asOf))),
    ballots: await Promise.all(accounts.map((account) => gov.ballots(`oper-${account}`, 20, asOf))),
  };
}

const withoutPages = <T>(value: T): unknown =>
  JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)));

/** What the facts imply at a height, for what the reader shows of each proposal. */
function expectedAt(blocks: readonly SimulatedBlock[], asOf: bigint) {
  const facts = blocks.filter(({ height }) => height <= asOf).flatMap((block) => block.facts);
  return facts
    .flatMap((fact) => (fact.kind === 'govProposal' ? [fact] : []))
    .toReversed()
    .map(({ id }) => {
      const votes = facts.flatMap((fact) => (fact.kind === 'govVote' && fact.proposalId === id ? [fact] : []));
      const steps = facts.flatMap((fact) => (fact.kind === 'govStep' && fact.proposalId === id ? [fact] : []));
      const conversion = steps.find(({ step }) => step === 'BECAME_REGULAR');
      const isFirst = (vote: (typeof votes)[number]) => conversion !== undefined && vote.at.height! <= conversion.at.height!;
      const last = steps.at(-1)?.step ?? 'DEPOSIT_PERIOD';
      return {
        id,
        status: last === 'VOTING_BEGAN' || last === 'BECAME_REGULAR' ? 'VOTING_PERIOD' : last,
        votes: votes.map((vote, index) => {
          const round = conversion === undefined || isFirst(vote) ? 1 : 2;
          const isReplaced = votes
            .slice(index + 1)
            .some((other) => other.voter === vote.voter && isFirst(other) === isFirst(vote));
          const count = steps.find(({ computed, at }) => computed !== null && at.height! >= vote.at.height!);
          const power = count?.powers.find(({ address }) => address === vote.voter);
          return [vote.voter, vote.options, round, isReplaced, isReplaced ? null : (power?.delegated ?? null)];
        }),
        deposits: facts.filter((fact) => fact.kind === 'govDeposit' && fact.proposalId === id).length,
        misses: steps
          .filter(({ step, computed }) => ['PASSED', 'REJECTED', 'FAILED'].includes(step) && computed !== null)
          .flatMap(({ powers }) => powers.flatMap(({ options, operator }) => (options === null ? [operator] : []))),
      };
    });
}

function filterOf(dice: Dice): GovRecordFilter {
  const some = <T>(make: () => T): T | undefined => (dice.chance(0.4) ? make() : undefined);
  return {
    status: some(() => govRecordStatuses.filter(() => dice.chance(0.5))),
    proposer: some(() => dice.pick(accounts)),
    voter: some(() => dice.pick(accounts)),
    depositor: some(() => dice.pick(accounts)),
    missedBy: some(() => `oper-${dice.pick(accounts)}`),
  };
}

function itReadsTheSame(open: () => Promise<PlainArchive>): void {
  it.each(Array.from({ length: rounds(8) }, (_, index) => seed + index))(
    'shows what the facts imply, in whatever order the blocks were recorded: seed %i',
    { timeout: 60_000 },
    async (own) => {
      const blocks = simulate(own, 60);
      const dice = createDice(own);
      const archive = await opened(open);
      await recordAtRandom(archive, blocks, dice);
      const reader = createArchiveReader(archive, 'GOVERNANCE');
      for (const asOf of [60n, BigInt(1 + dice.roll(60))]) {
        const view = await viewOf(reader, asOf);
        // The databases hold no id above 2^63 - 1.
        expect(await reader.gov.records([2n ** 64n - 1n], asOf)).toEqual([null]);
        const shown = view.records.map(({ id, status, isComplete }, index) => {
          expect(isComplete).toBe(true);
          return {
            id,
            status,
            votes: view.votes[index]!.items.map(({ voter, options, round, isReplaced, delegated }) => [
              ...[voter, options, round, isReplaced, delegated],
            ]),
            deposits: view.deposits[index]!.length,
            misses: (view.misses[index] ?? []).map(({ operator }) => operator),
          };
        });
        expect(shown).toEqual(expectedAt(blocks, asOf));
        for (const [index, account] of accounts.entries()) {
          const cast = view.votes.flatMap(({ items }) => items.filter(({ voter }) => voter === account));
          expect(view.ofAccounts[index]!.items.map((vote) => Buffer.from(govVoteKey(vote)).toString('hex'))).toEqual(
            cast
              .map((vote) => Buffer.from(govVoteKey(vote)).toString('hex'))
              .toSorted()
              .toReversed(),
          );
        }
        for (let count = 0; count < 5; count++) {
          const filter = filterOf(dice);
          const found = await reader.gov.recordPage(filter, all, asOf);
          const matching = view.records.filter(({ status, proposer }, index) => {
            const votes = view.votes[index]!.items;
            return (
              (filter.status?.includes(status) ?? true) &&
              (filter.proposer === undefined || proposer === filter.proposer) &&
              (filter.voter === undefined || votes.some(({ voter }) => voter === filter.voter)) &&
              (filter.depositor === undefined ||
                view.deposits[index]!.some(({ depositor }) => depositor === filter.depositor)) &&
              (filter.missedBy === undefined || (view.misses[index] ?? []).some(({ operator }) => operator === filter.missedBy))
            );
          });
          expect([found.total, found.items.map(({ id }) => id)]).toEqual([
            BigInt(matching.length),
            matching.map(({ id }) => id),
          ]);
        }
      }
    },
  );

  it('shows a proposal that was submitted before the coverage from the state', async () => {
    const blocks = simulate(seed, 60);
    const whole = await opened(open);
    await whole.begin({ height: 0n, hash: hashAt(0n), facts: [] });
    const part = await opened(open);
    await part.begin({ height: 30n, hash: hashAt(30n), facts: blocks[29]!.start });
    for (const block of blocks) {
      await whole.record(block);
      if (block.height > 30n) await part.record(block);
    }
    const [one, other] = [createArchiveReader(whole, 'GOVERNANCE'), createArchiveReader(part, 'GOVERNANCE')];
    const [all60, part60] = [await viewOf(one, 60n), await viewOf(other, 60n)];
    let earlier = 0;
    for (const [index, record] of part60.records.entries()) {
      const same = all60.records.findIndex(({ id }) => id === record.id);
      const full = all60.records[same]!;
      expect([record.status, record.title, record.proposer]).toEqual([full.status, full.title, full.proposer]);
      if (record.submitted !== null) {
        expect(withoutPages(part60.votes[index])).toEqual(withoutPages(all60.votes[same]));
        continue;
      }
      earlier += 1;
      expect(record.isComplete).toBe(false);
      if (record.end?.at.height !== undefined && record.end.at.height !== null)
        expect(part60.misses[index]).toEqual(all60.misses[same]);
    }
    expect(earlier).toBeGreaterThan(0);
    expect((await other.gov.recordPage({}, all, 29n)).items).toEqual([]);
  });

  it.each(Array.from({ length: rounds(8) }, (_, index) => seed + index))(
    'has tallies that can be computed again from its rows, also with gaps: seed %i',
    { timeout: 60_000 },
    async (own) => {
      const blocks = simulate(own, 60);
      const dice = createDice(own);
      const archive = await opened(open);
      const reader = createArchiveReader(archive, 'GOVERNANCE');
      let [audits, agree] = [0, 0n];
      async function audit(): Promise<void> {
        const differences: unknown[] = [];
        const result = await auditGovTallies(reader.gov, 60n, (each) => differences.push(each));
        expect([differences, await miscountedVotes(archive.connection)]).toEqual([[], []]);
        audits += 1;
        agree = result.agree;
      }
      await recordAtRandom(archive, blocks, dice, () => (dice.chance(0.3) ? audit() : undefined));
      await audit();
      expect(audits).toBeGreaterThan(2);
      const tallies = blocks.flatMap(({ facts }) => facts.filter((fact) => fact.kind === 'govStep' && fact.computed !== null));
      expect(agree).toBe(BigInt(tallies.length));
    },
  );

  it.runIf(runsAll)(
    'has tallies that can be computed again if the votes of a round were deleted between two ranges',
    async () => {
      let cases = 0;
      for (let own = seed; cases < 3; own++) {
        const blocks = simulate(own, 60);
        const facts = blocks.flatMap((block) => block.facts);
        // An expedited proposal that was decided later than it became a regular one, and an account that voted only before.
        const conversion = facts.find((fact) => {
          if (fact.kind !== 'govStep' || fact.step !== 'BECAME_REGULAR') return false;
          const { proposalId: id, at } = fact;
          const votes = facts.flatMap((each) => (each.kind === 'govVote' && each.proposalId === id ? [each] : []));
          const isLater = (place: { readonly height: bigint | null }) => place.height! > at.height!;
          const again = new Set(votes.filter((vote) => isLater(vote.at)).map(({ voter }) => voter));
          const ends = facts.some(
            (each) => each.kind === 'govStep' && each.proposalId === id && each.computed && isLater(each.at),
          );
          return ends && votes.some((vote) => !isLater(vote.at) && vote.at.height! < at.height! && !again.has(vote.voter));
        });
        if (conversion?.kind !== 'govStep') continue;
        cases += 1;
        const height = conversion.at.height!;
        const archive = await opened(open);
        await archive.begin({ height: 0n, hash: hashAt(0n), facts: [] });
        for (const block of blocks) {
          if (block.height === height) await archive.begin({ height, hash: hashAt(height), facts: block.start });
          else await archive.record(block);
        }
        const differences: unknown[] = [];
        const { gov } = createArchiveReader(archive, 'GOVERNANCE');
        const { agree } = await auditGovTallies(gov, 60n, (each) => differences.push(each));
        expect([differences, await miscountedVotes(archive.connection)]).toEqual([[], []]);
        expect(agree).toBeGreaterThan(0n);
      }
    },
  );

  it('reads a page of records in at most four queries, and the votes of one in two', async () => {
    const blocks = simulate(seed, 60);
    const archive = await opened(open);
    await archive.begin({ height: 0n, hash: hashAt(0n), facts: [] });
    for (const block of blocks) await archive.record(block);
    const { gov } = createArchiveReader(archive, 'GOVERNANCE');
    const queriesOf = async (read: () => Promise<unknown>): Promise<number> => {
      const before = archive.queries();
      await read();
      return archive.queries() - before;
    };
    const { items } = await gov.recordPage({}, all, 60n);
    expect(await queriesOf(() => gov.recordPage({}, all, 60n))).toBe(3);
    expect(await queriesOf(() => gov.votes(items, all))).toBe(2);
    expect(await queriesOf(() => gov.misses(items))).toBe(1);
  });
}

describe('records of the governance module in SQLite', () => itReadsTheSame(sqliteArchive));

describe.skipIf(!hasPostgres)(`records of the governance module in PostgreSQL${postgresNote}`, () =>
  itReadsTheSame(postgresArchive),
);
