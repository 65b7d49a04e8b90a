/** An operation in words. */
export interface OperationWords {
  readonly summary: string;
  readonly description: string;
}

/** The queries of votes and attributes in words, by the full names of their methods: descriptors of a chain come without comments. */
export const operationWords: Readonly<Record<string, OperationWords>> = {
  'cosmos.group.v1.Query.Proposal': {
    summary: 'Proposal',
    description: 'A proposal by its id.',
  },
  'cosmos.group.v1.Query.TallyResult': {
    summary: 'TallyResult',
    description:
      'The tally of a proposal: within the voting period what is counted so far, which might not be final; afterwards the stored final result.',
  },
  'cosmos.group.v1.Query.ProposalsByGroupPolicy': {
    summary: 'ProposalsByGroupPolicy',
    description: 'The proposals of a group policy, by the address of its account.',
  },
  'cosmos.group.v1.Query.VoteByProposalVoter': {
    summary: 'VoteByProposalVoter',
    description: 'The vote of one voter on a proposal.',
  },
  'cosmos.group.v1.Query.VotesByProposal': {
    summary: 'VotesByProposal',
    description: 'The votes on a proposal.',
  },
  'cosmos.group.v1.Query.VotesByVoter': {
    summary: 'VotesByVoter',
    description: 'The votes of an account.',
  },
  'provenance.attribute.v1.Query.Scan': {
    summary: 'Scan',
    description: 'The attributes of an account whose names end in a suffix.',
  },
  'provenance.attribute.v1.Query.Attribute': {
    summary: 'Attribute',
    description: 'The attributes of an account with a name; one or more attributes with that name are returned.',
  },
};

/** Parameters in words, by name. */
export const fieldWords: Readonly<Record<string, string>> = {
  proposal_id: 'Unique proposal id.',
  voter: 'Voter account address.',
  account: 'Address of the account.',
  suffix: 'Partial attribute name, matched as a suffix of names in reverse-DNS format.',
  name: 'A name; of an attribute in reverse-DNS format.',
  denom: 'A denom.',
  'pagination.key':
    'The `nextKey` of a page before, which is the most efficient way to the next one. Either this or the offset, not both.',
  'pagination.offset': 'How many to pass over, where there is no key; less efficient.',
  'pagination.limit': 'How many there are to be on the page: 100 if nothing is said, 200 at most.',
  'pagination.countTotal': 'Whether the total is to be told. Only with an offset: with a key it is ignored.',
  'pagination.count_total': 'Whether the total is to be told. Only with an offset: with a key it is ignored.',
  'pagination.reverse': 'Whether the order is to be descending.',
};
