import type { Builder } from '../../schema/builder.ts';

/** The references of the enums that `addRecordEnums` adds. */
export type RecordEnums = ReturnType<typeof addRecordEnums>;

/** Adds the enums of records to the schema. */
export function addRecordEnums(builder: Builder) {
  return {
    ProposalClosing: builder.enumType('ProposalClosing', {
      description: 'How the voting on a proposal ended.',
      values: {
        DECIDED: { description: 'An execution found the tally final.' },
        VOTING_ENDED: { description: 'The voting period ended.' },
        WITHDRAWN: { description: 'A proposer or the admin of the policy withdrew it.' },
        ABORTED: { description: 'The group policy changed before the proposal was decided.' },
      },
    }),
    VoteOrigin: builder.enumType('VoteOrigin', {
      description: 'How a vote was cast.',
      values: {
        MESSAGE: { description: 'By a message of its own.' },
        PROPOSER: { description: 'Implied: the proposer of a proposal submitted with EXEC_TRY.' },
        AUTHORIZATION: { description: 'Within an authorization (cosmos.authz.v1beta1.MsgExec).' },
        PROPOSAL: { description: 'By a group policy, as a message of an executed proposal.' },
        OTHER: { description: 'By other means, such as a contract. It was seen in the state only.' },
      },
    }),
    ProposalEventKind: builder.enumType('ProposalEventKind', {
      description: 'What happened to a proposal.',
      values: {
        SUBMITTED: { description: 'It was submitted.' },
        VOTED: { description: 'A member voted.' },
        VOTING_ENDED: { description: 'The voting period ended, and the tally became final.' },
        DECIDED: { description: 'An execution found the tally final.' },
        EXECUTED: { description: 'Its messages ran.' },
        EXECUTION_FAILED: { description: 'One of its messages failed, and all were rolled back. `detail` is the log.' },
        WITHDRAWN: { description: 'It was withdrawn.' },
        ABORTED: { description: 'A change of the group policy ended it.' },
        CLOSED: { description: 'The voting ended. How is not known, because it lies before the coverage.' },
        GROUP_UPDATED: { description: 'The group or its members changed while votes were taken. `detail` names the change.' },
        POLICY_UPDATED: { description: 'The group policy changed while votes were taken. `detail` names the change.' },
        PRUNED: { description: 'The chain deleted it.' },
      },
    }),
  };
}
