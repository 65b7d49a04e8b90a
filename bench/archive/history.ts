import type { Fact, Place, ProposalFact, RecordedMember } from '../../src/archive/facts.ts';
import type { RecordedBlock } from '../../src/archive/store/ranges.ts';

/** What a generated history has. */
export const shape = {
  groups: 1_000,
  /** Members of each group. */
  members: 100,
  accounts: 5_000,
  /** Proposals of one block. */
  proposalsPerBlock: 1_000,
  /** Votes on each proposal, and on each `fullEvery`th one. */
  votes: 2,
  fullVotes: 100,
  fullEvery: 200,
} as const;

const second = 1_000_000_000n;
const genesis = 1_600_000_000n * second;

/** Time of the block at a height. */
export const timeAt = (height: bigint): bigint => genesis + height * 60n * second;
const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** An account of the history: an address of 20 bytes. */
export function accountOf(index: number): string {
  const digits = [...index.toString(32).padStart(6, '0')].map((digit) => letters[Number.parseInt(digit, 32)]).join('');
  return `tp1${'q'.repeat(32)}${digits}`;
}

/** The policy of a group, whose number begins at 0: an address of 32 bytes. */
export function policyOf(group: number): string {
  return `${accountOf(group)}${'p'.repeat(20)}`;
}

/** Hash of the block at a height. */
export const hashOf = (height: bigint): string => height.toString(16).toUpperCase().padStart(64, '0');

/** The member of a group at a position. Groups overlap. */
const memberAt = (group: number, position: number): string => accountOf((group * 37 + position) % shape.accounts);

/** Two of five proposals belong to the first group, the others to all groups in turn. */
const groupOfProposal = (index: number): number => (index % 5 < 2 ? 0 : (index * 7) % shape.groups);

const isFull = (index: number): boolean => index % shape.fullEvery === 0;

function groupFacts(at: Place): readonly Fact[] {
  return Array.from({ length: shape.groups }, (_, group): readonly Fact[] => {
    const members: readonly RecordedMember[] = Array.from({ length: shape.members }, (__, position) => ({
      address: memberAt(group, position),
      weight: String(1 + (position % 3)),
      metadata: '',
    }));
    const admin = memberAt(group, 0);
    const common = {
      at,
      change: 'created',
      account: admin,
      admin,
      metadata: '',
      version: 1n,
      groupId: BigInt(group + 1),
    } as const;
    return [
      { kind: 'group', ...common, totalWeight: String(members.reduce((sum, { weight }) => sum + Number(weight), 0)), members },
      {
        kind: 'policy',
        ...common,
        address: policyOf(group),
        decisionPolicy: { type: '/cosmos.group.v1.ThresholdDecisionPolicy', value: new Uint8Array(24) },
      },
    ];
  }).flat();
}

/** The facts of a proposal from its submission to its deletion. The last hundred stay open. */
function proposalFacts(index: number, isOpen: boolean, at: (order: number) => Place): readonly Fact[] {
  const group = groupOfProposal(index);
  const id = BigInt(index + 1);
  const submitted = at(0);
  const proposal: ProposalFact = {
    kind: 'proposal',
    id,
    groupPolicyAddress: policyOf(group),
    groupId: BigInt(group + 1),
    groupVersion: 1n,
    groupPolicyVersion: 1n,
    title: `Proposal ${id}: pay an invoice`,
    summary: 'Pays what the minutes of the meeting say, from the account of the group.',
    metadata: 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
    messages: [{ type: `/cosmos.bank.v1beta1.MsgSend`, value: new Uint8Array(120) }],
    proposers: [memberAt(group, index % shape.members)],
    submitTime: submitted.time,
    votingPeriodEnd: submitted.time + 86_400n * second,
    submitted,
  };
  const count = isFull(index) ? shape.fullVotes : shape.votes;
  const votes = Array.from(
    { length: count },
    (_, vote): Fact => ({
      kind: 'vote',
      proposalId: id,
      voter: memberAt(group, (index + vote) % shape.members),
      option: 1,
      metadata: '',
      at: at(1 + vote),
      origin: 'MESSAGE',
    }),
  );
  if (isOpen) return [proposal, ...votes];
  // One in a thousand is rejected, and one in a hundred of the others fails.
  const [status, result] = index % 1_000 === 995 ? [3, 1] : index % 100 === 50 ? [2, 3] : [2, 2];
  const tally = { yesCount: String(count), abstainCount: '0', noCount: '0', noWithVetoCount: '0' };
  const end = at(1 + count);
  return [
    proposal,
    ...votes,
    {
      kind: 'close',
      proposalId: id,
      at: end,
      by: status === 2 ? 'DECIDED' : 'VOTING_ENDED',
      account: null,
      status,
      tally,
      groupVersion: 1n,
      policyVersion: 1n,
      totalWeight: String(shape.members * 2 - 1),
      computed: tally,
    },
    ...(status === 2
      ? [{ kind: 'execution', proposalId: id, at: end, executor: memberAt(group, 0), result, logs: '' } as const]
      : []),
    ...(result === 3 ? [] : [{ kind: 'prune', proposalId: id, at: end, status } as const]),
  ];
}

/** The blocks of a history with this number of proposals, from height 2 on. All its groups are in the first one. */
export function* historyOf(proposals: number): Generator<RecordedBlock> {
  for (let first = 0; first < proposals; first += shape.proposalsPerBlock) {
    const height = BigInt(2 + first / shape.proposalsPerBlock);
    let order = 0;
    const time = timeAt(height);
    const place = (hash: string): Place => ({ height, order: order++, time, hash });
    const facts: Fact[] = first === 0 ? [...groupFacts(place(hashOf(0n)))] : [];
    for (let index = first; index < Math.min(first + shape.proposalsPerBlock, proposals); index++) {
      const hash = hashOf(BigInt(index) * 1_000n);
      facts.push(...proposalFacts(index, index >= proposals - 100, () => place(hash)));
    }
    yield { height, hash: hashOf(height), previousHash: hashOf(height - 1n), facts };
  }
}
