/** A message as protobuf JSON, as wallets and the command line of the chain take it. */
export type MessageJson = { readonly '@type': string } & { readonly [key: string]: MessageValue };

type MessageValue = string | number | boolean | null | readonly MessageValue[] | { readonly [key: string]: MessageValue };

/** The options of a vote. */
export type VoteChoice = 'VOTE_OPTION_YES' | 'VOTE_OPTION_NO' | 'VOTE_OPTION_ABSTAIN' | 'VOTE_OPTION_NO_WITH_VETO';

/** A vote on a group proposal. `reason` is public, and has at most 255 bytes. */
export function voteMessage(voter: string, proposalId: string, option: VoteChoice, reason = ''): MessageJson {
  return {
    '@type': '/cosmos.group.v1.MsgVote',
    proposal_id: proposalId,
    voter,
    option,
    metadata: reason,
    exec: 'EXEC_UNSPECIFIED',
  };
}

/** The execution of an accepted proposal. */
export function executeMessage(executor: string, proposalId: string): MessageJson {
  return { '@type': '/cosmos.group.v1.MsgExec', proposal_id: proposalId, executor };
}

/** A payment, by an account or by a proposal. */
export interface Payment {
  readonly recipient: string;
  readonly denom: string;
  /** In base units. */
  readonly amount: string;
}

/** A payment from an account. */
export function sendMessage(from: string, { recipient, denom, amount }: Payment): MessageJson {
  return {
    '@type': '/cosmos.bank.v1beta1.MsgSend',
    from_address: from,
    to_address: recipient,
    amount: [{ denom, amount }],
  };
}

/** A proposal of a group policy. */
export function proposeMessage(
  proposer: string,
  policy: string,
  { title, summary, messages }: { readonly title: string; readonly summary: string; readonly messages: readonly MessageJson[] },
): MessageJson {
  return {
    '@type': '/cosmos.group.v1.MsgSubmitProposal',
    group_policy_address: policy,
    proposers: [proposer],
    metadata: '',
    messages,
    exec: 'EXEC_UNSPECIFIED',
    title,
    summary,
  };
}
