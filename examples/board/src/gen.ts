/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };

import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** Status of a proposal. A proposal leaves PROPOSAL_STATUS_SUBMITTED once and never returns to it. */
export type ProposalStatus =
  /** The group policy changed before the proposal was decided. It has no tally. */
  | 'PROPOSAL_STATUS_ABORTED'
  /** The final tally met the decision policy. The messages can be executed. */
  | 'PROPOSAL_STATUS_ACCEPTED'
  /** The final tally did not meet the decision policy. */
  | 'PROPOSAL_STATUS_REJECTED'
  /** Open for voting: no decision yet. */
  | 'PROPOSAL_STATUS_SUBMITTED'
  /** No status. Stored proposals never have it. */
  | 'PROPOSAL_STATUS_UNSPECIFIED'
  /** A proposer or the admin of the policy withdrew it. It has no tally. */
  | 'PROPOSAL_STATUS_WITHDRAWN'
  /** A value that this server does not recognize. */
  | 'UNRECOGNIZED';

/** Decision of a decision policy on a tally. */
export type TallyDecision =
  /** The yes weight suffices. Execution now would accept the proposal, whatever the remaining members vote. */
  | 'ACCEPTED'
  /** The yes weight can no longer suffice. Execution now would reject the proposal. */
  | 'REJECTED'
  /** The remaining votes can still decide. If the voting period ended with this tally, the proposal would be rejected. */
  | 'UNDECIDED';

/** Option of a vote. Only YES counts towards acceptance. The other three options only reduce the undecided weight. */
export type VoteOption =
  /** A value that this server does not recognize. */
  | 'UNRECOGNIZED'
  /** Abstain. Counted like NO by the decision policies of the chain. */
  | 'VOTE_OPTION_ABSTAIN'
  /** No. */
  | 'VOTE_OPTION_NO'
  /** No with veto. Counted like NO by the decision policies of the chain. */
  | 'VOTE_OPTION_NO_WITH_VETO'
  /** No option. Stored votes never have it. */
  | 'VOTE_OPTION_UNSPECIFIED'
  /** Yes. */
  | 'VOTE_OPTION_YES';

export type GroupsQueryVariables = Exact<{ [key: string]: never }>;

export type GroupsQuery = { groups: { nodes: Array<{ id: string; metadata: string }> } | null };

export type BoardQueryVariables = Exact<{
  group: string | number;
}>;

export type BoardQuery = {
  head: { height: string } | null;
  group: {
    proposals: {
      nodes: Array<{
        id: string;
        title: string;
        summary: string;
        status: ProposalStatus;
        groupPolicy: { metadata: string } | null;
        tally: { yesCount: string; noCount: string; noWithVetoCount: string; abstainCount: string } | null;
        outcome: { decision: TallyDecision; yesNeeded: string; undecidedWeight: string } | null;
        votes: {
          nodes: Array<{
            option: VoteOption;
            submitTime: string;
            voter: { address: string };
            member: { weight: string; metadata: string } | null;
          }>;
        } | null;
      }>;
    } | null;
  } | null;
};

export type ChangesSubscriptionVariables = Exact<{
  group: string | number;
  after?: string | number | null | undefined;
}>;

export type ChangesSubscription = {
  proposalUpdated: {
    proposalId: string;
    proposal: {
      id: string;
      title: string;
      summary: string;
      status: ProposalStatus;
      groupPolicy: { metadata: string } | null;
      tally: { yesCount: string; noCount: string; noWithVetoCount: string; abstainCount: string } | null;
      outcome: { decision: TallyDecision; yesNeeded: string; undecidedWeight: string } | null;
      votes: {
        nodes: Array<{
          option: VoteOption;
          submitTime: string;
          voter: { address: string };
          member: { weight: string; metadata: string } | null;
        }>;
      } | null;
    } | null;
  };
};

export type BlocksSubscriptionVariables = Exact<{
  after?: string | number | null | undefined;
}>;

export type BlocksSubscription = { newBlock: { height: string } };

export type CardFragment = {
  id: string;
  title: string;
  summary: string;
  status: ProposalStatus;
  groupPolicy: { metadata: string } | null;
  tally: { yesCount: string; noCount: string; noWithVetoCount: string; abstainCount: string } | null;
  outcome: { decision: TallyDecision; yesNeeded: string; undecidedWeight: string } | null;
  votes: {
    nodes: Array<{
      option: VoteOption;
      submitTime: string;
      voter: { address: string };
      member: { weight: string; metadata: string } | null;
    }>;
  } | null;
};

