import { pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { decodeAny } from '../any/codec.ts';
import type { DecisionPolicy } from './state/model.ts';
import * as refs from './state/refs.ts';

/** Adds the interface `DecisionPolicy` and the three types that implement it. */
export function addDecisionPolicies(builder: Builder): void {
  builder.objectType(refs.DecisionPolicyWindowsRef, {
    description: 'Time limits of the proposals of a group policy.',
    fields: (t) => ({
      votingPeriod: t.expose('votingPeriod', {
        type: 'Duration',
        nullable: false,
        description: 'Time for voting, counted from the submission of a proposal.',
      }),
      minExecutionPeriod: t.expose('minExecutionPeriod', {
        type: 'Duration',
        nullable: false,
        description: 'Minimum time between the submission of a proposal and its execution.',
      }),
    }),
  });
  builder.interfaceType(refs.DecisionPolicyRef, {
    description: 'The rule that decides whether a tally accepts a proposal. Each group policy has one.',
    resolveType: ({ kind }) => typeNames[kind],
    fields: (t) => ({
      type: t.string({
        nullable: false,
        description: 'Protobuf type URL, such as `/cosmos.group.v1.ThresholdDecisionPolicy`.',
        resolve: ({ any }) => any.type,
      }),
      windows: t.field({
        type: refs.DecisionPolicyWindowsRef,
        description: 'Time limits for voting and execution. null for OtherDecisionPolicy.',
        resolve: (policy) => (policy.kind === 'other' ? null : policy.windows),
      }),
      json: t.field({
        type: 'JSON',
        description: 'The policy as canonical protobuf JSON. null if the chain has no descriptor of the type.',
        resolve: (policy) => decodeAny(pinOf(policy), policy.any),
      }),
    }),
  });
  builder.objectType(refs.ThresholdDecisionPolicyRef, {
    description: 'Accepts a proposal if the yes weight reaches `threshold`, or the total weight of the group if that is lower.',
    interfaces: [refs.DecisionPolicyRef],
    fields: (t) => ({
      threshold: t.expose('threshold', {
        type: 'Decimal',
        nullable: false,
        description: 'Required yes weight. An absolute weight, not a share.',
      }),
    }),
  });
  builder.objectType(refs.PercentageDecisionPolicyRef, {
    description: 'Accepts a proposal if the share of the yes weight in the total weight of the group reaches `percentage`.',
    interfaces: [refs.DecisionPolicyRef],
    fields: (t) => ({
      percentage: t.expose('percentage', {
        type: 'Decimal',
        nullable: false,
        description: 'Required share of the yes weight, greater than 0 and at most 1: `0.5` is 50 percent.',
      }),
    }),
  });
  builder.objectType(refs.OtherDecisionPolicyRef, {
    description:
      'A decision policy of a type that this server does not recognize. Proposals of its group policy have no `outcome`.',
    interfaces: [refs.DecisionPolicyRef],
    fields: (t) => ({
      value: t.field({
        type: 'Base64',
        nullable: false,
        description: 'Protobuf encoding of the policy.',
        resolve: ({ any }) => any.value,
      }),
    }),
  });
}

const typeNames: Readonly<Record<DecisionPolicy['kind'], string>> = {
  threshold: refs.ThresholdDecisionPolicyRef.name,
  percentage: refs.PercentageDecisionPolicyRef.name,
  other: refs.OtherDecisionPolicyRef.name,
};
