// Calls a server with the clients that openapi-generator creates for Kotlin.
import node.apis.BlocksApi
import node.apis.NodeApi
import node.infrastructure.ApiClient

fun main(args: Array<String>) {
    val (address, token) = args
    ApiClient.accessToken = token
    println("status ${NodeApi(address).status().result.nodeInfo.network}")
    println("block ${BlocksApi(address).block(height = 1).result.block.header.height}")
}
