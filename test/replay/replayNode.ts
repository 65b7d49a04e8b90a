import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { readRecording } from '../recordings/recordings.ts';
import { readRegistry } from '../recordings/registry.ts';
import { createBlockAnswers } from './blockAnswers.ts';
import { createJsonRpc, type Reply } from './jsonRpc.ts';
import { createStateAnswers } from './stateAnswers.ts';

/** One call that the node received, batched or not, over HTTP or the socket. */
export interface ReplayCall {
  readonly method: string;
  readonly params: JsonObject;
  /** For `abci_query`: its path, its request in protobuf JSON, and its height (0: the newest). */
  readonly path?: string;
  readonly request?: JsonValue;
  readonly height?: bigint;
}

/** Options of a replay node. */
export interface ReplayOptions {
  /** The newest height that the node reports. Default: 566, the end of the scenario. */
  readonly head?: bigint;
  /** Makes the node a pruned node without an index: state below this height is pruned. */
  readonly earliestState?: bigint;
  /** Returns no holds for every account, as recorded for one account. */
  readonly nothingHeld?: boolean;
  /**
   * Adds responses that were valid only briefly: a transaction in the mempool, and the first `check_tx` of each transaction.
   */
  readonly pending?: boolean;
  /** Called before the recordings; if it returns undefined, the recordings answer. */
  readonly instead?: (
    method: string,
    params: JsonObject,
  ) => { readonly result: JsonValue } | { readonly error: string } | undefined;
}

/** A node that returns the recorded responses of a real node. */
export interface ReplayNode extends AsyncDisposable {
  /** `http://127.0.0.1:port`. The WebSocket is at `/websocket`. */
  readonly url: string;
  readonly head: bigint;
  /** All calls since the start or the last reset, in order. */
  readonly calls: readonly ReplayCall[];
  /** Number of calls in each HTTP request since then, in order. */
  readonly batches: readonly number[];
  /** Requests without a recorded response. Tests expect it to be empty. `reset` keeps it. */
  readonly unrecorded: readonly string[];
  /** Clears the calls and batches. */
  reset(): void;
  /** Resolves when a socket has subscribed to this query; default: `tm.event='NewBlock'`. */
  subscribed(query?: string): Promise<void>;
  /** Sets the head to this height (17 to 190) and sends the recorded event of its block to the subscribers. */
  emitNewBlock(height: bigint): void;
  /** Sends an event with this result to the subscribers of exactly this query text. */
  emit(query: string, result: JsonObject): void;
  close(): Promise<void>;
}

const NEW_BLOCK = "tm.event='NewBlock'";
/** `max_body_bytes` of the node (docs/chain.md, "Limits of a node"). */
const MAX_BODY = 1_000_000;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.setHeader('x-server-time', String(Math.floor(Date.now() / 1000)));
  if (body !== undefined) response.setHeader('content-type', 'application/json');
  response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body));
}

function readEvents(): Map<string, JsonObject> {
  const events = new Map<string, JsonObject>();
  for (const { frame } of readRecording('live-newblock')) {
    const { result } = JSON.parse(frame ?? '{}') as {
      result?: { data?: { value: { block: { header: { height: string } } } } };
    };
    if (result?.data !== undefined) events.set(result.data.value.block.header.height, result as unknown as JsonObject);
  }
  return events;
}

/**
 * Starts a node on a free port of 127.0.0.1 that answers JSON-RPC over POST and `/websocket` with the recorded responses of a
 * real node (test/recordings). A request without a recorded response returns a JSON-RPC error whose text starts with `not
 * recorded`, and is added to `unrecorded`. Only pages of lists are computed, from recorded whole lists and by the chain's
 * rules.
 */
