import type { Builder } from '../../schema/builder.ts';

/** The enums of the module, once added. */
export type GroupEnums = ReturnType<typeof addGroupEnums>;

/** Adds the enums of the group module. */
export function addGroupEnums(builder: Builder) {
  return {
    ProposalStatus: builder.enumType('ProposalStatus', {
      description: 'Where a proposal stands.',
      values: {
        PROPOSAL_STATUS_UNSPECIFIED: {},
        PROPOSAL_STATUS_SUBMITTED: { description: 'Votes are being taken.' },
        PROPOSAL_STATUS_ACCEPTED: {},
        PROPOSAL_STATUS_REJECTED: {},
        PROPOSAL_STATUS_ABORTED: { description: 'The group policy changed while votes were taken.' },
        PROPOSAL_STATUS_WITHDRAWN: {},
        UNRECOGNIZED: {},
      },
    }),
    ProposalExecutorResult: builder.enumType('ProposalExecutorResult', {
      description: "What became of executing a proposal's messages.",
      values: {
        PROPOSAL_EXECUTOR_RESULT_UNSPECIFIED: {},
        PROPOSAL_EXECUTOR_RESULT_NOT_RUN: {},
        PROPOSAL_EXECUTOR_RESULT_SUCCESS: {
          description: 'Never in a stored proposal, which the chain deletes in that block; ProposalUpdate tells it.',
        },
        PROPOSAL_EXECUTOR_RESULT_FAILURE: { description: 'A message failed; it can be tried again.' },
        UNRECOGNIZED: {},
      },
    }),
    VoteOption: builder.enumType('VoteOption', {
      description: 'What was voted. Only YES counts for acceptance; the other three only count as decided.',
      values: {
        VOTE_OPTION_UNSPECIFIED: {},
        VOTE_OPTION_YES: {},
        VOTE_OPTION_ABSTAIN: {},
        VOTE_OPTION_NO: {},
        VOTE_OPTION_NO_WITH_VETO: {},
        UNRECOGNIZED: {},
      },
    }),
    TallyDecision: builder.enumType('TallyDecision', {
      description: 'What a decision policy says of a tally.',
      values: {
        ACCEPTED: { description: 'Enough yes: executing now would accept it, whatever the others vote.' },
        REJECTED: { description: 'Yes can no longer be enough: executing now would reject it.' },
        UNDECIDED: { description: 'Still open. Rejected if voting ended with this tally.' },
      },
    }),
  };
}
