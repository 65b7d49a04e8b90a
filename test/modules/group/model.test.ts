import { create, fromBinary } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { expect, it } from 'vitest';
import {
  groupPolicyFromWire,
  proposalExecutorResults,
  proposalFromWire,
  proposalStatuses,
  tallyFromWire,
  voteFromWire,
  voteOptions,
} from '../../../src/modules/group/model.ts';
import {
  GroupPolicyInfoSchema,
  ProposalExecutorResultSchema,
  ProposalSchema,
  ProposalStatusSchema,
  ThresholdDecisionPolicySchema,
  VoteOptionSchema,
  VoteSchema,
} from '../../../src/proto/cosmos/group/v1/types_pb.js';

it.each([
  [proposalStatuses, ProposalStatusSchema],
  [proposalExecutorResults, ProposalExecutorResultSchema],
  [voteOptions, VoteOptionSchema],
] as const)('names of enums stand at the numbers of the protobuf', (names, schema) => {
  expect(schema.values.map(({ number, name }) => [number, name])).toEqual([...names.entries()]);
});

it('unknown enum values are UNRECOGNIZED', () => {
  const proposal = proposalFromWire(fromBinary(ProposalSchema, Uint8Array.of(0x40, 99, 0x58, 98)));
  expect([proposal.status, proposal.executorResult]).toEqual(['UNRECOGNIZED', 'UNRECOGNIZED']);
  expect(voteFromWire(fromBinary(VoteSchema, Uint8Array.of(0x18, 97))).option).toBe('UNRECOGNIZED');
});

it('absent protobuf fields are 0, empty text or 1970-01-01, as on the chain', () => {
  expect(tallyFromWire(undefined)).toEqual({ yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' });
  expect(proposalFromWire(create(ProposalSchema))).toMatchObject({ id: 0n, submitTime: 0n, messages: [], title: '' });
});

it('a decision policy of an unknown type keeps its type and bytes', () => {
  const known = anyPack(ThresholdDecisionPolicySchema, create(ThresholdDecisionPolicySchema, { threshold: '2' }));
  const policy = (typeUrl: string) =>
    groupPolicyFromWire(create(GroupPolicyInfoSchema, { decisionPolicy: { typeUrl, value: known.value } })).decisionPolicy;
  expect(policy('/cosmos.group.v1.ThresholdDecisionPolicy')).toMatchObject({ kind: 'threshold', threshold: '2' });
  expect(policy('/cosmos.group.v1.NewerDecisionPolicy')).toEqual({
    kind: 'other',
    any: { type: '/cosmos.group.v1.NewerDecisionPolicy', value: known.value },
  });
});