export const CardFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Card' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Proposal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'summary' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'groupPolicy' },
            selectionSet: { kind: 'SelectionSet', selections: [{ kind: 'Field', name: { kind: 'Name', value: 'metadata' } }] },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'tally' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'yesCount' } },
                { kind: 'Field', name: { kind: 'Name', value: 'noCount' } },
                { kind: 'Field', name: { kind: 'Name', value: 'noWithVetoCount' } },
                { kind: 'Field', name: { kind: 'Name', value: 'abstainCount' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'outcome' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'decision' } },
                { kind: 'Field', name: { kind: 'Name', value: 'yesNeeded' } },
                { kind: 'Field', name: { kind: 'Name', value: 'undecidedWeight' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'votes' },
            arguments: [{ kind: 'Argument', name: { kind: 'Name', value: 'first' }, value: { kind: 'IntValue', value: '50' } }],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'option' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'submitTime' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'voter' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'address' } }],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'member' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'weight' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'metadata' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CardFragment, unknown>;
export const GroupsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'Groups' },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'groups' },
            arguments: [{ kind: 'Argument', name: { kind: 'Name', value: 'first' }, value: { kind: 'IntValue', value: '10' } }],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'metadata' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<GroupsQuery, GroupsQueryVariables>;
export const BoardDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'Board' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'group' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'head' },
            selectionSet: { kind: 'SelectionSet', selections: [{ kind: 'Field', name: { kind: 'Name', value: 'height' } }] },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'group' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'group' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'proposals' },
                  arguments: [
                    { kind: 'Argument', name: { kind: 'Name', value: 'first' }, value: { kind: 'IntValue', value: '12' } },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'reverse' },
                      value: { kind: 'BooleanValue', value: true },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'Card' } }],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Card' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Proposal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'summary' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'groupPolicy' },
            selectionSet: { kind: 'SelectionSet', selections: [{ kind: 'Field', name: { kind: 'Name', value: 'metadata' } }] },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'tally' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'yesCount' } },
                { kind: 'Field', name: { kind: 'Name', value: 'noCount' } },
                { kind: 'Field', name: { kind: 'Name', value: 'noWithVetoCount' } },
                { kind: 'Field', name: { kind: 'Name', value: 'abstainCount' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'outcome' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'decision' } },
                { kind: 'Field', name: { kind: 'Name', value: 'yesNeeded' } },
                { kind: 'Field', name: { kind: 'Name', value: 'undecidedWeight' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'votes' },
            arguments: [{ kind: 'Argument', name: { kind: 'Name', value: 'first' }, value: { kind: 'IntValue', value: '50' } }],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'option' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'submitTime' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'voter' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'address' } }],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'member' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'weight' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'metadata' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<BoardQuery, BoardQueryVariables>;
export const ChangesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'Changes' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'group' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int64' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'proposalUpdated' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'groupId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'group' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'proposalId' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'proposal' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'Card' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Card' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Proposal' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'title' } },
          { kind: 'Field', name: { kind: 'Name', value: 'summary' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'groupPolicy' },
            selectionSet: { kind: 'SelectionSet', selections: [{ kind: 'Field', name: { kind: 'Name', value: 'metadata' } }] },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'tally' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'yesCount' } },
                { kind: 'Field', name: { kind: 'Name', value: 'noCount' } },
                { kind: 'Field', name: { kind: 'Name', value: 'noWithVetoCount' } },
                { kind: 'Field', name: { kind: 'Name', value: 'abstainCount' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'outcome' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'decision' } },
                { kind: 'Field', name: { kind: 'Name', value: 'yesNeeded' } },
                { kind: 'Field', name: { kind: 'Name', value: 'undecidedWeight' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'votes' },
            arguments: [{ kind: 'Argument', name: { kind: 'Name', value: 'first' }, value: { kind: 'IntValue', value: '50' } }],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'option' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'submitTime' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'voter' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'address' } }],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'member' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'weight' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'metadata' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ChangesSubscription, ChangesSubscriptionVariables>;
export const BlocksDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'Blocks' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int64' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'newBlock' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
            ],
            selectionSet: { kind: 'SelectionSet', selections: [{ kind: 'Field', name: { kind: 'Name', value: 'height' } }] },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<BlocksSubscription, BlocksSubscriptionVariables>;
