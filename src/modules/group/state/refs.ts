import type { Pinned } from '../../../reads/pin.ts';
import { createInterfaceRef, createRef } from '../../../schema/builder.ts';
import type { Connection } from '../../../schema/connection.ts';
import type {
  DecisionPolicy,
  DecisionPolicyWindows,
  Group,
  GroupMember,
  GroupPolicy,
  Proposal,
  TallyResult,
  Vote,
} from './model.ts';
import type { ProposalOutcome } from './outcome.ts';

/** References of the module's types, for its own files and for modules that extend the types. */
export const ProposalRef = createRef<Pinned<Proposal>>('Proposal');
export const VoteRef = createRef<Pinned<Vote>>('Vote');
export const GroupRef = createRef<Pinned<Group>>('Group');
export const GroupMemberRef = createRef<Pinned<GroupMember>>('GroupMember');
export const GroupPolicyRef = createRef<Pinned<GroupPolicy>>('GroupPolicy');
export const TallyResultRef = createRef<TallyResult>('TallyResult');
export const ProposalOutcomeRef = createRef<ProposalOutcome>('ProposalOutcome');
export const DecisionPolicyWindowsRef = createRef<DecisionPolicyWindows>('DecisionPolicyWindows');
export const DecisionPolicyRef = createInterfaceRef<Pinned<DecisionPolicy>>('DecisionPolicy');
export const ThresholdDecisionPolicyRef =
  createRef<Pinned<Extract<DecisionPolicy, { kind: 'threshold' }>>>('ThresholdDecisionPolicy');
export const PercentageDecisionPolicyRef =
  createRef<Pinned<Extract<DecisionPolicy, { kind: 'percentage' }>>>('PercentageDecisionPolicy');
export const OtherDecisionPolicyRef = createRef<Pinned<Extract<DecisionPolicy, { kind: 'other' }>>>('OtherDecisionPolicy');

export const ProposalConnectionRef = createRef<Connection<Pinned<Proposal>>>('ProposalConnection');
export const VoteConnectionRef = createRef<Connection<Pinned<Vote>>>('VoteConnection');
export const GroupConnectionRef = createRef<Connection<Pinned<Group>>>('GroupConnection');
export const GroupMemberConnectionRef = createRef<Connection<Pinned<GroupMember>>>('GroupMemberConnection');
export const GroupPolicyConnectionRef = createRef<Connection<Pinned<GroupPolicy>>>('GroupPolicyConnection');
