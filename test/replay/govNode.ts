import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { ParamsSchema, type Vote } from '../../src/proto/cosmos/gov/v1/gov_pb.js';
import * as gov from '../../src/proto/cosmos/gov/v1/query_pb.js';
import * as staking from '../../src/proto/cosmos/staking/v1beta1/query_pb.js';
import { BondStatus } from '../../src/proto/cosmos/staking/v1beta1/staking_pb.js';
import { govBlocks, govState } from '../recordings/gov.ts';
import type { AbciResponse, ChainRow } from '../recordings/recordings.ts';
import { addressBytes, bigEndian, listOf, type ReplayList } from './replayList.ts';
import { createReplayNode, type ReplayNode } from './replayNode.ts';

/** A node that returns the recorded chain with proposals of x/gov, block by block. */
export interface GovNode extends Pick<ReplayNode, 'url' | 'subscribed' | 'close' | 'calls' | 'reset'> {
  /** The queries without a recorded answer, as `path request height`. */
  readonly unrecorded: readonly string[];
  /** Sends the block at a height to the subscribers. */
  emit(height: bigint): void;
}

/** The lists of the recording. Their page keys are not recorded: Stele reads them by offset. */
const lists: Readonly<Record<string, ReplayList>> = {
  '/cosmos.gov.v1.Query/Votes': listOf({
    request: gov.QueryVotesRequestSchema,
    response: gov.QueryVotesResponseSchema,
    items: ({ votes }) => votes,
    rowId: ({ voter }) => addressBytes(voter),
  }),
  '/cosmos.gov.v1.Query/Deposits': listOf({
    request: gov.QueryDepositsRequestSchema,
    response: gov.QueryDepositsResponseSchema,
    items: ({ deposits }) => deposits,
    rowId: ({ depositor }) => addressBytes(depositor),
  }),
  '/cosmos.gov.v1.Query/Proposals': listOf({
    request: gov.QueryProposalsRequestSchema,
    response: gov.QueryProposalsResponseSchema,
    items: ({ proposals }) => proposals,
    rowId: ({ id }) => bigEndian(id),
  }),
  '/cosmos.staking.v1beta1.Query/DelegatorDelegations': listOf({
    request: staking.QueryDelegatorDelegationsRequestSchema,
    response: staking.QueryDelegatorDelegationsResponseSchema,
    items: ({ delegationResponses }) => delegationResponses,
    rowId: ({ delegation }) => addressBytes(delegation!.validatorAddress),
  }),
  '/cosmos.staking.v1beta1.Query/Validators': listOf({
    request: staking.QueryValidatorsRequestSchema,
    response: staking.QueryValidatorsResponseSchema,
    items: ({ validators }) => validators,
    rowId: ({ operatorAddress }) => addressBytes(operatorAddress),
  }),
};

const hexBytes = (text: string): Uint8Array => Buffer.from(text, 'hex');
const plain: AbciResponse = {
  ...{ code: 0, log: '', info: '', index: '0', key: null, value: null, proofOps: null, height: '0', codespace: '' },
};

/** The parameters of the chain, in the form of its genesis. The recording names the periods; the parts are those of the decisions that it has. */
const params = create(ParamsSchema, {
  minDeposit: [{ denom: 'nhash', amount: '1000' }],
  expeditedMinDeposit: [{ denom: 'nhash', amount: '5000' }],
  maxDepositPeriod: { seconds: 24n },
  votingPeriod: { seconds: 40n },
  expeditedVotingPeriod: { seconds: 20n },
  quorum: '0.334000000000000000',
  threshold: '0.500000000000000000',
  expeditedThreshold: '0.667000000000000000',
  vetoThreshold: '0.334000000000000000',
  burnVoteVeto: true,
});