export async function createReplayNode(options: ReplayOptions = {}): Promise<ReplayNode> {
  const kept = { head: options.head ?? 566n, earliestState: options.earliestState ?? 0n };
  const calls: ReplayCall[] = [];
  const batches: number[] = [];
  const unrecorded: string[] = [];
  const registry = readRegistry();
  const states = createStateAnswers(registry);
  const blocks = createBlockAnswers(options.earliestState !== undefined, options.pending);
  const events = readEvents();
  const heldOf = readRecording('queries').find(({ name }) => name === 'GetHolds') ?? { path: '', request: '' };
  const subscriptions = new Map<WebSocket, Map<string, JsonValue>>();
  const waiting = new Set<() => void>();

  function missing(what: string): { error: string } {
    unrecorded.push(what);
    return { error: `not recorded: ${what}` };
  }

  const rpc = createJsonRpc((method, params) => {
    const own = options.instead?.(method, params);
    if (own !== undefined) {
      calls.push({ method, params });
      return own;
    }
    // The roots of stores were not recorded on this chain. Servers learn them in the background.
    if (method === 'abci_query' && params.prove === true && params.data === 'ff') return { error: 'no proof is recorded' };
    if (method !== 'abci_query') {
      calls.push({ method, params });
      return blocks.answer(method, params, kept) ?? missing(`${method} ${JSON.stringify(params)}`);
    }
    const path = typeof params.path === 'string' ? params.path : '';
    const sent = Buffer.from(typeof params.data === 'string' ? params.data : '', 'hex');
    const data = path === heldOf.path && options.nothingHeld === true ? Buffer.from(heldOf.request, 'hex') : sent;
    const height = typeof params.height === 'string' ? BigInt(params.height) : 0n;
    const request = states.describe(path, sent);
    calls.push({ method, params, path, height, ...(request === undefined ? {} : { request }) });
    // A node refuses bytes that are no message before it runs the method. The text is a guess.
    if (sent.toString('hex') === 'ff' && path.includes('.')) {
      const refusal = { code: 18, log: 'unexpected EOF: invalid request', info: '', index: '0', key: null, value: null };
      return { result: { response: { ...refusal, proofOps: null, height: String(kept.head), codespace: 'sdk' } } };
    }
    const response = states.answer({ path, data, height, prove: params.prove === true }, kept);
    if (response !== undefined) return { result: { response: { ...response } } };
    return missing(`${path} ${request === undefined ? data.toString('hex') : JSON.stringify(request)} @${height || kept.head}`);
  });

  const server = createServer((request, response) => {
    readBody(request).then((body) => {
      if (request.method !== 'POST' || request.url !== '/') return response.writeHead(404).end('404 page not found\n');
      if (Buffer.byteLength(body) > MAX_BODY) return send(response, rpc.tooLarge);
      const reply = rpc.answer(body);
      batches.push(reply.calls);
      return send(response, reply);
    }, response.destroy);
  });

  function onFrame(socket: WebSocket, frame: string): void {
    const mine = subscriptions.get(socket) ?? new Map<string, JsonValue>();
    const say = (id: JsonValue, outcome: { result: JsonValue } | { error: JsonValue }): void =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
    const refuse = (id: JsonValue, data: string): void => say(id, { error: { code: -32603, message: 'Internal error', data } });
    const { id = null, method, params } = JSON.parse(frame) as { id?: JsonValue; method?: string; params?: JsonObject };
    const query = String(params?.query);
    if (method === 'subscribe') {
      if (mine.has(query)) {
        refuse(id, 'already subscribed');
        return;
      }
      subscriptions.set(socket, mine.set(query, id));
      say(id, { result: {} });
      for (const resolve of [...waiting]) resolve();
      return;
    }
    if (method === 'unsubscribe' || method === 'unsubscribe_all') {
      const had = method === 'unsubscribe' ? mine.delete(query) : mine.size > 0;
      if (method === 'unsubscribe_all') mine.clear();
      if (had) say(id, { result: {} });
      else refuse(id, 'subscription not found');
      return;
    }
    const { body } = rpc.answer(frame);
    if (body !== undefined) socket.send(JSON.stringify(body));
  }

  const sockets = new WebSocketServer({ server, path: '/websocket' });
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => onFrame(socket, String(data)));
    socket.on('close', () => subscriptions.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  function emit(query: string, result: JsonObject): void {
    for (const [socket, queries] of subscriptions) {
      const id = queries.get(query);
      if (id !== undefined) socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
  }

  const close = async (): Promise<void> => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get head() {
      return kept.head;
    },
    calls,
    batches,
    unrecorded,
    reset: () => {
      calls.length = 0;
      batches.length = 0;
    },
    subscribed: (query = NEW_BLOCK) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (![...subscriptions.values()].some((queries) => queries.has(query))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    emitNewBlock: (height) => {
      const event = events.get(String(height));
      if (event === undefined) throw new Error(`no recorded event of block ${height}`);
      if (height > kept.head) kept.head = height;
      emit(NEW_BLOCK, event);
    },
    emit,
    close,
    [Symbol.asyncDispose]: close,
  };
}
