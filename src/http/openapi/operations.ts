import { type RpcMethodName, rpcMethods } from '../../chain/rpc/methods.ts';

/** An operation of the service by its name, with all that answers it. */
export interface ServiceOperation {
  readonly name: string;
  /** The method of the node RPC, at the root paths and under `/comet`; undefined where there is none. */
  readonly method: RpcMethodName | 'subscribe' | 'unsubscribe' | undefined;
  /** Paths over HTTP, as the descriptions have them. */
  readonly paths: readonly string[];
  /** Fields of the graph: of its queries, mutations and subscriptions. */
  readonly fields: readonly string[];
}

function ofNode(name: string, method: RpcMethodName, field: string): ServiceOperation {
  return { name, method, paths: [`/${method}`, `/comet/${method}`], fields: [field] };
}

function ofModule(name: string, path: string, field: string): ServiceOperation {
  return { name, method: undefined, paths: [path, `/rest${path}`], fields: [field] };
}

function ofAggregates(name: string, paths: readonly string[], fields: readonly string[]): ServiceOperation {
  return { name, method: undefined, paths, fields };
}

const group = '/cosmos/group/v1';
const attribute = '/provenance/attribute/v1/attribute/{account}';

/** The operations that have names. */
export const serviceOperations: readonly ServiceOperation[] = [
  ofNode('Broadcast, wait for check', 'broadcast_tx_sync', 'Mutation.broadcastTxSync'),
  ofNode('Broadcast, no wait', 'broadcast_tx_async', 'Mutation.broadcastTxAsync'),
  ofNode('Broadcast, wait for commit', 'broadcast_tx_commit', 'Mutation.broadcastTxCommit'),
  ofNode('Check only', 'check_tx', 'Query.checkTx'),
  ofNode('Application info', 'abci_info', 'Query.abciInfo'),
  ofNode('Application query', 'abci_query', 'Query.abciQuery'),
  ofNode('Block', 'block', 'Query.block'),
  {
    name: 'Subscribe',
    method: 'subscribe',
    paths: ['/websocket', '/comet/websocket'],
    fields: ['Subscription.newBlock', 'Subscription.transactionResult', 'Subscription.events'],
  },
  {
    name: 'Unsubscribe',
    method: 'unsubscribe',
    paths: ['/websocket', '/comet/websocket'],
    fields: [],
  },
  ofModule('Proposal', `${group}/proposal/{proposal_id}`, 'Query.proposal'),
  ofModule('TallyResult', `${group}/proposals/{proposal_id}/tally`, 'Query.tallyResult'),
  ofModule('ProposalsByGroupPolicy', `${group}/proposals_by_group_policy/{address}`, 'Query.proposalsByGroupPolicy'),
  ofModule('VoteByProposalVoter', `${group}/vote_by_proposal_voter/{proposal_id}/{voter}`, 'Query.voteByProposalVoter'),
  ofModule('VotesByProposal', `${group}/votes_by_proposal/{proposal_id}`, 'Query.votesByProposal'),
  ofModule('VotesByVoter', `${group}/votes_by_voter/{voter}`, 'Query.votesByVoter'),
  ofModule('Scan', `${attribute}/scan/{suffix}`, 'Query.attributeScan'),
  ofModule('Attribute', `${attribute}/{name}`, 'Query.attribute'),
  ofAggregates('Balances', ['/v1/balances/{address}'], ['Account.balances']),
  ofAggregates(
    'Metadata',
    ['/v1/accounts/{address}', '/v1/metadata/{denom}', '/v1/scopes/{scopeId}'],
    ['Query.account', 'Query.denomMetadata', 'Query.scope'],
  ),
  ofAggregates('Transfers', ['/v1/transfers', '/v1/transfers/{address}'], ['Query.transfers', 'Account.transfers']),
  ofAggregates('Net asset value', ['/v1/netAssetValues/{asset}'], ['Marker.netAssetValues', 'Scope.netAssetValues']),
  ofAggregates('Holders', ['/v1/holders/{denom}'], ['Query.holders']),
];

const code = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(', ');

function rowOf({ name, method, paths, fields }: ServiceOperation): string {
  const call = method === undefined ? '' : `\`${method}\``;
  // Of the WebSocket a field is left with the stream.
  return `| ${name} | ${call} | ${code(paths)} | ${fields.length === 0 ? 'the end of the stream' : code(fields)} |`;
}

/** The page of the documentation that lists them, as it is committed. */
export function printOperations(): string {
  const told = serviceOperations.map(({ method }) => method);
  const others = Object.keys(rpcMethods).filter((method) => !told.some((each) => each === method));
  return `# Operations

Each operation of the service, the paths that answer it and its field of the graph, with the type that has it. A method of the node RPC is also called by JSON-RPC, over POST to \`/\` or
\`/comet\` and over the two WebSockets. At the root paths \`error\` is text and bytes of the application are hexadecimal; under \`/comet\` and \`/rest\` the answers are
the node's own.

| operation | method | paths | graph |
| --- | --- | --- | --- |
${serviceOperations.map(rowOf).join('\n')}

The other methods of the node RPC are served in the same ways: ${code(others)}, and over WebSocket \`unsubscribe_all\`. Every other query of the chain is at the path that its module gives it, and under
\`/rest\` in the node's dialect; in the graph it is \`Query.module\`. All of it is described at \`/openapi/node.json\` and \`/openapi/application.json\`, and shown at \`/docs\`.
`;
}