/** Starts the node at the first height of a recording. It answers queries of gov and staking at recorded heights only. */
export async function createGovNode(name: 'gov' | 'late' = 'gov'): Promise<GovNode> {
  const { state } = govState(name);
  const rows = new Map((govBlocks(name).blocks as unknown as readonly ChainRow[]).map((row) => [BigInt(row.height), row]));
  const heights = [...rows.keys()].filter((height) => state[String(height)] !== undefined);
  const [first, last] = [heights[0]!, heights.at(-1)!];
  const unrecorded: string[] = [];
  let head = first;

  /** What the node answered to a query of a path at a height, by its request without pagination. */
  function recorded(height: bigint, path: string, request: Uint8Array) {
    const same = lists[path]?.argumentsOf ?? ((bytes: Uint8Array) => Buffer.from(bytes).toString('hex'));
    const answers = Object.values(state[String(height)] ?? {}).filter((answer) => answer.path === path);
    if (path.endsWith('/Validators')) return answers[0];
    return answers.find(({ data }) => same(hexBytes(data)) === same(request));
  }

  /** The recorded vote of an account on a proposal. */
  function voteOf(height: bigint, proposalId: bigint, voter: string): Vote | undefined {
    const request = toBinary(gov.QueryVotesRequestSchema, create(gov.QueryVotesRequestSchema, { proposalId }));
    const bytes = Buffer.from(recorded(height, '/cosmos.gov.v1.Query/Votes', request)?.value ?? '', 'base64');
    return fromBinary(gov.QueryVotesResponseSchema, bytes).votes.find((vote) => vote.voter === voter);
  }

  /** The proposals of the recording at a height, as a list. */
  function proposals(height: bigint, { proposalStatus, voter }: gov.QueryProposalsRequest): Uint8Array {
    const stored = Object.values(state[String(height)] ?? {})
      .filter(({ path, value }) => path === '/cosmos.gov.v1.Query/Proposal' && value !== null)
      .flatMap(({ value }) => fromBinary(gov.QueryProposalResponseSchema, Buffer.from(value ?? '', 'base64')).proposal ?? [])
      .filter(({ status }) => proposalStatus === 0 || status === proposalStatus)
      .filter(({ id }) => voter === '' || voteOf(height, id, voter) !== undefined)
      .toSorted((a, b) => Number(a.id - b.id));
    return toBinary(gov.QueryProposalsResponseSchema, create(gov.QueryProposalsResponseSchema, { proposals: stored }));
  }

  function bondedTokens(height: bigint): string {
    const answer = recorded(height, '/cosmos.staking.v1beta1.Query/Validators', new Uint8Array());
    const { validators } = fromBinary(staking.QueryValidatorsResponseSchema, Buffer.from(answer?.value ?? '', 'base64'));
    return String(
      validators.filter(({ status }) => status === BondStatus.BONDED).reduce((sum, { tokens }) => sum + BigInt(tokens), 0n),
    );
  }

  function queried({ path: asked, data, height }: JsonObject): AbciResponse | undefined {
    const path = String(asked);
    // Nothing of groups is recorded.
    if (path.startsWith('/cosmos.group.'))
      return { ...plain, code: 6, codespace: 'sdk', log: 'unknown query path: unknown request' };
    if (!/^\/cosmos\.(gov|staking)\./.test(path)) return undefined;
    const at = height === '0' || height === undefined ? head : BigInt(String(height));
    const request = hexBytes(String(data));
    const reply = (value: Uint8Array): AbciResponse => ({
      ...plain,
      height: String(at),
      value: Buffer.from(value).toString('base64'),
    });
    if (path === '/cosmos.gov.v1.Query/Params')
      return reply(toBinary(gov.QueryParamsResponseSchema, create(gov.QueryParamsResponseSchema, { params })));
    if (path === '/cosmos.staking.v1beta1.Query/Pool') {
      const pool = { bondedTokens: bondedTokens(at), notBondedTokens: '0' };
      return reply(toBinary(staking.QueryPoolResponseSchema, create(staking.QueryPoolResponseSchema, { pool })));
    }
    if (path === '/cosmos.gov.v1.Query/Vote') {
      const { proposalId, voter } = fromBinary(gov.QueryVoteRequestSchema, request);
      const vote = voteOf(at, proposalId, voter);
      return reply(toBinary(gov.QueryVoteResponseSchema, create(gov.QueryVoteResponseSchema, vote ? { vote } : {})));
    }
    const list = lists[path];
    if (path === '/cosmos.gov.v1.Query/Proposals') {
      const whole = proposals(at, fromBinary(gov.QueryProposalsRequestSchema, request));
      const page = list?.page(request, whole);
      if (page !== undefined) return reply(page);
    }
    const answer = recorded(at, path, request);
    // The first two proposals of the chain are not recorded.
    if (answer === undefined && path === '/cosmos.gov.v1.Query/Proposal') {
      const { proposalId } = fromBinary(gov.QueryProposalRequestSchema, request);
      return {
        ...plain,
        code: 22,
        codespace: 'sdk',
        log: `rpc error: code = NotFound desc = proposal ${proposalId} doesn't exist: key not found`,
      };
    }
    if (answer === undefined) {
      unrecorded.push(`${path} ${String(data)} ${at}`);
      return { ...plain, code: 1, codespace: 'test', log: 'not recorded' };
    }
    const { code = 0, log = '', value } = answer;
    if (code !== 0) return { ...plain, code, log, codespace: 'sdk', height: String(at) };
    const bytes = Buffer.from(value ?? '', 'base64');
    return reply(list?.page(request, bytes) ?? bytes);
  }

  function answer(method: string, sent: JsonObject): { readonly result: JsonValue } | undefined {
    switch (method) {
      case 'status': {
        const { block_id: id, block } = rows.get(head)!.block as { block_id: { hash: string }; block: { header: JsonObject } };
        return {
          result: {
            node_info: { network: 'facts-net-1', other: { tx_index: 'on' } },
            sync_info: {
              ...{ latest_block_hash: id.hash, latest_app_hash: block.header.app_hash!, latest_block_height: String(head) },
              ...{ latest_block_time: block.header.time!, earliest_block_hash: '', earliest_block_height: String(first) },
              catching_up: false,
            },
          },
        };
      }
      case 'abci_info':
        return { result: { response: { data: 'provenanced', version: 'v1.29.0', last_block_height: String(head) } } };
      case 'block':
      case 'block_results': {
        const row = rows.get(BigInt(String(sent.height)));
        return row && { result: (method === 'block' ? row.block : row.block_results) as JsonValue };
      }
      case 'abci_query': {
        const response = queried(sent);
        return response && { result: { response: { ...response } } };
      }
      default:
        return undefined;
    }
  }

  const query = "tm.event='NewBlock'";
  const node = await createReplayNode({ head: last, instead: answer });
  return {
    url: node.url,
    subscribed: node.subscribed,
    close: node.close,
    calls: node.calls,
    reset: node.reset,
    unrecorded,
    emit(height) {
      const row = rows.get(height)!;
      head = height;
      const { finalize_block_events: events = [], txs_results: txs, app_hash = '' } = row.block_results;
      const value = { ...row.block, result_finalize_block: { events, tx_results: txs ?? null, app_hash } };
      node.emit(query, { query, data: { type: 'tendermint/event/NewBlock', value }, events: {} });
    },
  };
}
