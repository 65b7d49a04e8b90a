// Calls a server with the clients that openapi-generator creates for typescript-fetch.
import * as application from './application/index.ts';
import * as node from './node/index.ts';

const [, , address = '', token = '', account = ''] = process.argv;
const show = (name: string, value: unknown): void => console.log(name, value);

const app = new application.Configuration({ basePath: address, accessToken: token });
const group = new application.CosmosGroupV1Api(app);
show('groups', (await group.getCosmosGroupV1Groups({ paginationLimit: 2 })).groups.length);
show('proposal', (await group.getCosmosGroupV1Proposal({ proposalId: 6 })).proposal?.status);
const ofNode = new application.CosmosGroupV1DialectOfTheNodeApi(app);
show("proposal in the node's dialect", (await ofNode.getRestCosmosGroupV1Proposal({ proposalId: '6' })).proposal?.status);
const aggregates = new application.AggregatesApi(app);
show('balances', (await aggregates.getBalances({ address: account, paginationPageSize: 2 })).items.length);
const kinds = [application.GetTransfersOfAccountKindsEnum.Send, application.GetTransfersOfAccountKindsEnum.Fee];
show('transfers', (await aggregates.getTransfersOfAccount({ address: account, kinds })).items.length > 0);
await group.getCosmosGroupV1Proposal({ proposalId: 999_999 }).catch((error: unknown) => {
  show('missing', error instanceof application.ResponseError && error.response.status === 404);
});

const rpc = new node.Configuration({ basePath: address, accessToken: token });
show('status', (await new node.NodeApi(rpc).status()).result.nodeInfo.network);
const blocks = new node.BlocksApi(rpc);
show('block', (await blocks.block({ height: 1 })).result.block.header.height);
show("block results in the node's dialect", (await blocks.cometBlockResults({ height: 1 })).result.height);
show('transactions', (await new node.SearchApi(rpc).txSearch({ query: '"tx.height>0"', perPage: 1 })).result.txs.length);
show('application', (await new node.ApplicationApi(rpc).cometAbciInfo()).result.response.data);
const answer = await new node.NodeApi(rpc).call({ callRequest: { method: 'block', id: 1 } });
show('call', 'result' in answer);
