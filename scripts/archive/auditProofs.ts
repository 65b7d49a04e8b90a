import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { type ProvenState, verifyBundle } from '../../packages/verify/src/answer/index.ts';
import { ProofError, toHex } from '../../packages/verify/src/index.ts';
import { computedNow, plans } from '../../packages/verify/src/plans/index.ts';
import type { KeptProof, ProofRequest } from '../../src/archive/proofs.ts';
import { type Elector, electorKey, type ProposalRecord, type VoteRecord } from '../../src/archive/records.ts';
import type { ArchiveReader } from '../../src/archive/store/reader.ts';
import { fromSecondsAndNanos, type Nanoseconds } from '../../src/chain/base/time.ts';
import { proofRequests } from '../../src/modules/group/recorder/proofRequests.ts';
import { readPages, recordPages, recordVotePages } from '../../src/modules/records/export.ts';
import {
  QueryGroupInfoResponseSchema,
  QueryGroupMembersResponseSchema,
  QueryProposalResponseSchema,
  QueryTallyResultResponseSchema,
  QueryVotesByProposalResponseSchema,
} from '../../src/proto/cosmos/group/v1/query_pb.js';
import { decimal } from '../../src/reads/decimal.ts';

/** A kept proof that does not verify, or that the record of its proposal contradicts. */
export interface FalseProof {
  readonly id: bigint;
  readonly reason: string;
}

/** The validators that signed some of the proofs. */
export interface SigningSet {
  /** The hash of the set, in upper case hex. */
  readonly hash: string;
  readonly proofs: bigint;
  /** The lowest and the highest block that they signed. */
  readonly from: bigint;
  readonly to: bigint;
}

/** What an audit of all kept proofs found. */
export interface ProofAudit {
  /** Proofs that verify, and that the records agree with. */
  readonly verified: bigint;
  /** Closed proposals without a proof. */
  readonly without: bigint;
  /** Votes that are proven. */
  readonly votes: bigint;
  /** Recorded votes of the blocks of the closes, which no state has. */
  readonly lastVotes: bigint;
  /** Members of groups that are proven, with their weights. */
  readonly members: bigint;
  readonly differ: bigint;
  readonly sets: readonly SigningSet[];
}

/** Items of each page that is read. */
const pageSize = 200;
const options = { size: pageSize, beforePage: async () => undefined };

async function whole<T>(pages: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}

const votesOf = (reader: ArchiveReader, record: ProposalRecord): Promise<readonly VoteRecord[]> =>
  whole(recordVotePages(reader, record, options));

function electorsOf(reader: ArchiveReader, record: ProposalRecord): Promise<readonly Elector[]> {
  const empty = { items: [], placeAt: () => undefined, hasNext: false, hasPrevious: false, total: undefined };
  return whole(readPages(async (page) => (await reader.electorate([record], page))[0] ?? empty, electorKey, options));
}

/** The answer to one of the requests about a proposal, computed from proven bytes. Throws a {@link ProofError} if the proof does not have it. */
function answerTo<D extends DescMessage>(
  { reads, context }: ProvenState,
  requests: readonly ProofRequest[],
  method: string,
  schema: D,
): MessageShape<D> {
  const path = `/cosmos.group.v1.Query/${method}`;
  const request = requests.find((each) => each.path === path);
  const plan = plans.get(path);
  if (request === undefined || plan === undefined) throw new ProofError('NOT_PROVEN', `Nothing proves an answer of ${method}.`);
  const answer = computedNow(plan.answer(request.request, context), reads);
  if ('refusal' in answer) throw new ProofError('NOT_PROVEN', `The proof proves that there is none: ${answer.refusal.log}.`);
  return fromBinary(schema, answer.value);
}

const timeOf = (value: Parameters<typeof fromSecondsAndNanos>[0]): Nanoseconds => fromSecondsAndNanos(value);

/** The texts of one list that the other does not have. */
function missingIn(one: readonly string[], other: readonly string[]): readonly string[] {
  const texts = new Set(other);
  return one.filter((text) => !texts.has(text));
}

/** Compares what is proven of a proposal with its record. Returns the first difference. */
function differenceOf(record: ProposalRecord, state: ProvenState, requests: readonly ProofRequest[]): string | undefined {
  const { proposal } = answerTo(state, requests, 'Proposal', QueryProposalResponseSchema);
  if (proposal === undefined) return 'the proof has no proposal';
  const proven = [
    proposal.id,
    proposal.groupPolicyAddress,
    proposal.title,
    proposal.summary,
    proposal.metadata,
    ...proposal.proposers,
    timeOf(proposal.submitTime),
    timeOf(proposal.votingPeriodEnd),
    ...proposal.messages.flatMap(({ typeUrl, value }) => [typeUrl, Buffer.from(value).toString('hex')]),
  ].join('\n');
  const recorded = [
    record.id,
    record.groupPolicyAddress,
    record.title,
    record.summary,
    record.metadata,
    ...record.proposers,
    record.submitTime,
    record.votingPeriodEnd,
    ...record.messages.flatMap(({ type, value }) => [type, Buffer.from(value).toString('hex')]),
  ].join('\n');
  return proven === recorded ? undefined : 'the proven proposal is another one than the recorded one';
}

