import { createHash } from 'node:crypto';
import type { SqlValue } from '../database/connection.ts';
import type {
  CloseFact,
  ExecutionFact,
  Fact,
  GroupFact,
  PolicyFact,
  ProposalFact,
  PruneFact,
  RecordedAny,
  RecordedMember,
  RecordedTally,
  UncertainPlace,
  UnexplainedFact,
  VoteFact,
} from '../facts.ts';

/** A row to store, by the names of its columns. */
export type StoredRow = Readonly<Record<string, SqlValue>>;

/** `closed` of a proposal that has no close: above every height. */
export const never = 9_223_372_036_854_775_807n;

/** The text for a reason of a close that is not known. */
export const unknownClosing = '';

/** The rows of a list of facts, by table. */
export interface FactRows {
  readonly group_versions: StoredRow[];
  readonly members: StoredRow[];
  readonly policy_versions: StoredRow[];
  readonly proposals: StoredRow[];
  readonly proposers: StoredRow[];
  readonly message_types: StoredRow[];
  readonly votes: StoredRow[];
  readonly executions: StoredRow[];
  readonly closes: StoredRow[];
  readonly prunes: StoredRow[];
  readonly unexplained: StoredRow[];
}

/** The columns of a place. A fact without a height is visible from `base` on. */
function placeColumns(at: UncertainPlace | null, base: bigint): StoredRow {
  if (at === null) return { seen: base, height: null, ord: 0n, time: null, hash: null };
  if (at.height === null) return { seen: base, height: null, ord: 0n, time: at.time, hash: null };
  return { seen: at.height, height: at.height, ord: BigInt(at.order), time: at.time, hash: at.hash };
}

/** Names a set of members by its content, so that versions with equal members share one set. */
function setName(members: readonly RecordedMember[]): string {
  const ordered = members.map(({ address, weight, metadata }) => [address, weight, metadata]).toSorted();
  return createHash('sha256').update(JSON.stringify(ordered)).digest('base64url').slice(0, 22);
}

/** The stored text of a protobuf `Any`. */
export function anyText({ type, value }: RecordedAny): string {
  return JSON.stringify([type, Buffer.from(value).toString('base64')]);
}

function tallyText(tally: RecordedTally | null): string | null {
  if (tally === null) return null;
  const { yesCount, abstainCount, noCount, noWithVetoCount } = tally;
  return JSON.stringify([yesCount, abstainCount, noCount, noWithVetoCount]);
}

function addGroup(rows: FactRows, fact: GroupFact, base: bigint): void {
  const { groupId, version, at, change, account, admin, metadata, totalWeight, members } = fact;
  const set = members === null ? null : setName(members);
  rows.group_versions.push({
    group_id: groupId,
    version,
    ...placeColumns(at, base),
    change,
    account,
    admin,
    metadata,
    total_weight: totalWeight,
    member_set: set,
  });
  for (const member of members ?? [])
    rows.members.push({ member_set: set, address: member.address, weight: member.weight, metadata: member.metadata });
}

function addPolicy(rows: FactRows, fact: PolicyFact, base: bigint): void {
  const { address, version, at, change, account, groupId, admin, metadata, decisionPolicy } = fact;
  rows.policy_versions.push({
    address,
    version,
    ...placeColumns(at, base),
    change,
    account,
    group_id: groupId,
    admin,
    metadata,
    policy: anyText(decisionPolicy),
  });
}

function addProposal(rows: FactRows, fact: ProposalFact, base: bigint): void {
  const { id, messages, proposers } = fact;
  rows.proposals.push({
    id,
    ...placeColumns(fact.submitted, base),
    policy_address: fact.groupPolicyAddress,
    group_id: fact.groupId,
    group_version: fact.groupVersion,
    policy_version: fact.groupPolicyVersion,
    title: fact.title,
    summary: fact.summary,
    metadata: fact.metadata,
    messages: JSON.stringify(messages.map(anyText)),
    proposers: JSON.stringify(proposers),
    submit_time: fact.submitTime,
    voting_end: fact.votingPeriodEnd.toString(),
    closed: never,
  });
  for (const address of new Set(proposers)) rows.proposers.push({ address, proposal_id: id });
  for (const type of new Set(messages.map((message) => message.type))) rows.message_types.push({ type, proposal_id: id });
}

function addVote(rows: FactRows, { proposalId, voter, at, option, metadata, origin }: VoteFact, base: bigint): void {
  rows.votes.push({ proposal_id: proposalId, voter, ...placeColumns(at, base), option: BigInt(option), metadata, origin });
}

function addExecution(rows: FactRows, { proposalId, at, executor, result, logs }: ExecutionFact, base: bigint): void {
  rows.executions.push({ proposal_id: proposalId, ...placeColumns(at, base), executor, result: BigInt(result), logs });
}

function addClose(rows: FactRows, fact: CloseFact, base: bigint): void {
  const [tally, computed] = [tallyText(fact.tally), tallyText(fact.computed)];
  rows.closes.push({
    proposal_id: fact.proposalId,
    ...placeColumns(fact.at, base),
    closing: fact.by ?? unknownClosing,
    account: fact.account,
    status: BigInt(fact.status),
    tally,
    group_version: fact.groupVersion,
    policy_version: fact.policyVersion,
    total_weight: fact.totalWeight,
    computed,
    disagrees: tally !== null && computed !== null && tally !== computed ? 1n : 0n,
  });
}

function addPrune(rows: FactRows, { proposalId, at, status }: PruneFact, base: bigint): void {
  rows.prunes.push({ proposal_id: proposalId, ...placeColumns(at, base), status: BigInt(status) });
}

function addUnexplained(rows: FactRows, { what, proposalId, at }: UnexplainedFact, base: bigint): void {
  rows.unexplained.push({ what, proposal_id: proposalId, ...placeColumns(at, base) });
}

function addFact(rows: FactRows, fact: Fact, base: bigint): void {
  if (fact.kind === 'group') addGroup(rows, fact, base);
  else if (fact.kind === 'policy') addPolicy(rows, fact, base);
  else if (fact.kind === 'proposal') addProposal(rows, fact, base);
  else if (fact.kind === 'vote') addVote(rows, fact, base);
  else if (fact.kind === 'execution') addExecution(rows, fact, base);
  else if (fact.kind === 'close') addClose(rows, fact, base);
  else if (fact.kind === 'prune') addPrune(rows, fact, base);
  else addUnexplained(rows, fact, base);
}

/** The rows of facts. `base` is the height from which facts without a height are visible. */
export function factRows(facts: readonly Fact[], base: bigint): FactRows {
  const rows: FactRows = {
    group_versions: [],
    members: [],
    policy_versions: [],
    proposals: [],
    proposers: [],
    message_types: [],
    votes: [],
    executions: [],
    closes: [],
    prunes: [],
    unexplained: [],
  };
  for (const fact of facts) addFact(rows, fact, base);
  return rows;
}
