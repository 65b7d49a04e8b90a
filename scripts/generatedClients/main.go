// Calls a server with the clients that openapi-generator creates for Go.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.org/application"
	"example.org/node"
)

func show(name string, value any, err error) {
	if err != nil {
		fmt.Println(name, "failed:", err)
		os.Exit(1)
	}
	fmt.Println(name, value)
}

func main() {
	address, token, account := os.Args[1], os.Args[2], os.Args[3]
	ctx := context.Background()

	settings := application.NewConfiguration()
	settings.Servers = application.ServerConfigurations{{URL: address}}
	settings.AddDefaultHeader("authorization", "Bearer "+token)
	app := application.NewAPIClient(settings)

	groups, _, err := app.CosmosGroupV1API.GetCosmosGroupV1Groups(ctx).PaginationLimit(2).Execute()
	show("groups", len(groups.GetGroups()), err)
	proposal, _, err := app.CosmosGroupV1API.GetCosmosGroupV1Proposal(ctx, 6).Execute()
	show("proposal", proposal.Proposal.Get().Status, err)
	same, _, err := app.CosmosGroupV1DialectOfTheNodeAPI.GetRestCosmosGroupV1Proposal(ctx, "6").Execute()
	show("proposal in the node's dialect", *same.Proposal.Get().GetStatus().String, err)
	balances, _, err := app.AggregatesAPI.GetBalances(ctx, account).PaginationPageSize(2).Execute()
	show("balances", len(balances.Items), err)
	transfers, _, err := app.AggregatesAPI.GetTransfersOfAccount(ctx, account).Kinds([]string{"SEND", "FEE"}).Execute()
	show("transfers", len(transfers.Items) > 0, err)
	_, missing, _ := app.CosmosGroupV1API.GetCosmosGroupV1Proposal(ctx, 999999).Execute()
	show("missing", missing.StatusCode == http.StatusNotFound, nil)

	nodeSettings := node.NewConfiguration()
	nodeSettings.Servers = node.ServerConfigurations{{URL: address}}
	nodeSettings.AddDefaultHeader("authorization", "Bearer "+token)
	rpc := node.NewAPIClient(nodeSettings)

	status, _, err := rpc.NodeAPI.Status(ctx).Execute()
	show("status", status.Result.NodeInfo.Network, err)
	block, _, err := rpc.BlocksAPI.Block(ctx).Height(1).Execute()
	show("block", block.Result.Block.Header.Height, err)
	comet, _, err := rpc.BlocksAPI.CometBlockResults(ctx).Height(1).Execute()
	show("block results in the node's dialect", comet.Result.Height, err)
	found, _, err := rpc.SearchAPI.TxSearch(ctx).Query("\"tx.height>0\"").PerPage(1).Execute()
	show("transactions", len(found.Result.Txs), err)
	info, _, err := rpc.ApplicationAPI.CometAbciInfo(ctx).Execute()
	show("application", info.Result.Response.GetData(), err)
	call := node.Call{Method: "block", Id: 1}
	answer, _, err := rpc.NodeAPI.Call(ctx).CallRequest(node.CallRequest{Call: &call}).Execute()
	show("call", err == nil && answer.Answer.Result != nil, err)
}
