import type {
  CloseFact,
  ExecutionFact,
  Fact,
  GroupFact,
  PolicyFact,
  ProposalFact,
  PruneFact,
  VoteFact,
} from '../../../src/archive/facts.ts';
import type {
  ChangeRecord,
  Elector,
  ExecutionRecord,
  ParticipationRecord,
  ProposalRecord,
  ProposalRecordFilter,
  VoteRecord,
} from '../../../src/archive/records.ts';
import { tallyOf } from '../../../src/archive/store/votes.ts';

type PlaceLike = { readonly height: bigint | null; readonly time: bigint | null; readonly order?: number };

const heightOf = (fact: Fact): bigint => {
  const at = 'at' in fact ? fact.at : fact.submitted;
  return at?.height ?? 0n;
};

const compare = <T extends string | bigint | number>(one: T, other: T): number => (one < other ? -1 : one > other ? 1 : 0);
const byPlace = (one: PlaceLike, other: PlaceLike): number =>
  compare(one.time ?? 0n, other.time ?? 0n) || compare(one.order ?? 0, other.order ?? 0);

/** Evaluates every read of the archive over a list of facts in memory, as of a height. Every height from 1 on is covered. */
export function expectedRecordsOf(all: readonly Fact[], asOf: bigint) {
  const facts = all.filter((fact) => heightOf(fact) <= asOf);
  const of = <K extends Fact['kind']>(kind: K): Extract<Fact, { kind: K }>[] =>
    facts.filter((fact): fact is Extract<Fact, { kind: K }> => fact.kind === kind);
  const newest = <T extends { readonly version: bigint }>(versions: readonly T[]): T | undefined =>
    versions.toSorted((one, other) => compare(other.version, one.version))[0];
  const groupVersions = (id: bigint): GroupFact[] => of('group').filter(({ groupId }) => groupId === id);
  const policyVersions = (address: string): PolicyFact[] => of('policy').filter((policy) => policy.address === address);
  const proposals: readonly ProposalFact[] = of('proposal').toSorted((one, other) => compare(other.id, one.id));
  const closeOf = (id: bigint): CloseFact | undefined => of('close').find(({ proposalId }) => proposalId === id);
  const pruneOf = (id: bigint): PruneFact | undefined => of('prune').find(({ proposalId }) => proposalId === id);
  const votesOf = (id: bigint): VoteFact[] => of('vote').filter(({ proposalId }) => proposalId === id);
  const executionsOf = (id: bigint): ExecutionFact[] => of('execution').filter(({ proposalId }) => proposalId === id);
  const groupIdOf = ({ groupPolicyAddress }: ProposalFact): bigint => policyVersions(groupPolicyAddress)[0]!.groupId;

  function electorate(proposal: ProposalFact): GroupFact | undefined {
    const versions = groupVersions(groupIdOf(proposal));
    const close = closeOf(proposal.id);
    if (close === undefined) return pruneOf(proposal.id) === undefined ? newest(versions) : undefined;
    return versions.find(({ version }) => version === close.groupVersion);
  }

  const memberWeight = (proposal: ProposalFact, voter: string): string | null =>
    electorate(proposal)?.members?.find(({ address }) => address === voter)?.weight ?? null;

  const hasUnknownVotes = (id: bigint): boolean =>
    of('unexplained').some(({ what, proposalId }) => what === 'vote' && proposalId === id);

  /** Whether the members who did not vote on a closed proposal are known, and could have voted. */
  function couldMiss({ id, submitted }: ProposalFact): boolean {
    const at = closeOf(id)?.at;
    const isOneStep = at?.height != null && at.height === submitted?.height && at.hash === submitted.hash;
    return !isOneStep && !hasUnknownVotes(id);
  }

  const voteRecord = ({ kind: _, ...vote }: VoteFact): VoteRecord => ({
    ...vote,
    weight: memberWeight(proposals.find(({ id }) => id === vote.proposalId)!, vote.voter),
  });

  const votes = (id: bigint): VoteRecord[] =>
    votesOf(id)
      .toSorted((one, other) => byPlace(one.at, other.at) || compare(one.voter, other.voter))
      .map(voteRecord);

  function record(proposal: ProposalFact): ProposalRecord {
    const { id } = proposal;
    const close = closeOf(id);
    const pruned = pruneOf(id)?.at ?? null;
    const group = electorate(proposal);
    const policies = policyVersions(proposal.groupPolicyAddress);
    const policy = close === undefined ? newest(policies) : policies.find(({ version }) => version === close.policyVersion);
    const known = close !== undefined || pruned === null;
    const { kind: _, ...rest } = proposal;
    return {
      asOf,
      ...rest,
      groupId: groupIdOf(proposal),
      status: pruneOf(id)?.status ?? close?.status ?? 1,
      executorResult:
        executionsOf(id)
          .filter(({ result }) => result !== 1)
          .at(-1)?.result ?? 1,
      close:
        close === undefined
          ? null
          : {
              at: close.at,
              by: close.by,
              account: close.account,
              status: close.status,
              tally: close.tally,
              computed: close.computed,
            },
      pruned,
      isLost: false,
      decisionPolicy: known ? (policy?.decisionPolicy ?? null) : null,
      totalWeight: known ? (group?.totalWeight ?? null) : null,
      electorateVersion: group?.version ?? null,
      isSingleTransaction:
        pruned !== null && pruned.hash === proposal.submitted!.hash && pruned.height === proposal.submitted!.height,
      hasUnknownVotes: hasUnknownVotes(id),
      agrees: close?.tally && close.computed ? JSON.stringify(close.tally) === JSON.stringify(close.computed) : null,
      isComplete: !hasUnknownVotes(id),
    };
  }

  const electors = (proposal: ProposalFact, voted?: boolean): Elector[] | null => {
    const group = electorate(proposal);
    if (group === undefined) return null;
    if (voted === false && !couldMiss(proposal)) return [];
    const cast = votes(proposal.id);
    return (group.members ?? [])
      .map(({ address, weight }) => ({ address, weight, vote: cast.find(({ voter }) => voter === address) ?? null }))
      .filter(({ vote }) => voted === undefined || voted === (vote !== null))
      .toSorted((one, other) => Buffer.compare(Buffer.from(one.address), Buffer.from(other.address)));
  };

  function matches(proposal: ProposalFact, filter: ProposalRecordFilter): boolean {
    const shown = record(proposal);
    const { groupId, groupPolicyAddress, proposer, voter, missedBy, status, executorResult, messageType } = filter;
    const { submittedFrom, submittedTo, groupPolicyAddresses, closed } = filter;
    return (
      (groupId === undefined || shown.groupId === groupId) &&
      (groupPolicyAddress === undefined || shown.groupPolicyAddress === groupPolicyAddress) &&
      (groupPolicyAddresses === undefined || groupPolicyAddresses.includes(shown.groupPolicyAddress)) &&
      (closed === undefined || closed === (shown.close !== null || pruneOf(proposal.id) !== undefined)) &&
      (proposer === undefined || shown.proposers.includes(proposer)) &&
      (voter === undefined || votesOf(proposal.id).some((vote) => vote.voter === voter)) &&
      (missedBy === undefined ||
        (shown.close !== null && (electors(proposal, false) ?? []).some(({ address }) => address === missedBy))) &&
      (status === undefined || status.includes(shown.status)) &&
      (executorResult === undefined || executorResult.includes(shown.executorResult)) &&
      (messageType === undefined || shown.messages.some(({ type }) => type === messageType)) &&
      (submittedFrom === undefined || shown.submitTime >= submittedFrom) &&
      (submittedTo === undefined || shown.submitTime <= submittedTo)
    );
  }

  return {
    proposals,
    record,
    votes,
    electors,
    page: (filter: ProposalRecordFilter): ProposalRecord[] =>
      proposals.filter((proposal) => matches(proposal, filter)).map(record),
    tally: (proposal: ProposalFact) => {
      const close = closeOf(proposal.id);
      return close !== undefined ? close.tally : electorate(proposal) === undefined ? null : tallyOf(votes(proposal.id));
    },
    executions: (id: bigint): ExecutionRecord[] => executionsOf(id).map(({ kind: _, ...execution }) => execution),
    changes: (proposal: ProposalFact): ChangeRecord[] => {
      const from = proposal.submitted!;
      const close = closeOf(proposal.id)?.at;
      const during = ({ at }: GroupFact | PolicyFact): boolean =>
        byPlace(at!, from) > 0 && (close === undefined || byPlace(at!, close) <= 0);
      return [...groupVersions(groupIdOf(proposal)), ...policyVersions(proposal.groupPolicyAddress)]
        .filter(during)
        .toSorted((one, other) => byPlace(one.at!, other.at!) || compare(one.kind, other.kind))
        .map(({ kind, at, change, account, version }) => ({ kind, at: at!, change, account, version }));
    },
    votesByAccount: (address: string): VoteRecord[] =>
      of('vote')
        .filter(({ voter }) => voter === address)
        .toSorted((one, other) => byPlace(other.at, one.at) || compare(other.proposalId, one.proposalId))
        .map(voteRecord),
    participation: (groupId: bigint, last: number): ParticipationRecord[] | null => {
      const group = newest(groupVersions(groupId));
      if (group === undefined) return null;
      const closed = proposals
        .flatMap((proposal) => {
          const close = closeOf(proposal.id);
          return close === undefined || groupIdOf(proposal) !== groupId ? [] : [{ proposal, close }];
        })
        .toSorted(
          (one, other) => compare(other.close.at.height!, one.close.at.height!) || compare(other.proposal.id, one.proposal.id),
        )
        .slice(0, last);
      return (group.members ?? [])
        .map(({ address }) => {
          const eligible = closed.filter(({ proposal }) =>
            electors(proposal)?.some(
              (elector) => elector.address === address && (elector.vote !== null || couldMiss(proposal)),
            ),
          );
          return {
            address,
            eligible: eligible.length,
            voted: eligible.filter(({ proposal }) => votesOf(proposal.id).some(({ voter }) => voter === address)).length,
          };
        })
        .toSorted((one, other) => Buffer.compare(Buffer.from(one.address), Buffer.from(other.address)));
    },
    stats: {
      proposals: BigInt(proposals.length),
      votes: BigInt(of('vote').length),
      unexplained: BigInt(of('unexplained').length),
    },
  };
}

/** What {@link expectedRecordsOf} returns. */
export type ExpectedRecords = ReturnType<typeof expectedRecordsOf>;
