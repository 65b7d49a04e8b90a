import type { Fact, Place } from '../../../src/archive/facts.ts';
import type { RecordedBlock } from '../../../src/archive/store/ranges.ts';

const second = 1_000_000_000n;
const perBlock = 40;
/** Proposals that are open at the end, that are rejected, and whose execution fails: the same number however long the history is. */
const few = 10;

/** The time at which a proposal is submitted. */
export const longTimeAt = (id: bigint): bigint => (1_700_000_000n + id) * second;

function proposalFacts(index: number, total: number, height: bigint): readonly Fact[] {
  const proposalId = BigInt(index + 1);
  const groupId = index % 5 < 2 ? 1n : BigInt(2 + (index % 10));
  const address = `policy${groupId}`;
  const at = (order: number): Place => ({ height, order: index * 10 + order, time: longTimeAt(proposalId), hash: null });
  const facts: Fact[] = [
    {
      kind: 'proposal',
      id: proposalId,
      groupPolicyAddress: address,
      groupId,
      groupVersion: 1n,
      groupPolicyVersion: 1n,
      title: '',
      summary: '',
      metadata: '',
      messages: [{ type: '/x.Common', value: new Uint8Array() }],
      proposers: ['alice'],
      submitTime: longTimeAt(proposalId),
      votingPeriodEnd: longTimeAt(proposalId) + second,
      submitted: at(0),
    },
    { kind: 'vote', proposalId, voter: 'alice', option: 1, metadata: '', at: at(1), origin: 'MESSAGE' },
  ];
  if (index >= total - few) return facts;
  // Group 1 has some of each.
  const position = index % (total / few);
  const [status, result] = position === 5 ? [3, 1] : position === 10 ? [2, 3] : [2, 2];
  const counts = { yesCount: '1', abstainCount: '0', noCount: '0', noWithVetoCount: '0' };
  const close = { by: 'DECIDED', account: null, status, tally: counts, computed: counts } as const;
  facts.push({ kind: 'close', proposalId, at: at(2), ...close, groupVersion: 1n, policyVersion: 1n, totalWeight: '1' });
  if (status === 2) facts.push({ kind: 'execution', proposalId, at: at(3), executor: 'alice', result, logs: '' });
  if (result !== 3) facts.push({ kind: 'prune', proposalId, at: at(4), status });
  return facts;
}

/** Blocks from height 2 on with this number of proposals, 40 in each block. Group 1 has two of five; one account votes on all. */
export function longHistory(proposals: number): readonly RecordedBlock[] {
  return Array.from({ length: proposals / perBlock }, (_, block) => {
    const height = BigInt(2 + block);
    const facts: Fact[] = [];
    if (block === 0) {
      for (let groupId = 1n; groupId <= 11n; groupId++) {
        const at: Place = { height, order: 0, time: longTimeAt(0n), hash: null };
        const common = { at, version: 1n, groupId, change: 'created', account: null, admin: 'alice', metadata: '' } as const;
        const members = [{ address: 'alice', weight: '1', metadata: '' }];
        const decisionPolicy = { type: '/x.Policy', value: new Uint8Array() };
        facts.push({ kind: 'group', ...common, totalWeight: '1', members });
        facts.push({ kind: 'policy', ...common, address: `policy${groupId}`, decisionPolicy });
      }
    }
    for (let index = block * perBlock; index < (block + 1) * perBlock; index++)
      facts.push(...proposalFacts(index, proposals, height));
    return { height, hash: `H${height}`, previousHash: `H${height - 1n}`, facts };
  });
}
