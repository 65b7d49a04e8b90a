import { createServer } from 'node:http';
import { createRegistry, type DescMethod, fromBinary, fromJson, type JsonObject, toBinary, toJson } from '@bufbuild/protobuf';
import { Pool } from 'undici';
import { file_cosmos_bank_v1beta1_tx } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { file_cosmos_group_v1_query } from '../../src/proto/cosmos/group/v1/query_pb.js';
import { file_cosmos_group_v1_types } from '../../src/proto/cosmos/group/v1/types_pb.js';
import { tellParent } from '../child.ts';

// The REST API of the chain's group module over the node on the command line, as far as a board needs it: the development
// chain has no REST gateway of its own. As the gateway of a Cosmos node does, it turns each request into one query of the
// application (`abci_query`) and its answer into JSON with the field names of protobuf. It caches nothing.

const [node] = process.argv.slice(2);
if (node === undefined) throw new Error('usage: restAdapter.ts NODE');
const registry = createRegistry(file_cosmos_group_v1_query, file_cosmos_group_v1_types, file_cosmos_bank_v1beta1_tx);
const service = registry.getService('cosmos.group.v1.Query');

/** The paths, each with its method and the field that its variable sets. */
const routes = [
  [/^\/cosmos\/group\/v1\/proposals_by_group_policy\/([^/]+)$/, 'ProposalsByGroupPolicy', 'address'],
  [/^\/cosmos\/group\/v1\/proposals\/([^/]+)\/tally$/, 'TallyResult', 'proposal_id'],
  [/^\/cosmos\/group\/v1\/votes_by_proposal\/([^/]+)$/, 'VotesByProposal', 'proposal_id'],
  [/^\/cosmos\/group\/v1\/group_policy_info\/([^/]+)$/, 'GroupPolicyInfo', 'address'],
  [/^\/cosmos\/group\/v1\/group_info\/([^/]+)$/, 'GroupInfo', 'group_id'],
  [/^\/cosmos\/group\/v1\/group_members\/([^/]+)$/, 'GroupMembers', 'group_id'],
] as const;

/** The method of a request and its arguments as JSON. undefined if there is no such path. */
function callOf(url: URL): { readonly method: DescMethod; readonly request: JsonObject } | undefined {
  for (const [pattern, name, field] of routes) {
    const value = pattern.exec(url.pathname)?.[1];
    const method = service?.methods.find((each) => each.name === name);
    if (value === undefined || method === undefined) continue;
    const pages = [...url.searchParams].flatMap(([key, text]) =>
      key.startsWith('pagination.')
        ? [[key.slice('pagination.'.length), ['true', 'false'].includes(text) ? text === 'true' : text]]
        : [],
    );
    const pagination = pages.length === 0 ? {} : { pagination: Object.fromEntries(pages) };
    return { method, request: { [field]: decodeURIComponent(value), ...pagination } };
  }
  return undefined;
}

const pool = new Pool(node, { connections: 16 });
let calls = 0;

/** Queries the application. Returns the status and the JSON of the answer. */
async function answer(method: DescMethod, request: JsonObject, height: string): Promise<readonly [number, string]> {
  const data = Buffer.from(toBinary(method.input, fromJson(method.input, request))).toString('hex');
  const params = { path: `/${method.parent.typeName}/${method.name}`, data, height, prove: false };
  calls += 1;
  const { body } = await pool.request({
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: calls, method: 'abci_query', params }),
  });
  const { result, error } = Object(await body.json());
  const { code, log, value } = Object(Object(result).response);
  if (error !== undefined || code !== 0)
    return [500, JSON.stringify({ code: 2, message: String(log ?? error.data), details: [] })];
  const message = fromBinary(method.output, Buffer.from(String(value ?? ''), 'base64'));
  const json = toJson(method.output, message, { registry, useProtoFieldName: true, alwaysEmitImplicit: true });
  // The gateway of a node writes empty bytes as null.
  return [200, JSON.stringify(json, (key, each) => (key === 'next_key' ? each || null : each))];
}

const server = createServer(async ({ url, headers }, response) => {
  const call = callOf(new URL(url ?? '/', 'http://localhost'));
  const reply = (status: number, text: string): unknown =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  if (call === undefined) return reply(501, JSON.stringify({ code: 12, message: 'Not Implemented', details: [] }));
  try {
    return reply(...(await answer(call.method, call.request, String(headers['x-cosmos-block-height'] ?? '0'))));
  } catch (error) {
    return reply(400, JSON.stringify({ code: 3, message: String(error), details: [] }));
  }
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  tellParent(`http://127.0.0.1:${address.port}`, () => ({ calls, batches: 0 }));
});
