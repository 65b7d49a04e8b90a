import { expect } from 'vitest';
import type {
  CloseFact,
  ExecutionFact,
  Fact,
  GroupFact,
  OpenProposals,
  PolicyFact,
  ProposalFact,
  PruneFact,
  UnexplainedFact,
  VoteFact,
} from '../../../../src/archive/facts.ts';
import {
  proposalExecutorResults,
  proposalStatuses,
  type TallyResult,
  voteOptions,
} from '../../../../src/modules/group/model.ts';
import { createGroupLoaders, groupMembers, votesByProposal } from '../../../../src/modules/group/query.ts';
import { canonicalDecimal } from '../../../../src/reads/decimal.ts';
import { readAll } from '../../../../src/reads/page.ts';
import type { Pin } from '../../../../src/reads/pin.ts';

/** What is recorded of a proposal. */
export interface StoredProposal {
  readonly fact: ProposalFact;
  readonly votes: VoteFact[];
  readonly executions: ExecutionFact[];
  close: CloseFact | null;
  prune: PruneFact | null;
}

/** Facts in memory, as of the last block. It refuses facts that contradict each other. */
export interface FactStore extends OpenProposals {
  readonly facts: readonly Fact[];
  readonly proposals: ReadonlyMap<bigint, StoredProposal>;
  /** Versions of each group, the newest last. */
  readonly groups: ReadonlyMap<bigint, readonly GroupFact[]>;
  readonly policies: ReadonlyMap<string, readonly PolicyFact[]>;
  readonly unexplained: readonly UnexplainedFact[];
  add(facts: readonly Fact[]): void;
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  lists.set(key, [...(lists.get(key) ?? []), value]);
}

export function createFactStore(): FactStore {
  const facts: Fact[] = [];
  const proposals = new Map<bigint, StoredProposal>();
  const groups = new Map<bigint, GroupFact[]>();
  const policies = new Map<string, PolicyFact[]>();
  const unexplained: UnexplainedFact[] = [];

  function of(id: bigint): StoredProposal {
    const found = proposals.get(id);
    expect(found, `proposal ${id} is recorded`).toBeDefined();
    return found!;
  }

  function add(fact: Fact): void {
    facts.push(fact);
    switch (fact.kind) {
      case 'proposal':
        expect(proposals.has(fact.id), `proposal ${fact.id} is recorded once`).toBe(false);
        proposals.set(fact.id, { fact, votes: [], executions: [], close: null, prune: null });
        break;
      case 'vote': {
        const { votes } = of(fact.proposalId);
        expect(
          votes.map(({ voter }) => voter),
          `votes on ${fact.proposalId}`,
        ).not.toContain(fact.voter);
        votes.push(fact);
        break;
      }
      case 'execution':
        of(fact.proposalId).executions.push(fact);
        break;
      case 'close':
        expect(of(fact.proposalId).close, `proposal ${fact.proposalId} is closed once`).toBeNull();
        of(fact.proposalId).close = fact;
        break;
      case 'prune':
        expect(of(fact.proposalId).prune, `proposal ${fact.proposalId} is pruned once`).toBeNull();
        expect(of(fact.proposalId).close, `proposal ${fact.proposalId} is closed before it is pruned`).not.toBeNull();
        of(fact.proposalId).prune = fact;
        break;
      case 'group': {
        const last = groups.get(fact.groupId)?.at(-1);
        expect(fact.version, `versions of group ${fact.groupId}`).toBe(last === undefined ? fact.version : last.version + 1n);
        push(groups, fact.groupId, fact);
        break;
      }
      case 'policy':
        push(policies, fact.address, fact);
        break;
      case 'unexplained':
        unexplained.push(fact);
    }
  }

  return {
    facts,
    proposals,
    groups,
    policies,
    unexplained,
    add(all) {
      const orders = all.flatMap((fact) => ('at' in fact && fact.at !== null && 'order' in fact.at ? [fact.at.order] : []));
      expect(orders, 'facts are in order').toEqual(orders.toSorted((a, b) => a - b));
      for (const fact of all) add(fact);
    },
    open: async () => [...proposals.values()].filter(({ close }) => close === null).map(({ fact }) => fact),
    proposal: async (id) => {
      const found = proposals.get(id);
      return found === undefined ? null : { proposal: found.fact, votes: found.votes };
    },
    govVotes: async () => [],
  };
}

