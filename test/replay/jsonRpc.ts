import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';

/** An HTTP response. `body` is undefined for an empty response (only notifications). */
export interface Reply {
  readonly status: number;
  readonly body: JsonValue | undefined;
}

/** JSON-RPC of a node over POST (docs/chain.md, "Transports of the node RPC"). */
export interface JsonRpc {
  /** Answers a body: one call or a batch. `calls` is the number of calls. */
  answer(body: string): Reply & { readonly calls: number };
  /** The response to a body larger than `max_body_bytes`. */
  readonly tooLarge: Reply;
}

/** Answers one call with `params` by name. `error` is the text of the application. */
export type Call = (method: string, params: JsonObject) => { readonly result: JsonValue } | { readonly error: string };

/** `max_request_batch_size` of the node. */
const MAX_BATCH = 10;

/** Arguments of each method in order (docs/chain.md, "Methods of the node RPC"). */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  health: [],
  status: [],
  net_info: [],
  blockchain: ['minHeight', 'maxHeight'],
  genesis: [],
  genesis_chunked: ['chunk'],
  block: ['height'],
  block_by_hash: ['hash'],
  block_results: ['height'],
  commit: ['height'],
  header: ['height'],
  header_by_hash: ['hash'],
  check_tx: ['tx'],
  tx: ['hash', 'prove'],
  tx_search: ['query', 'prove', 'page', 'per_page', 'order_by'],
  block_search: ['query', 'page', 'per_page', 'order_by'],
  validators: ['height', 'page', 'per_page'],
  dump_consensus_state: [],
  consensus_state: [],
  consensus_params: ['height'],
  unconfirmed_txs: ['limit'],
  num_unconfirmed_txs: [],
  broadcast_tx_commit: ['tx'],
  broadcast_tx_sync: ['tx'],
  broadcast_tx_async: ['tx'],
  abci_query: ['path', 'data', 'height', 'prove'],
  abci_info: [],
  broadcast_evidence: ['evidence'],
};

const INTEGERS = new Set(['height', 'page', 'per_page', 'limit', 'chunk', 'minHeight', 'maxHeight']);

const failure = (code: number, message: string, data?: string): JsonObject => ({
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
const parseError = (why: string): Reply => ({
  status: 500,
  body: { jsonrpc: '2.0', ...failure(-32700, 'Parse error. Invalid JSON', `error unmarshaling request: ${why}`) },
});
const invalidParams = (why: string): JsonObject =>
  failure(-32602, 'Invalid params', `error converting json params to arguments: ${why}`);

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the error text of the node's decoder for an invalid argument; undefined for a valid one. */
function complaint(name: string, value: JsonValue | undefined): string | undefined {
  if (INTEGERS.has(name) && value !== undefined && value !== null && typeof value !== 'string') {
    return `invalid 64-bit integer encoding "${JSON.stringify(value)}", expected string`;
  }
  if (name === 'data' && typeof value === 'string') {
    const at = value.search(/[^0-9a-fA-F]/);
    if (at >= 0) {
      const code = value.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
      return `encoding/hex: invalid byte: U+${code} '${value[at]}'`;
    }
    if (value.length % 2 === 1) return 'encoding/hex: odd length hex string';
  }
  return undefined;
}

/** Creates the JSON-RPC layer over `call`, which receives only the calls that the node would pass to its handlers. */
export function createJsonRpc(call: Call): JsonRpc {
  /** Returns the reply to one call, without its id; undefined if the node panics, which fails the whole request. */
  function answerOne(method: string, params: JsonValue | undefined): JsonObject | undefined {
    const names = ARGUMENTS[method];
    if (names === undefined) return failure(-32601, 'Method not found');
    if (params === undefined && names.length > 0) return undefined;
    const named: JsonObject = {};
    for (const [i, name] of names.entries()) {
      const value = Array.isArray(params) ? params[i] : isObject(params) ? params[name] : undefined;
      const wrong = complaint(name, value);
      if (wrong !== undefined) return invalidParams(wrong);
      if (value !== undefined && value !== null) named[name] = value;
    }
    if (Array.isArray(params) && params.length !== names.length) {
      const given = params.map((param) => `[${[...Buffer.from(JSON.stringify(param))].join(' ')}]`).join(' ');
      return invalidParams(`expected ${names.length} parameters ([${names.join(' ')}]), got ${params.length} ([${given}])`);
    }
    const outcome = call(method, named);
    return 'result' in outcome ? { result: outcome.result } : failure(-32603, 'Internal error', outcome.error);
  }

  function answer(text: string): Reply & { calls: number } {
    let body: JsonValue;
    try {
      body = JSON.parse(text) as JsonValue;
    } catch {
      return { ...parseError('unexpected end of JSON input'), calls: 0 };
    }
    const requests = Array.isArray(body) ? body : [body];
    if (requests.length > MAX_BATCH) {
      const data = `batch request exceeds maximum (${MAX_BATCH}) allowed number of requests`;
      return { status: 200, body: { jsonrpc: '2.0', ...failure(-32600, 'Invalid Request', data) }, calls: requests.length };
    }
    const replies: JsonObject[] = [];
    for (const request of requests) {
      const id = isObject(request) ? request.id : 0;
      if (!isObject(request) || (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number')) {
        return {
          ...parseError(`json-rpc ID (${id}) is of unknown type (${typeof id === 'boolean' ? 'bool' : typeof id})`),
          calls: 0,
        };
      }
      if (id === undefined || id === null) continue;
      const reply = answerOne(String(request.method), request.params);
      if (reply === undefined) {
        const data = 'reflect: Call with too few input arguments';
        return {
          status: 500,
          body: { jsonrpc: '2.0', id: -1, ...failure(-32603, 'Internal error', data) },
          calls: requests.length,
        };
      }
      replies.push({ jsonrpc: '2.0', id: typeof id === 'number' ? Math.trunc(id) : id, ...reply });
    }
    const [only, ...more] = replies;
    return { status: 200, body: more.length > 0 ? replies : only, calls: requests.length };
  }

  return {
    answer,
    tooLarge: {
      status: 400,
      body: {
        jsonrpc: '2.0',
        ...failure(-32600, 'Invalid Request', 'error reading request body: http: request body too large'),
      },
    },
  };
}
