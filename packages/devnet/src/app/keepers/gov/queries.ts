import { fromBinary } from '@bufbuild/protobuf';
import type { PageRequest } from '../../../../../../src/proto/cosmos/base/query/v1beta1/pagination_pb.js';
import {
  DepositSchema,
  type Proposal,
  ProposalSchema,
  ProposalStatus,
  VoteSchema,
} from '../../../../../../src/proto/cosmos/gov/v1/gov_pb.js';
import { Query } from '../../../../../../src/proto/cosmos/gov/v1/query_pb.js';
import { StatusError } from '../../runtime/abciErrors.ts';
import { onQuery, type QueryHandler } from '../../runtime/keeper.ts';
import { u64Key } from '../../state/bytes.ts';
import type { StoreEntry, StoreView } from '../../state/store.ts';
import { pageOfCollection, paginateHits, walk } from '../base/page.ts';
import { emptyTally, findProposal, govKeys, govStore, partOf, readParams } from './state.ts';
import { countVotes } from './tally.ts';

/** Returns a proposal. The text for an unknown one is recorded, that for 0 is inferred. */
function requireProposal(state: StoreView, id: bigint): Proposal {
  if (id === 0n) throw new StatusError('InvalidArgument', 'proposal id can not be 0');
  const proposal = findProposal(state, id);
  if (proposal === undefined) throw new StatusError('NotFound', `proposal ${id} doesn't exist`);
  return proposal;
}

/** The rows of a proposal. One that does not exist has none (recorded). */
function rowsOf(state: StoreView, prefix: string, id: bigint, request: PageRequest | undefined) {
  if (id === 0n) throw new StatusError('InvalidArgument', 'proposal id can not be 0');
  return pageOfCollection(state, govStore, prefix + u64Key(id), request);
}

/** The queries of the module. */
export const govQueries: readonly QueryHandler[] = [
  onQuery(Query.method.proposal, (state, { proposalId }) => ({ proposal: requireProposal(state, proposalId) })),
  onQuery(Query.method.proposals, (state, { proposalStatus, voter, depositor, pagination: request }) => {
    const decode = ({ value }: StoreEntry): Proposal => fromBinary(ProposalSchema, value);
    const has = (prefix: string, id: bigint, address: string): boolean =>
      address === '' || state.get(govStore, prefix + partOf(id, address)) !== undefined;
    const { entries, pagination } = paginateHits(request, walk(state, govStore, govKeys.proposal, request), (entry) => {
      const { id, status } = decode(entry);
      return (
        (proposalStatus === ProposalStatus.UNSPECIFIED || status === proposalStatus) &&
        has(govKeys.vote, id, voter) &&
        has(govKeys.deposit, id, depositor)
      );
    });
    return { proposals: entries.map(decode), pagination };
  }),
  // The texts are those of the Cosmos SDK; not recorded.
  onQuery(Query.method.vote, (state, { proposalId, voter }) => {
    if (proposalId === 0n) throw new StatusError('InvalidArgument', 'proposal id can not be 0');
    if (voter === '') throw new StatusError('InvalidArgument', 'empty voter address');
    const stored = state.get(govStore, govKeys.vote + partOf(proposalId, voter));
    if (stored === undefined) {
      throw new StatusError('InvalidArgument', `voter: ${voter} not found for proposal: ${proposalId}`);
    }
    return { vote: fromBinary(VoteSchema, stored) };
  }),
  onQuery(Query.method.votes, (state, { proposalId, pagination: request }) => {
    const { entries, pagination } = rowsOf(state, govKeys.vote, proposalId, request);
    return { votes: entries.map(({ value }) => fromBinary(VoteSchema, value)), pagination };
  }),
  onQuery(Query.method.deposits, (state, { proposalId, pagination: request }) => {
    const { entries, pagination } = rowsOf(state, govKeys.deposit, proposalId, request);
    return { deposits: entries.map(({ value }) => fromBinary(DepositSchema, value)), pagination };
  }),
  onQuery(Query.method.params, (state) => ({ params: readParams(state) })),
  onQuery(Query.method.tallyResult, (state, { proposalId }) => {
    const proposal = requireProposal(state, proposalId);
    const { status, finalTallyResult = emptyTally() } = proposal;
    if (status === ProposalStatus.DEPOSIT_PERIOD) return { tally: emptyTally() };
    if (status !== ProposalStatus.VOTING_PERIOD) return { tally: finalTallyResult };
    return { tally: countVotes(state, proposal, readParams(state)).tally };
  }),
];