const none: TallyResult = { yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' };
const canonical = (tally: TallyResult): TallyResult => ({
  yesCount: canonicalDecimal(tally.yesCount),
  abstainCount: canonicalDecimal(tally.abstainCount),
  noCount: canonicalDecimal(tally.noCount),
  noWithVetoCount: canonicalDecimal(tally.noWithVetoCount),
});

/** The tally of votes by the weights of members, by simple arithmetic. The weights of tests have few decimals. */
function tallyOf(votes: readonly VoteFact[], members: NonNullable<GroupFact['members']>): TallyResult {
  const count = (option: number): string =>
    String(
      votes
        .filter((vote) => vote.option === option)
        .reduce((sum, { voter }) => sum + Number(members.find(({ address }) => address === voter)?.weight ?? 0), 0),
    );
  return { yesCount: count(1), abstainCount: count(2), noCount: count(3), noWithVetoCount: count(4) };
}

const byVoter = <T extends { readonly voter: string }>(votes: readonly T[]): T[] =>
  votes.toSorted((a, b) => (a.voter < b.voter ? -1 : 1));

/** Expects that the facts imply exactly the state of a proposal at the height of the pin. */
export async function expectProposalState(store: FactStore, pin: Pin, id: bigint): Promise<void> {
  const where = `proposal ${id} at ${pin.height}`;
  const loaders = pin.loaders(createGroupLoaders);
  const state = await loaders.proposal.load(id);
  const stored = store.proposals.get(id);
  expect(state === null, `${where} is deleted or not submitted`).toBe(stored === undefined || stored.prune !== null);
  if (state === null || stored === undefined) return;
  const { fact, close, executions } = stored;
  const { kind: _kind, submitted: _submitted, groupId: _groupId, ...content } = fact;
  expect({ ...state, finalTallyResult: canonical(state.finalTallyResult) }, where).toEqual({
    ...content,
    status: proposalStatuses[close?.status ?? 1],
    executorResult: proposalExecutorResults[executions.at(-1)?.result ?? 1],
    finalTallyResult: close?.tally ?? none,
  });
  const counted = close === null || close.tally === null;
  const votes = await readAll(votesByProposal(loaders, id), 'votes');
  const cast = counted ? stored.votes : [];
  expect(byVoter(votes), `votes on ${where}`).toEqual(
    byVoter(
      cast.map(({ voter, option, metadata, at }) => ({
        ...{ proposalId: id, voter, metadata, submitTime: at.time },
        option: voteOptions[option],
      })),
    ),
  );
  const tally = await loaders.tally.load(id);
  const members = store.groups.get(fact.groupId!)?.at(-1)?.members;
  const live = close === null ? tallyOf(cast, members!) : close.tally;
  expect(tally && canonical(tally), `tally of ${where}`).toEqual(live);
}

/** Expects that the facts imply exactly the state of a group at the height of the pin. */
export async function expectGroupState(store: FactStore, pin: Pin, id: bigint): Promise<void> {
  const where = `group ${id} at ${pin.height}`;
  const loaders = pin.loaders(createGroupLoaders);
  const state = await loaders.group.load(id);
  const last = store.groups.get(id)?.at(-1);
  expect(state === null, where).toBe(last === undefined);
  if (state === null || last === undefined) return;
  const members = (await readAll(groupMembers(loaders, id), 'members')).map(({ address, weight, metadata }) => ({
    ...{ address, weight: canonicalDecimal(weight), metadata },
  }));
  const byAddress = <T extends { readonly address: string }>(list: readonly T[]): T[] =>
    list.toSorted((a, b) => (a.address < b.address ? -1 : 1));
  expect({ ...last, members: byAddress(last.members!) }, where).toMatchObject({
    version: state.version,
    admin: state.admin,
    metadata: state.metadata,
    totalWeight: canonicalDecimal(state.totalWeight),
    members: byAddress(members),
  });
  expect(last.members).toHaveLength(members.length);
}

/** Expects that the facts imply exactly the state of a policy at the height of the pin. */
export async function expectPolicyState(store: FactStore, pin: Pin, address: string): Promise<void> {
  const state = await pin.loaders(createGroupLoaders).groupPolicy.load(address);
  const last = store.policies.get(address)?.at(-1);
  expect(state === null, `policy ${address} at ${pin.height}`).toBe(last === undefined);
  if (state === null || last === undefined) return;
  const { groupId, version, admin, metadata, decisionPolicy } = state;
  expect(last, `policy ${address} at ${pin.height}`).toMatchObject({
    ...{ groupId, version, admin, metadata, decisionPolicy: decisionPolicy.any },
  });
}

/** Expects every tally that was recomputed in a recorded block to equal the chain's. Returns how many there are. */
export function expectAudits(store: FactStore): number {
  const tallied = store.facts.filter(
    (fact): fact is CloseFact => fact.kind === 'close' && fact.at.height !== null && fact.tally !== null,
  );
  for (const close of tallied) expect(close.computed, `tally of proposal ${close.proposalId}`).toEqual(close.tally);
  return tallied.length;
}
