import type { Cell } from './csv.ts';
import type { ProposalView, UncertainPlaceView, VoteView } from './views.ts';

/** The columns of a table, in order: the header of each, and its cell of a row. */
export type Columns<V> = Readonly<Record<string, (row: V) => Cell>>;

/** The columns of a place. Their names begin with `prefix`. */
function placeColumns<P extends string, V>(prefix: P, place: (row: V) => UncertainPlaceView | null): Columns<V> {
  return {
    [`${prefix}BlockHeight`]: (row) => place(row)?.blockHeight ?? null,
    [`${prefix}BlockTime`]: (row) => place(row)?.blockTime ?? null,
    [`${prefix}TransactionHash`]: (row) => place(row)?.transactionHash ?? null,
  };
}

/** The columns of proposals. Proposers and the types of messages are separated by spaces. */
export const proposalColumns: Columns<ProposalView> = {
  id: ({ id }) => id,
  title: ({ title }) => ({ text: title }),
  summary: ({ summary }) => ({ text: summary }),
  metadata: ({ metadata }) => ({ text: metadata }),
  messageTypes: ({ messages }) => ({ text: messages.map(({ type }) => type).join(' ') }),
  proposers: ({ proposers }) => ({ text: proposers.join(' ') }),
  groupId: ({ groupId }) => groupId,
  groupPolicyAddress: ({ groupPolicyAddress }) => groupPolicyAddress,
  groupVersion: ({ groupVersion }) => groupVersion,
  groupPolicyVersion: ({ groupPolicyVersion }) => groupPolicyVersion,
  submitTime: ({ submitTime }) => submitTime,
  ...placeColumns('submitted', ({ submitted }: ProposalView) => submitted),
  votingPeriodEnd: ({ votingPeriodEnd }) => votingPeriodEnd,
  status: ({ status }) => status,
  executorResult: ({ executorResult }) => executorResult,
  closedBy: ({ closedBy }) => closedBy,
  ...placeColumns('closed', ({ closed }: ProposalView) => closed),
  ...placeColumns('pruned', ({ pruned }: ProposalView) => pruned),
  yesCount: ({ tally }) => tally?.yesCount ?? null,
  abstainCount: ({ tally }) => tally?.abstainCount ?? null,
  noCount: ({ tally }) => tally?.noCount ?? null,
  noWithVetoCount: ({ tally }) => tally?.noWithVetoCount ?? null,
  totalWeight: ({ totalWeight }) => totalWeight,
  singleTransaction: ({ singleTransaction }) => singleTransaction,
  auditAgrees: ({ auditAgrees }) => auditAgrees,
  complete: ({ complete }) => complete,
};

/** The columns of votes. */
export const voteColumns: Columns<VoteView> = {
  proposalId: ({ proposalId }) => proposalId,
  voter: ({ voter }) => voter,
  option: ({ option }) => option,
  metadata: ({ metadata }) => ({ text: metadata }),
  origin: ({ origin }) => origin,
  weight: ({ weight }) => weight,
  blockHeight: ({ blockHeight }) => blockHeight,
  blockTime: ({ blockTime }) => blockTime,
  transactionHash: ({ transactionHash }) => transactionHash,
};
