import { SteleError, type TypedDocument } from '@stele/client';
import { stele } from '../../data/stele.ts';
import {
  AccountTransfersFileDocument,
  BalancesFileDocument,
  BlocksFileDocument,
  BlockTransactionsFileDocument,
  BoardFileDocument,
  BoardRecordsFileDocument,
  CastVotesFileDocument,
  ClosedOfGroupsFileDocument,
  ContractCallsFileDocument,
  DelegationsFileDocument,
  DelegatorsFileDocument,
  GovCastVotesFileDocument,
  GovMissedVotesFileDocument,
  GovProposalsFileDocument,
  GovRecordVotesFileDocument,
  GovVotesFileDocument,
  GroupsFileDocument,
  HoldersFileDocument,
  MarkersFileDocument,
  MembersFileDocument,
  MissedVotesFileDocument,
  RecordVotesFileDocument,
  SignedTransactionsFileDocument,
  SuppliesFileDocument,
  TokenTransfersFileDocument,
  ValidatorsFileDocument,
  VotesFileDocument,
} from './gen/graphql.ts';

/** The most rows of a file. */
export const mostRows = 10_000;

interface RowPage {
  readonly nodes: readonly object[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

interface PageRead {
  readonly page: RowPage | null | undefined;
  /** The height that it was read at. */
  readonly height: bigint | undefined;
}

/** Reads one page of the list of a subject: a denom, an address, the id of a group or a proposal, a height, or nothing. */
type ReadPage = (subject: string, after: string | null, height: bigint | undefined) => Promise<PageRead>;

function list<T, V>(
  document: TypedDocument<T, V>,
  variables: (subject: string, after: string | null) => V,
  pageOf: (data: T) => RowPage | null | undefined,
): ReadPage {
  return async (subject, after, height) => {
    const result = await stele.query(document, variables(subject, after), { height });
    const [error] = result.errors ?? [];
    if (error !== undefined) throw error;
    return { page: pageOf(result.data), height: result.height === undefined ? height : BigInt(result.height) };
  };
}

const ofDenom = (denom: string, after: string | null) => ({ denom, after });
const ofAddress = (address: string, after: string | null) => ({ address, after });
const ofId = (id: string, after: string | null) => ({ id, after });
const ofChain = (_: string, after: string | null) => ({ after });

const lists = {
  holders: list(HoldersFileDocument, ofDenom, ({ holders }) => holders),
  tokenTransfers: list(TokenTransfersFileDocument, ofDenom, ({ transfers }) => transfers),
  accountTransfers: list(AccountTransfersFileDocument, ofAddress, ({ transfers }) => transfers),
  balances: list(BalancesFileDocument, ofAddress, ({ account }) => account?.balances),
  members: list(MembersFileDocument, ofId, ({ groupMembers }) => groupMembers),
  groups: list(GroupsFileDocument, ofChain, ({ groups }) => groups),
  closedProposals: list(ClosedOfGroupsFileDocument, ofChain, ({ proposalRecords }) => proposalRecords),
  proposals: list(BoardFileDocument, ofAddress, ({ proposalsByGroupPolicy }) => proposalsByGroupPolicy),
  recordedProposals: list(BoardRecordsFileDocument, ofAddress, ({ proposalRecords }) => proposalRecords),
  votes: list(VotesFileDocument, ofId, ({ votesByProposal }) => votesByProposal),
  recordedVotes: list(RecordVotesFileDocument, ofId, ({ proposalRecord }) => proposalRecord?.votes),
  govProposals: list(GovProposalsFileDocument, ofChain, ({ govProposals }) => govProposals),
  govVotes: list(GovVotesFileDocument, ofId, ({ govProposal }) => govProposal?.votes),
  recordedGovVotes: list(GovRecordVotesFileDocument, ofId, ({ govProposalRecord }) => govProposalRecord?.votes),
  validators: list(ValidatorsFileDocument, ofChain, ({ stakingPool }) => stakingPool?.validators),
  markers: list(MarkersFileDocument, ofChain, ({ markers }) => markers),
  supplies: list(SuppliesFileDocument, ofChain, ({ totalSupply }) => totalSupply),
  delegations: list(DelegationsFileDocument, ofAddress, ({ account }) => account?.staking?.delegations),
  delegators: list(DelegatorsFileDocument, ofAddress, ({ account }) => account?.validator?.delegations),
  castVotes: list(CastVotesFileDocument, ofAddress, ({ account }) => account?.voteRecords),
  govCastVotes: list(GovCastVotesFileDocument, ofAddress, ({ account }) => account?.govVoteRecords),
  missedVotes: list(MissedVotesFileDocument, ofAddress, ({ proposalRecords }) => proposalRecords),
  govMissedVotes: list(GovMissedVotesFileDocument, ofAddress, ({ govProposalRecords }) => govProposalRecords),
  signedTransactions: list(SignedTransactionsFileDocument, ofAddress, ({ transactions }) => transactions),
  contractCalls: list(ContractCallsFileDocument, ofAddress, ({ transactions }) => transactions),
  blockTransactions: list(
    BlockTransactionsFileDocument,
    (number, after) => ({ number, after }),
    ({ block }) => block?.transactions,
  ),
  blocks: list(
    BlocksFileDocument,
    (from, after) => ({ from: from === '' ? null : from, after }),
    ({ blocks }) => blocks,
  ),
};

/** The name of a list that can be saved. */
export type ListName = keyof typeof lists;

/**
 * Reads a whole list at one height, by default the newest, up to {@link mostRows}. Rejects with the error of the first page that cannot be read.
 */
export async function readList(
  name: ListName,
  subject: string,
  at: bigint | undefined,
): Promise<{ readonly rows: readonly object[]; readonly height: bigint | undefined; readonly isCut: boolean }> {
  const rows: object[] = [];
  let height = at;
  let after: string | null = null;
  for (;;) {
    const read: PageRead = await lists[name](subject, after, height);
    if (read.page === null || read.page === undefined)
      throw new SteleError('CONNECTION_FAILED', 'The list could not be read.', {});
    rows.push(...read.page.nodes);
    height ??= read.height;
    const { hasNextPage, endCursor } = read.page.pageInfo;
    if (!hasNextPage || endCursor === null) return { rows, height, isCut: false };
    if (rows.length >= mostRows) return { rows, height, isCut: true };
    after = endCursor;
  }
}
