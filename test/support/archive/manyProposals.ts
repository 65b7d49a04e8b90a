import type { Fact, RecordedMember } from '../../../src/archive/facts.ts';

const second = 1_000_000_000n;

/** Options of {@link manyProposals}. */
export interface ManyOptions {
  readonly proposals: number;
  readonly votes?: number;
  readonly summary?: (index: number) => string;
  readonly title?: (index: number) => string;
}

/** A group of `votes` members, a policy, and closed proposals on which each member has voted, all at one height. */
export function manyProposals(
  height: bigint,
  { proposals, votes = 0, summary = () => '', title = () => 'Pay' }: ManyOptions,
): readonly Fact[] {
  const time = 1_700_000_000n * second;
  let order = 0;
  const at = () => ({ height, order: order++, time, hash: null });
  const members: readonly RecordedMember[] = Array.from({ length: votes }, (_, index) => ({
    address: `tp1voter${String(index).padStart(6, '0')}`,
    weight: '1',
    metadata: '',
  }));
  const tally = { yesCount: `${votes}`, abstainCount: '0', noCount: '0', noWithVetoCount: '0' };
  const policy = { type: '/x.Policy', value: new Uint8Array() };
  const base = { admin: 'tp1admin', metadata: '', account: null, change: 'created' } as const;
  const facts: Fact[] = [
    { kind: 'group', at: at(), groupId: 1n, version: 1n, ...base, totalWeight: `${votes}`, members },
    { kind: 'policy', at: at(), address: 'tp1policy', groupId: 1n, version: 1n, ...base, decisionPolicy: policy },
  ];
  for (let index = 0; index < proposals; index++) {
    const proposalId = BigInt(index + 1);
    facts.push({
      kind: 'proposal',
      id: proposalId,
      groupPolicyAddress: 'tp1policy',
      groupId: 1n,
      groupVersion: 1n,
      groupPolicyVersion: 1n,
      title: title(index),
      summary: summary(index),
      metadata: '',
      messages: [],
      proposers: ['tp1admin'],
      submitTime: time,
      votingPeriodEnd: time + second,
      submitted: at(),
    });
    for (const { address: voter } of members)
      facts.push({ kind: 'vote', proposalId, voter, option: 1, metadata: '', at: at(), origin: 'MESSAGE' });
    const ended = { by: 'DECIDED', account: null, status: 2, tally, computed: tally } as const;
    facts.push({ kind: 'close', proposalId, at: at(), ...ended, groupVersion: 1n, policyVersion: 1n, totalWeight: `${votes}` });
  }
  return facts;
}
