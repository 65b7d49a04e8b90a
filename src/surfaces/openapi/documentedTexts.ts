/** Texts of an operation. */
interface OperationTexts {
  readonly summary: string;
  readonly description: string;
}

/**
 * Texts of the queries for votes and attributes, by the full names of their methods. Descriptors of a chain contain no
 * comments.
 */
export const operationTexts: Readonly<Record<string, OperationTexts>> = {
  'cosmos.group.v1.Query.Proposal': {
    summary: 'Proposal',
    description: 'Returns a proposal by its id.',
  },
  'cosmos.group.v1.Query.TallyResult': {
    summary: 'TallyResult',
    description:
      'Returns the tally of a proposal. During the voting period it counts the votes cast so far, and can still change. After the voting period it is the final result that the chain stores.',
  },
  'cosmos.group.v1.Query.ProposalsByGroupPolicy': {
    summary: 'ProposalsByGroupPolicy',
    description: 'Lists the proposals of a group policy, by the address of its account.',
  },
  'cosmos.group.v1.Query.VoteByProposalVoter': {
    summary: 'VoteByProposalVoter',
    description: 'Returns the vote of one voter on a proposal.',
  },
  'cosmos.group.v1.Query.VotesByProposal': {
    summary: 'VotesByProposal',
    description: 'Lists the votes on a proposal.',
  },
  'cosmos.group.v1.Query.VotesByVoter': {
    summary: 'VotesByVoter',
    description: 'Lists the votes of an account.',
  },
  'provenance.attribute.v1.Query.Scan': {
    summary: 'Scan',
    description: 'Lists the attributes of an account whose names end with a suffix.',
  },
  'provenance.attribute.v1.Query.Attribute': {
    summary: 'Attribute',
    description:
      'Lists the attributes of an account with a given name. An account can have several attributes of the same name.',
  },
};

/** Descriptions of parameters, by name. */
export const fieldTexts: Readonly<Record<string, string>> = {
  proposal_id: 'Id of the proposal.',
  voter: 'Address of the account that voted.',
  account: 'Address of the account.',
  suffix: 'End of the attribute name. Names have reverse-DNS format.',
  name: 'The name. Names of attributes have reverse-DNS format.',
  denom: 'The denom.',
  'pagination.key':
    'The `nextKey` of the previous page. This is the most efficient way to read the next page. Cannot be combined with `pagination.offset`.',
  'pagination.offset': 'Number of items to skip. Less efficient than `pagination.key`, and cannot be combined with it.',
  'pagination.limit': 'Number of items on the page. Default 100, at most 200.',
  'pagination.countTotal': 'Whether to return the total number of items. Ignored together with `pagination.key`.',
  'pagination.count_total': 'Whether to return the total number of items. Ignored together with `pagination.key`.',
  'pagination.reverse': 'Whether to list items in descending order.',
};