/** Verifies proofs, and compares what they prove with the records. */
function createProofAudit(chainId: string) {
  const sets = new Map<string, SigningSet>();
  let [verified, votes, lastVotes, members] = [0n, 0n, 0n, 0n];

  function noteSet({ block: { header } }: ProvenState): void {
    const hash = toHex(header.validatorsHash);
    const { height } = header;
    const { proofs = 0n, from = height, to = height } = sets.get(hash) ?? {};
    sets.set(hash, { hash, proofs: proofs + 1n, from: from < height ? from : height, to: to > height ? to : height });
  }

  return {
    totals: () => ({ verified, votes, lastVotes, members, sets: [...sets.values()] }),
    /** Audits the proof of a record. Throws a {@link ProofError} if it does not verify. Returns what differs from the record. */
    async of(
      record: ProposalRecord,
      { height, bundle }: KeptProof,
      recordedVotes: readonly VoteRecord[],
      electors: () => Promise<readonly Elector[]>,
    ): Promise<string | undefined> {
      const closed = record.close?.at.height ?? undefined;
      if (closed !== height + 1n) return `the proof is of height ${height}, and the voting ended at ${closed}`;
      const state = await verifyBundle(bundle, { chainId, height });
      const requests = proofRequests({
        proposalId: record.id,
        groupPolicyAddress: record.groupPolicyAddress,
        groupId: record.groupId,
        height,
      });
      const difference = differenceOf(record, state, requests);
      if (difference !== undefined) return difference;

      const provenVotes = answerTo(state, requests, 'VotesByProposal', QueryVotesByProposalResponseSchema).votes;
      const before = recordedVotes.filter(({ at }) => at.height === null || at.height <= height);
      const cast = before.map(({ voter, option, metadata, at }) => `${voter} ${option} ${at.time} ${metadata}`);
      const late = recordedVotes.find(({ at }) => at.height !== null && at.height > closed);
      if (late !== undefined) return `a recorded vote came after the close: ${late.voter}`;
      const proven = provenVotes.map(
        ({ voter, option, metadata, submitTime }) => `${voter} ${option} ${timeOf(submitTime)} ${metadata}`,
      );
      const [invented] = missingIn(cast, proven);
      if (invented !== undefined) return `a recorded vote is not in the state: ${invented}`;
      const [missing] = record.hasUnknownVotes ? [] : missingIn(proven, cast);
      if (missing !== undefined) return `a vote in the state is not recorded: ${missing}`;
      votes += BigInt(provenVotes.length);
      lastVotes += BigInt(recordedVotes.length - before.length);

      // The group may have changed in the block of the close.
      const isSameGroup =
        record.groupId !== null &&
        answerTo(state, requests, 'GroupInfo', QueryGroupInfoResponseSchema).info?.version === record.electorateVersion;
      if (isSameGroup) {
        const provenMembers = answerTo(state, requests, 'GroupMembers', QueryGroupMembersResponseSchema).members.flatMap(
          ({ member }) => (member === undefined ? [] : [`${member.address} ${decimal(member.weight)}`]),
        );
        const recordedMembers = (await electors()).map(({ address, weight }) => `${address} ${decimal(weight)}`);
        const [elector] = [...missingIn(recordedMembers, provenMembers), ...missingIn(provenMembers, recordedMembers)];
        if (elector !== undefined) return `the proven members are others than the recorded ones: ${elector}`;
        members += BigInt(provenMembers.length);
        const { tally } = answerTo(state, requests, 'TallyResult', QueryTallyResultResponseSchema);
        const chain = record.close?.tally;
        const isCounted = chain != null && tally !== undefined && before.length === recordedVotes.length;
        const differs =
          isCounted &&
          (['yesCount', 'abstainCount', 'noCount', 'noWithVetoCount'] as const).some(
            (count) => !decimal(tally[count]).eq(decimal(chain[count])),
          );
        if (differs) return `the tally of the proven votes is another one than the recorded one: ${JSON.stringify(chain)}`;
      }
      verified += 1n;
      noteSet(state);
      return undefined;
    },
  };
}

/**
 * Verifies each kept proof without a node: the signatures of the validators, the parts of the store, and that no vote and no member was left out. Then compares the proposal,
 * the votes, the members and the tally with the records. Calls `onFalse` for each that is wrong.
 */
export async function auditProofs(
  reader: ArchiveReader,
  { asOf, chainId }: { readonly asOf: bigint; readonly chainId: string },
  onFalse: (proof: FalseProof) => void,
): Promise<ProofAudit> {
  const audit = createProofAudit(chainId);
  let [without, differ] = [0n, 0n];
  for await (const records of recordPages(reader, { closed: true }, asOf, options)) {
    const proofs = await reader.proofs(records);
    for (const [index, record] of records.entries()) {
      const proof = proofs[index];
      if (proof == null) {
        without += 1n;
        continue;
      }
      let reason: string | undefined;
      try {
        reason = await audit.of(record, proof, await votesOf(reader, record), () => electorsOf(reader, record));
      } catch (error) {
        if (!(error instanceof ProofError)) throw error;
        reason = `${error.code}: ${error.message}`;
      }
      if (reason === undefined) continue;
      differ += 1n;
      onFalse({ id: record.id, reason });
    }
  }
  return { ...audit.totals(), without, differ };
}
