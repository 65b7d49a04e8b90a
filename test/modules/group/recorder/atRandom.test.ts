import { expect, it } from 'vitest';
import type { CloseFact, VoteFact } from '../../../../src/archive/facts.ts';
import type { CommittedBlock } from '../../../../src/chain/blocks/committedBlock.ts';
import { createGroupLoaders, proposalsByGroupPolicy } from '../../../../src/modules/group/query.ts';
import { createRecorder } from '../../../../src/modules/group/recorder/recorder.ts';
import { readAll } from '../../../../src/reads/page.ts';
import { runsAll, seed } from '../../../support/atRandom.ts';
import {
  createFactStore,
  expectAudits,
  expectGroupState,
  expectPolicyState,
  expectProposalState,
  type FactStore,
} from './factStore.ts';
import { type RandomHistory, startRandomHistory } from './randomHistory.ts';

/** Expects that the facts imply the whole state of the group module after a block. */
async function expectState(store: FactStore, history: RandomHistory, { header: { height } }: CommittedBlock): Promise<void> {
  const pin = history.pin(height);
  const loaders = pin.loaders(createGroupLoaders);
  const ids: bigint[] = [];
  for (const policy of history.policies) {
    ids.push(...(await readAll(proposalsByGroupPolicy(loaders, policy), 'proposals')).map(({ id }) => id));
    await expectPolicyState(store, pin, policy);
  }
  const recorded = [...store.proposals.values()].filter(({ prune }) => prune === null).map(({ fact }) => fact.id);
  const sorted = (list: readonly bigint[]): bigint[] => list.toSorted((a, b) => Number(a - b));
  expect(sorted(recorded), `proposals at ${height}`).toEqual(sorted(ids));
  for (const id of ids) await expectProposalState(store, pin, id);
  for (const id of history.groups) await expectGroupState(store, pin, id);
}

/** The electorate of a close: the members of the group's version. */
function electorate(store: FactStore, { proposalId, groupVersion, totalWeight }: CloseFact) {
  const { fact } = store.proposals.get(proposalId)!;
  const version = store.groups.get(fact.groupId!)!.find((each) => each.version === groupVersion);
  expect(version, `the version ${groupVersion} of the group of ${proposalId} is recorded`).toBeDefined();
  expect(version!.totalWeight).toBe(totalWeight);
  return version!.members!;
}

/** What happened in a history, by name. A history without one of the cases tests less than it says. */
function casesOf(store: FactStore): ReadonlySet<string> {
  const cases = new Set<string>();
  const note = (is: boolean, name: string): void => void (is && cases.add(name));
  const submissions = new Map<string, number>();
  for (const { fact, votes, executions, close, prune } of store.proposals.values()) {
    const { hash } = fact.submitted!;
    submissions.set(hash!, (submissions.get(hash!) ?? 0) + 1);
    for (const { origin } of votes) cases.add(`vote of origin ${origin}`);
    const results = executions.map(({ result }) => result);
    note(results.includes(3) && results.at(-1) === 2, 'a failure that is run again');
    note(results[0] === 1 && votes[0]?.origin === 'PROPOSER' && results.length > 1, 'not decided by its EXEC_TRY');
    note(prune !== null && results.at(-1) !== 2 && (close?.status === 2 || close?.status === 3), 'expired');
    if (close === null) continue;
    cases.add(`closed ${close.by} ${close.status}`);
    const at = close.at;
    note('hash' in at && at.hash === hash && prune?.at.hash === hash, 'in a single transaction');
    note(
      'hash' in at && at.hash !== null && votes.some((vote) => 'hash' in vote.at && vote.at.hash === at.hash),
      'EXEC_TRY on vote',
    );
    if (close.tally === null) continue;
    const members = electorate(store, close);
    const voters = votes.map(({ voter }) => voter);
    const left = voters.filter((voter) => !members.some(({ address }) => address === voter));
    note(left.length > 0, 'a member leaves after voting');
    const versions = store.groups.get(fact.groupId!)!;
    note(
      votes.some((vote) => {
        const then = versions.findLast((version) => version.at !== null && precedes(version.at, vote.at));
        const weightOf = (list: typeof members | null | undefined) =>
          list?.find(({ address }) => address === vote.voter)?.weight;
        return weightOf(members) !== undefined && weightOf(then?.members) !== weightOf(members);
      }),
      'weights change between vote and tally',
    );
  }
  note(
    [...submissions.values()].some((count) => count > 1),
    'several proposals in one transaction',
  );
  return cases;
}

function precedes(a: { readonly height: bigint; readonly order: number }, b: VoteFact['at']): boolean {
  return 'order' in b && (a.height < b.height || (a.height === b.height && a.order < b.order));
}

const expectedCases = [
  ...['MESSAGE', 'PROPOSER', 'AUTHORIZATION', 'PROPOSAL'].map((origin) => `vote of origin ${origin}`),
  'a failure that is run again',
  'not decided by its EXEC_TRY',
  'expired',
  'closed DECIDED 2',
  'closed DECIDED 3',
  'closed VOTING_ENDED 2',
  'closed VOTING_ENDED 3',
  'closed WITHDRAWN 5',
  'closed ABORTED 4',
  'in a single transaction',
  'EXEC_TRY on vote',
  'a member leaves after voting',
  'weights change between vote and tally',
  'several proposals in one transaction',
];

// Outside CI, the state is read at every third height.
it.runIf(runsAll)(
  'the facts of a random history imply the state of the chain at every height, wherever they start',
  async () => {
    const history = startRandomHistory(seed);
    const recorder = createRecorder();
    const store = createFactStore();
    /** Starts with the state in the middle of the history. */
    const late = createFactStore();
    const stores = [store];
    const blocks = 600;
    const record = async (block: CommittedBlock): Promise<void> => {
      const { height } = block.header;
      for (const each of stores) each.add(await recorder.block(block, history.pin(height - 1n), history.pin(height), each));
    };
    for (const block of history.blocks.slice()) await record(block);
    for (let count = 0; count < blocks; count += 1) {
      const block = history.block();
      await record(block);
      await expectState(store, history, block);
      if (count % 5 === 0 && stores.includes(late)) await expectState(late, history, block);
      if (count !== Math.floor(blocks / 2)) continue;
      late.add(await recorder.start(history.pin(block.header.height)));
      stores.push(late);
      await expectState(late, history, block);
    }
    for (const each of stores) expect(each.unexplained).toEqual([]);
    expect(expectAudits(store)).toBeGreaterThan(blocks / 4);
    expect(expectAudits(late)).toBeGreaterThan(blocks / 10);
    const cases = casesOf(store);
    expect(
      expectedCases.filter((name) => !cases.has(name)),
      'cases that the history lacks',
    ).toEqual([]);
  },
  300_000,
);
