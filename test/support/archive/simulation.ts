import { createHash } from 'node:crypto';
import type {
  CloseFact,
  ExecutionFact,
  Fact,
  GroupFact,
  KnownPlace,
  Place,
  PolicyFact,
  ProposalFact,
  RecordedMember,
  VoteFact,
} from '../../../src/archive/facts.ts';
import type { BlockContents } from '../../../src/archive/full/contents.ts';
import { tallyOf } from '../../../src/archive/store/votes.ts';
import { simulateGov } from './govSimulation.ts';

/** Random numbers from a seed. */
export interface Dice {
  /** From 0 to `below` - 1. */
  roll(below: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

export function createDice(seed: number): Dice {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const roll = (below: number): number => Math.floor(next() * below);
  return { roll, chance: (probability) => next() < probability, pick: (items) => items[roll(items.length)]! };
}

/** Accounts of the simulation. One has characters that databases treat differently. */
export const accounts = ['alice', 'bob', 'Carol', 'dave', 'erin', 'zoë'];

/** Message types of the simulation. */
export const messageTypes = ['/cosmos.bank.v1beta1.MsgSend', '/cosmos.group.v1.MsgVote', '/x.Rare'];

const texts = ['', 'plain', 'with \0 zero', '\u0001marked', 'half \ud800 pair', "quote ' and ? mark", 'naïve ✓'];

interface LiveProposal {
  readonly fact: ProposalFact;
  readonly votes: VoteFact[];
  close: CloseFact | undefined;
  failed: boolean;
}

/** A block of a simulated history. */
export interface SimulatedBlock {
  readonly height: bigint;
  readonly time: bigint;
  readonly hash: string;
  readonly previousHash: string;
  readonly facts: readonly Fact[];
  /** What the state after the block shows. */
  readonly start: readonly Fact[];
}

const second = 1_000_000_000n;

/** The contents of a simulated block for mode FULL: some transactions, with events that other blocks have too. */
export function contentsAt(height: bigint): BlockContents {
  const event = (type: string, value: string) => ({ type, attributes: [{ key: 'at', value, index: true }] });
  return {
    height,
    time: height * second,
    block: JSON.stringify({ block: {}, events: [event('of_block', String(height % 5n))] }),
    transactions: Array.from({ length: Number(height % 4n) }, (_, index) => ({
      hash: createHash('sha256').update(`${height}/${index}`).digest('hex').toUpperCase(),
      content: JSON.stringify({ tx: '', tx_result: { events: [event('of_tx', String(height % 7n)), event('of_tx', 'any')] } }),
    })),
  };
}

export const hashAt = (height: bigint, chain = 'A'): string => `${chain}${height.toString(16).toUpperCase().padStart(8, '0')}`;

/**
 * A random history of groups, policies and proposals as facts: the facts of each block, and what the state after it shows. It follows the rules that
 * the archive relies on: ids ascend, a proposal has one close, an account votes once on a proposal, and versions count up.
 */
export function simulate(seed: number, length: number, chain = 'A'): readonly SimulatedBlock[] {
  const dice = createDice(seed);
  // Of its own, so that the history of groups does not depend on it.
  const gov = simulateGov(createDice(seed + 1), accounts);
  const groups = new Map<bigint, GroupFact>();
  const policies = new Map<string, PolicyFact>();
  const proposals = new Map<bigint, LiveProposal>();
  let nextProposal = 1n;
  let time = 1_700_000_000n * second;
  const blocks: SimulatedBlock[] = [];

  for (let height = 1n; height <= BigInt(length); height++) {
    time += BigInt(1 + dice.roll(10)) * second;
    const facts: Fact[] = [];
    let order = 0;
    let hash: string | null = null;
    const place = (): Place => ({ height, order: order++, time, hash });

    const electorate = (group: GroupFact): readonly RecordedMember[] => group.members ?? [];
    const randomMembers = (): readonly RecordedMember[] =>
      accounts
        .filter(() => dice.chance(0.6))
        .map((address) => ({ address, weight: dice.pick(['1', '2', '0.5', '10']), metadata: dice.pick(texts) }));

    function setGroup(group: Omit<GroupFact, 'kind' | 'at' | 'totalWeight' | 'version'>): void {
      const version = (groups.get(group.groupId)?.version ?? 0n) + 1n;
      const totalWeight = String((group.members ?? []).reduce((sum, { weight }) => sum + Number(weight), 0));
      const fact: GroupFact = { kind: 'group', ...group, version, totalWeight, at: place() };
      groups.set(group.groupId, fact);
      facts.push(fact);
    }

    function closeProposal(live: LiveProposal, by: CloseFact['by'], status: number, at: Place, account: string | null): void {
      const policy = policies.get(live.fact.groupPolicyAddress)!;
      const group = groups.get(policy.groupId)!;
      const weights = new Map(electorate(group).map(({ address, weight }) => [address, weight]));
      const tally =
        by === 'WITHDRAWN' || by === 'ABORTED'
          ? null
          : tallyOf(live.votes.map((vote) => ({ ...vote, weight: weights.get(vote.voter) ?? null })));
      live.close = {
        kind: 'close',
        proposalId: live.fact.id,
        at,
        by,
        account,
        status,
        tally,
        groupVersion: group.version,
        policyVersion: policy.version,
        totalWeight: group.totalWeight,
        computed: tally === null ? null : dice.chance(0.2) ? { ...tally, yesCount: '77' } : tally,
      };
      facts.push(live.close);
    }

    const abortOpen = (address: string, at: Place): void => {
      for (const live of proposals.values())
        if (live.fact.groupPolicyAddress === address && live.close === undefined) closeProposal(live, 'ABORTED', 4, at, null);
    };

    function castVote(live: LiveProposal, voter: string, at: Place, origin: VoteFact['origin']): void {
      if (live.votes.some((vote) => vote.voter === voter)) return;
      const vote: VoteFact = {
        kind: 'vote',
        proposalId: live.fact.id,
        voter,
        option: 1 + dice.roll(4),
        metadata: dice.pick(texts),
        at,
        origin,
      };
      live.votes.push(vote);
      facts.push(vote);
    }

    function execute(live: LiveProposal, at: Place): void {
      const result = live.close?.status !== 2 ? 1 : dice.chance(0.6) ? 2 : 3;
      facts.push({
        kind: 'execution',
        proposalId: live.fact.id,
        at,
        executor: dice.pick([...accounts, null]),
        result,
        logs: dice.pick(texts),
      });
      if (result === 3) live.failed = true;
      if (result === 2) prune(live, at);
    }

    function prune(live: LiveProposal, at: Place): void {
      proposals.delete(live.fact.id);
      facts.push({ kind: 'prune', proposalId: live.fact.id, at, status: live.close?.status ?? 3 });
    }

    function submit(): void {
      const policy = dice.pick([...policies.values()]);
      const group = groups.get(policy.groupId)!;
      const members = electorate(group);
      if (members.length === 0) return;
      const proposers = [...new Set([dice.pick(members).address, dice.pick(members).address])];
      const at = place();
      const fact: ProposalFact = {
        kind: 'proposal',
        id: nextProposal++,
        groupPolicyAddress: policy.address,
        groupId: dice.chance(0.9) ? policy.groupId : null,
        groupVersion: group.version,
        groupPolicyVersion: policy.version,
        title: dice.pick(texts),
        summary: dice.pick(texts),
        metadata: dice.pick(texts),
        messages: messageTypes
          .filter(() => dice.chance(0.4))
          .map((type) => ({ type, value: Uint8Array.of(dice.roll(256), 0) })),
        proposers,
        submitTime: time,
        // Voting periods may end beyond what the databases store as an integer.
        votingPeriodEnd: dice.chance(0.05) ? 10n ** 19n : time + BigInt(dice.roll(60)) * second,
        submitted: at,
      };
      const live: LiveProposal = { fact, votes: [], close: undefined, failed: false };
      proposals.set(fact.id, live);
      facts.push(fact);
      if (!dice.chance(0.2)) return;
      for (const proposer of proposers) castVote(live, proposer, at, 'PROPOSER');
      if (dice.chance(0.5)) closeProposal(live, 'DECIDED', 2, at, proposers[0]!);
      execute(live, at);
    }

    const actions = dice.chance(0.3) ? 0 : dice.roll(5);
    for (let action = 0; action < actions; action++) {
      hash = hashAt(height * 100n + BigInt(action), 'T');
      const groupId = BigInt(1 + dice.roll(3));
      const group = groups.get(groupId);
      if (group === undefined) {
        setGroup({
          groupId,
          change: 'created',
          account: dice.pick(accounts),
          admin: dice.pick(accounts),
          metadata: '',
          members: randomMembers(),
        });
        continue;
      }
      const open = [...proposals.values()].filter(({ close }) => close === undefined);
      const live = open.length === 0 ? undefined : dice.pick(open);
      const kind = dice.roll(12);
      if (kind === 0) setGroup({ ...group, change: 'members', account: group.admin, members: randomMembers() });
      else if (kind === 1) setGroup({ ...group, change: 'metadata', account: group.admin, metadata: dice.pick(texts) });
      else if (kind === 2) {
        const address = `policy${1 + dice.roll(4)}`;
        const known = policies.get(address);
        const at = place();
        if (known !== undefined) abortOpen(address, at);
        const policy: PolicyFact = {
          kind: 'policy',
          address,
          groupId: known?.groupId ?? groupId,
          version: (known?.version ?? 0n) + 1n,
          at,
          change: known === undefined ? 'created' : 'decisionPolicy',
          account: dice.pick(accounts),
          admin: 'alice',
          metadata: dice.pick(texts),
          decisionPolicy: { type: '/cosmos.group.v1.ThresholdDecisionPolicy', value: Uint8Array.of(dice.roll(256)) },
        };
        policies.set(address, policy);
        facts.push(policy);
      } else if (kind <= 6) {
        if (policies.size > 0) submit();
      } else if (live !== undefined && kind <= 10) {
        const at = place();
        castVote(live, dice.pick(accounts), at, dice.pick(['MESSAGE', 'AUTHORIZATION', 'PROPOSAL', 'OTHER']));
        if (dice.chance(0.3)) {
          if (dice.chance(0.6)) closeProposal(live, 'DECIDED', dice.pick([2, 3]), at, 'bob');
          execute(live, at);
        }
      } else if (live !== undefined && dice.chance(0.3)) closeProposal(live, 'WITHDRAWN', 5, place(), 'dave');
      else {
        const failed = [...proposals.values()].filter((item) => item.failed);
        if (failed.length > 0) execute(dice.pick(failed), place());
      }
      if (dice.chance(0.03))
        facts.push({
          kind: 'unexplained',
          at: place(),
          what: dice.pick(['vote', 'proposal']),
          proposalId: live === undefined ? 10_000n + height : live.fact.id,
        });
    }
    hash = null;
    for (const ended of [...proposals.values()]) {
      if (ended.close === undefined && ended.fact.votingPeriodEnd <= time)
        closeProposal(ended, 'VOTING_ENDED', dice.pick([2, 3]), place(), null);
      else if (ended.close !== undefined && dice.chance(0.05)) prune(ended, place());
    }

    let govOrder = 0;
    const govPlace = (isTransaction: boolean): Place => {
      govOrder += 1;
      return { height, order: govOrder, time, hash: isTransaction ? hashAt(height * 100n + BigInt(govOrder), 'F') : null };
    };
    facts.push(...gov.block(govPlace));

    const unplaced = (at: KnownPlace): KnownPlace => ({ height: null, time: at.time });
    const start: Fact[] = [
      ...[...groups.values()].map((group): GroupFact => ({ ...group, at: null, change: 'other', account: null })),
      ...[...policies.values()].map((policy): PolicyFact => ({ ...policy, at: null, change: 'other', account: null })),
      ...[...proposals.values()].flatMap(({ fact, votes, close, failed }): Fact[] => {
        const failure: ExecutionFact = {
          kind: 'execution',
          proposalId: fact.id,
          at: { height: null, time: null },
          executor: null,
          result: 3,
          logs: '',
        };
        return [
          { ...fact, groupId: policies.get(fact.groupPolicyAddress)!.groupId, submitted: null },
          ...(close === undefined ? votes.map((vote): VoteFact => ({ ...vote, at: unplaced(vote.at), origin: 'OTHER' })) : []),
          ...(close === undefined
            ? []
            : [
                {
                  ...close,
                  at: { height: null, time: null },
                  by: null,
                  groupVersion: null,
                  policyVersion: null,
                  computed: null,
                },
              ]),
          ...(failed ? [failure] : []),
        ];
      }),
      ...gov.start(),
    ];
    blocks.push({ height, time, hash: hashAt(height, chain), previousHash: hashAt(height - 1n, chain), facts, start });
  }
  return blocks;
}
