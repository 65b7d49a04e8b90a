import { type RpcMethodName, rpcMethods } from '../src/chain/rpc/methods.ts';

/** A named operation of the service, and the ways to call it. */
export interface ServiceOperation {
  readonly name: string;
  /** The method of the node RPC, at the root paths and under `/comet`. undefined if there is none. */
  readonly method: RpcMethodName | 'subscribe' | 'unsubscribe' | undefined;
  /** HTTP paths, as in the OpenAPI descriptions. */
  readonly paths: readonly string[];
  /** GraphQL fields: `Type.field`. */
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

/** The operations that have a name. */
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
  // GraphQL clients unsubscribe by ending the subscription.
  return `| ${name} | ${call} | ${code(paths)} | ${fields.length === 0 ? 'end of the subscription' : code(fields)} |`;
}

/** Prints `docs/operations.md`. */
export function printOperations(): string {
  const listed = serviceOperations.map(({ method }) => method);
  const others = Object.keys(rpcMethods).filter((method) => !listed.some((each) => each === method));
  return `# Operations

The operations of the service, with their HTTP paths and their GraphQL fields. Methods of the node RPC can also be called by JSON-RPC: over POST to \`/\` or
\`/comet\`, and over the two WebSockets. The root paths use the documented dialect, in which \`error\` is text and bytes of the application are hexadecimal. Under
\`/comet\` and \`/rest\`, responses have the node's own format.

| Operation | Node RPC method | Paths | GraphQL |
| --- | --- | --- | --- |
${serviceOperations.map(rowOf).join('\n')}

The other methods of the node RPC can be called in the same ways: ${code(others)}, and \`unsubscribe_all\` over WebSocket. Every other query of the chain has the path
that its module defines, the same path under \`/rest\` in the node's dialect, and \`Query.module\` in GraphQL. The complete descriptions are at \`/openapi/node.json\` and
\`/openapi/application.json\`; \`/docs\` displays them.
`;
}
