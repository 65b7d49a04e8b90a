import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';

/** A call that the stub received. */
export interface StubCall {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
}

/** An HTTP request that the stub received. */
export interface StubRequest {
  readonly calls: readonly StubCall[];
  readonly isBatch: boolean;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** Thrown by a method of the stub to return a JSON-RPC error. */
export class StubError extends Error {
  readonly rpcCode: number;

  constructor(data: string, rpcCode = -32603) {
    super(data);
    this.rpcCode = rpcCode;
  }
}

/** A configurable node on its own port. All settings may change while it runs. */
export interface StubNode {
  readonly url: string;
  readonly port: number;
  chainId: string;
  height: bigint;
  /** Time of block 1, and time between blocks, in ms. */
  genesisTime: number;
  earliestHeight: bigint;
  catchingUp: boolean;
  txIndex: boolean;
  /**
   * Methods in addition to `status`, `block`, `blockchain`, `echo` (returns its params) and `abci_query`. A method that throws
   * StubError returns that error.
   */
  methods: Record<string, (params: JsonObject) => JsonValue | Promise<JsonValue>>;
  /** Returns true to take over the HTTP response. */
  misbehave: ((request: StubRequest, response: ServerResponse) => boolean) | undefined;
  /** Returns true to take over the subscription. */
  onSubscribe: ((socket: WebSocket, id: number, query: string) => boolean) | undefined;
  /** All HTTP requests so far. */
  readonly requests: StubRequest[];
  /** All calls of a method so far. */
  calls(method: string): StubCall[];
  /** Sockets with an open subscription. */
  readonly subscribers: Set<WebSocket>;
  /** All subscriptions so far, and the most at once. */
  subscriptions: number;
  mostSubscribers: number;
  /** Makes the next block and notifies subscribers. */
  commit(): bigint;
  /** Open HTTP and WebSocket connections. */
  readonly connections: Set<Socket>;
  close(): Promise<void>;
}

export function blockHash(height: bigint): string {
  return height.toString(16).toUpperCase().padStart(64, 'A');
}

/** The app hash in the header of a block, which is the state before its transactions. */
export function appHash(height: bigint): string {
  return height.toString(16).toUpperCase().padStart(64, 'B');
}

/** The error response of a node. */
export function errorReply(id: number | undefined, code: number, data?: string): JsonObject {
  const error = { code, message: 'Internal error', ...(data !== undefined && { data }) };
  return { jsonrpc: '2.0', ...(id !== undefined && { id }), error };
}

/** The block at a height, reduced to the members that Stele reads (docs/chain.md, "Headers, blocks and commits"). */
function blockResult(node: StubNode, height: bigint): { block: JsonObject; block_id: JsonObject } {
  const header = {
    version: { block: '11' },
    chain_id: node.chainId,
    height: height.toString(),
    time: blockTime(node, height),
    last_block_id: { hash: blockHash(height - 1n), parts: { total: 1, hash: '' } },
    app_hash: appHash(height),
  };
  const block = { header, data: { txs: [] }, evidence: { evidence: [] }, last_commit: null };
  return { block, block_id: { hash: blockHash(height), parts: { total: 1, hash: '' } } };
}

function blockAt(node: StubNode, params: JsonObject): JsonObject {
  const height = BigInt(String(params.height));
  if (height <= node.height) return blockResult(node, height);
  throw new StubError(`height ${height} must be less than or equal to the current blockchain height ${node.height}`);
}

/** The headers of a range in descending order, up to the newest block. */
function blockchain(node: StubNode, { minHeight, maxHeight }: JsonObject): JsonObject {
  const [min, max] = [BigInt(String(minHeight)), BigInt(String(maxHeight))];
  const block_metas: JsonObject[] = [];
  for (let height = max < node.height ? max : node.height; height >= min; height -= 1n) {
    const { block, block_id } = blockResult(node, height);
    block_metas.push({ block_id, block_size: '1', header: block.header ?? null, num_txs: '0' });
  }
  return { last_height: node.height.toString(), block_metas };
}

/** The NewBlock event at a height, reduced to the members that Stele reads (docs/chain.md, "Event data"). */
export function newBlockEvent(node: StubNode, height: bigint): JsonObject {
  const value = { ...blockResult(node, height), result_finalize_block: { validator_updates: null } };
  return {
    query: "tm.event='NewBlock'",
    data: { type: 'tendermint/event/NewBlock', value },
    events: { 'tm.event': ['NewBlock'] },
  };
}

function blockTime(node: StubNode, height: bigint): string {
  return new Date(node.genesisTime + Number(height) * 1000).toISOString();
}

/** The node's response to `status`. */
export function status(node: StubNode): JsonObject {
  return {
    node_info: { network: node.chainId, other: { tx_index: node.txIndex ? 'on' : 'off' } },
    sync_info: {
      latest_block_hash: blockHash(node.height),
      latest_app_hash: appHash(node.height),
      latest_block_height: node.height.toString(),
      latest_block_time: blockTime(node, node.height),
      earliest_block_height: node.earliestHeight.toString(),
      catching_up: node.catchingUp,
    },
  };
}

/** Responds like a node that has the height: key and value are the request. */
function abciQuery(node: StubNode, params: JsonObject): JsonValue {
  const height = BigInt(String(params.height ?? '0'));
  const base = { info: '', index: '0', key: null, proofOps: null };
  if (height > node.height) {
    const log = 'cannot query with height in the future; please provide a valid height: invalid height';
    return { response: { ...base, code: 26, log, value: null, height: '0', codespace: 'sdk' } };
  }
  const value = Buffer.from(String(params.data ?? ''), 'hex').toString('base64');
  return { response: { ...base, code: 0, log: '', value, height: height.toString(), codespace: '' } };
}

/** Starts a stub node on a free port of this machine, or on `port`. */
export async function createStubNode(facts: Partial<StubNode> & { readonly port?: number } = {}): Promise<StubNode> {
  const { port = 0, ...given } = facts;
  const server = createServer();
  const sockets = new WebSocketServer({ server, path: '/websocket' });
  const connections = new Set<Socket>();

  async function reply(call: StubCall): Promise<JsonObject> {
    try {
      const method = node.methods[call.method];
      if (method !== undefined) return { jsonrpc: '2.0', id: call.id, result: await method(call.params) };
      if (call.method === 'status') return { jsonrpc: '2.0', id: call.id, result: status(node) };
      if (call.method === 'echo') return { jsonrpc: '2.0', id: call.id, result: call.params };
      if (call.method === 'block') return { jsonrpc: '2.0', id: call.id, result: blockAt(node, call.params) };
      if (call.method === 'blockchain') return { jsonrpc: '2.0', id: call.id, result: blockchain(node, call.params) };
      if (call.method === 'abci_query') return { jsonrpc: '2.0', id: call.id, result: abciQuery(node, call.params) };
      return errorReply(call.id, -32601);
    } catch (error) {
      if (error instanceof StubError) return errorReply(call.id, error.rpcCode, error.message);
      throw error;
    }
  }

  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  server.on('request', async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const parsed = JSON.parse(body) as StubCall | StubCall[];
    const isBatch = Array.isArray(parsed);
    const calls = isBatch ? parsed : [parsed];
    const seen = { calls, isBatch, path: request.url ?? '', headers: request.headers };
    node.requests.push(seen);
    if (node.misbehave?.(seen, response)) return;
    // A batch of one gets an object (docs/chain.md, "JSON-RPC batches"). The calls of a batch run one after another.
    if (calls.length > 10) {
      response.end(
        JSON.stringify(errorReply(undefined, -32600, 'batch request exceeds maximum (10) allowed number of requests')),
      );
      return;
    }
    const replies: JsonObject[] = [];
    for (const call of calls) replies.push(await reply(call));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(replies.length === 1 ? replies[0] : replies));
  });
  sockets.on('connection', (socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => node.subscribers.delete(socket));
    socket.on('message', (message) => {
      const call = JSON.parse(message.toString()) as StubCall;
      node.subscriptions += 1;
      if (node.onSubscribe?.(socket, call.id, String(call.params.query))) return;
      node.subscribers.add(socket);
      node.mostSubscribers = Math.max(node.mostSubscribers, node.subscribers.size);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: {} }));
    });
  });

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  const node: StubNode = {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    chainId: 'testing',
    height: 100n,
    genesisTime: Date.parse('2026-11-21T00:00:00Z'),
    earliestHeight: 1n,
    catchingUp: false,
    txIndex: true,
    methods: {},
    misbehave: undefined,
    onSubscribe: undefined,
    requests: [],
    calls: (method) => node.requests.flatMap((request) => request.calls.filter((call) => call.method === method)),
    subscribers: new Set(),
    subscriptions: 0,
    mostSubscribers: 0,
    commit() {
      node.height += 1n;
      for (const socket of node.subscribers) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: newBlockEvent(node, node.height) }));
      }
      return node.height;
    },
    connections,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    ...given,
  };
  return node;
}
