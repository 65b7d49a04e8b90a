import { pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { decodeAny } from '../any/codec.ts';
import type { DecisionPolicy } from './model.ts';
import * as refs from './refs.ts';

/** Adds the interface `DecisionPolicy` and its three kinds. */
export function addDecisionPolicies(builder: Builder): void {
  builder.objectType(refs.DecisionPolicyWindowsRef, {
    description: "How long a policy's proposals are voted on, and how long they must wait before they run.",
    fields: (t) => ({
      votingPeriod: t.expose('votingPeriod', { type: 'Duration', nullable: false }),
      minExecutionPeriod: t.expose('minExecutionPeriod', { type: 'Duration', nullable: false }),
    }),
  });
  builder.interfaceType(refs.DecisionPolicyRef, {
    description: 'The rule by which a tally is decided.',
    resolveType: ({ kind }) => typeNames[kind],
    fields: (t) => ({
      type: t.string({
        nullable: false,
        description: 'Protobuf type, such as `/cosmos.group.v1.ThresholdDecisionPolicy`.',
        resolve: ({ any }) => any.type,
      }),
      windows: t.field({
        type: refs.DecisionPolicyWindowsRef,
        description: 'null for a policy of a type unknown to this server.',
        resolve: (policy) => (policy.kind === 'other' ? null : policy.windows),
      }),
      json: t.field({
        type: 'JSON',
        description: 'Decoded; null when the chain does not describe the type.',
        resolve: (policy) => decodeAny(pinOf(policy), policy.any),
      }),
    }),
  });
  builder.objectType(refs.ThresholdDecisionPolicyRef, {
    description: 'Accepted when the yes weight reaches the threshold, or the whole weight where that is less.',
    interfaces: [refs.DecisionPolicyRef],
    fields: (t) => ({ threshold: t.expose('threshold', { type: 'Decimal', nullable: false }) }),
  });
  builder.objectType(refs.PercentageDecisionPolicyRef, {
    description: 'Accepted when yes is at least this share of the total weight.',
    interfaces: [refs.DecisionPolicyRef],
    fields: (t) => ({
      percentage: t.expose('percentage', {
        type: 'Decimal',
        nullable: false,
        description: 'A share above 0 and up to 1, as on the wire: `0.5` is 50 percent.',
      }),
    }),
  });
  builder.objectType(refs.OtherDecisionPolicyRef, {
    description: 'A decision policy of a type unknown to this server.',
    interfaces: [refs.DecisionPolicyRef],
    fields: (t) => ({ value: t.field({ type: 'Base64', nullable: false, resolve: ({ any }) => any.value }) }),
  });
}

const typeNames: Readonly<Record<DecisionPolicy['kind'], string>> = {
  threshold: refs.ThresholdDecisionPolicyRef.name,
  percentage: refs.PercentageDecisionPolicyRef.name,
  other: refs.OtherDecisionPolicyRef.name,
};
