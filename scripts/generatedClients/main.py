"""Calls a server with the clients that openapi-generator makes for Python."""

import sys

import application
import node

address, token, account = sys.argv[1:4]


def client(package):
    settings = package.Configuration(host=address, access_token=token)
    return package.ApiClient(settings)


app = client(application)
group = application.CosmosGroupV1Api(app)
print("groups", len(group.get_cosmos_group_v1_groups(pagination_limit=2).groups))
print("proposal", group.get_cosmos_group_v1_proposal(6).proposal.status)
of_node = application.CosmosGroupV1DialectOfTheNodeApi(app)
print("proposal in the node's dialect", of_node.get_rest_cosmos_group_v1_proposal("6").proposal.status.actual_instance)
aggregates = application.AggregatesApi(app)
print("balances", len(aggregates.get_balances(account, pagination_page_size=2).items))
print("transfers", len(aggregates.get_transfers_of_account(account, kinds=["SEND", "FEE"]).items) > 0)
try:
    group.get_cosmos_group_v1_proposal(999999)
except application.ApiException as error:
    print("missing", error.status == 404)

rpc = client(node)
print("status", node.NodeApi(rpc).status().result.node_info.network)
blocks = node.BlocksApi(rpc)
print("block", blocks.block(height=1).result.block.header.height)
print("block results in the node's dialect", blocks.comet_block_results(height=1).result.height)
print("transactions", len(node.SearchApi(rpc).tx_search(query='"tx.height>0"', per_page=1).result.txs))
print("application", node.ApplicationApi(rpc).comet_abci_info().result.response.data)
answer = node.NodeApi(rpc).call(node.CallRequest(node.Call(method="block", id=1)))
print("call", answer.actual_instance.result is not None)
