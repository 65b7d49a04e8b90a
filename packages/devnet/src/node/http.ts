import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  ArgumentError,
  decodeUriParams,
  isRpcMethod,
  listPage,
  rpcMethods,
  socketMethods,
} from '../../../../src/chain/rpc/methods.ts';
import {
  encodeFailure,
  encodeResult,
  MissingParams,
  nodeJson,
  noRequestId,
  parseBody,
  type RpcRequest,
} from '../../../../src/chain/rpc/requests.ts';
import { internalError, invalidParams, invalidRequest, methodNotFound, RpcError } from '../../../../src/chain/rpc/rpcErrors.ts';
import { stringify } from '../../../../src/chain/wire/goText.ts';
import { type Answer, answer, type Dispatch, run } from './dispatch.ts';
import { adminMethod } from './faults/adminMethod.ts';
import type { NodeCall } from './faults/faults.ts';
import { json, type Reply, send } from './reply.ts';
import { injectResponseFault, responseFault } from './responseFaults.ts';

/** The node's limits of a request (docs/chain.md, "Limits of a node"). */
export const maxBodyBytes = 1_000_000;
const maxBatch = 10;

/** Reads the body. undefined if it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue;
    size += chunk.length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function panic(): Reply {
  return json(500, encodeFailure(noRequestId, internalError(new MissingParams().message)));
}

async function answerAll(dispatch: Dispatch, requests: readonly RpcRequest[], calls: readonly NodeCall[]): Promise<Reply> {
  const answers: Answer[] = [];
  // Sequentially, as on a node.
  for (const [position, request] of requests.entries()) {
    const call = calls[position];
    if (call === undefined || request.id === undefined) continue;
    await dispatch.received(call);
    try {
      answers.push(await answer(dispatch, request, call));
    } catch (error) {
      if (error instanceof MissingParams) return panic();
      throw error;
    }
  }
  const [first] = answers;
  if (first === undefined) return { status: 200, body: '', type: undefined };
  // A single response is sent without an array (docs/chain.md, "JSON-RPC batches").
  const body = answers.length === 1 ? first.text : `[${answers.map(({ text }) => text).join(',')}]`;
  return json(
    200,
    body,
    answers.every(({ cacheable }) => cacheable),
  );
}

async function answerUri(dispatch: Dispatch, method: string, params: URLSearchParams): Promise<Reply> {
  if (!isRpcMethod(method)) {
    if (Object.hasOwn(socketMethods, method)) return json(404, encodeFailure(noRequestId, methodNotFound()));
    return { status: 404, body: '404 page not found\n', type: 'text/plain; charset=utf-8' };
  }
  const call: NodeCall = { method, params: Object.fromEntries(params), via: 'uri', batch: dispatch.nextBatch() };
  await dispatch.received(call);
  try {
    const args = decodeUriParams(rpcMethods[method].params, params);
    const { text, cacheable, error } = await run(dispatch, method, args, call, noRequestId);
    return error === undefined ? json(200, text, cacheable) : json(500, text);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const text = `error converting http params to arguments: ${error.message}`;
    return json(500, encodeFailure(noRequestId, invalidParams(text)));
  }
}

/** Executes the admin method, to which faults do not apply and which is not counted. */
async function answerAdmin(admin: NonNullable<Dispatch['admin']>, { id = noRequestId, params }: RpcRequest): Promise<Reply> {
  try {
    return json(200, encodeResult(id, stringify(await admin(params))));
  } catch (error) {
    return json(200, encodeFailure(id, error instanceof RpcError ? error : internalError(String(error))));
  }
}

async function post(dispatch: Dispatch, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) {
    const text = encodeFailure(undefined, invalidRequest('error reading request body: http: request body too large'));
    response.setHeader('Connection', 'close');
    send(response, { ...json(400, text), timeless: true });
    return;
  }
  if (body === '') {
    send(response, { status: 200, body: listPage(request.headers.host ?? ''), type: 'text/html' });
    return;
  }
  let requests: readonly RpcRequest[];
  try {
    requests = parseBody(Buffer.from(body), nodeJson);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    send(response, json(500, encodeFailure(undefined, error)));
    return;
  }
  if (requests.length > maxBatch) {
    const error = invalidRequest(`batch request exceeds maximum (${maxBatch}) allowed number of requests`);
    send(response, { ...json(200, encodeFailure(undefined, error)), timeless: true });
    return;
  }
  const [only] = requests;
  if (dispatch.admin !== undefined && requests.length === 1 && only?.method === adminMethod) {
    send(response, await answerAdmin(dispatch.admin, only));
    return;
  }
  const batch = dispatch.nextBatch();
  const calls = requests.map(({ method, params }): NodeCall => ({ method, params, via: 'post', batch }));
  const fault = responseFault(dispatch, calls);
  if (fault !== undefined && fault !== 'cut') {
    for (const call of calls) await dispatch.received(call);
    if (await injectResponseFault(fault, dispatch, response)) return;
  }
  send(response, await answerAll(dispatch, requests, calls), fault === 'cut');
}

async function handle(dispatch: Dispatch, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://node');
  if (url.pathname === '/') {
    await post(dispatch, request, response);
    return;
  }
  const params = url.searchParams;
  if (request.method === 'POST' && request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    for (const [name, value] of new URLSearchParams((await readBody(request)) ?? ''))
      if (!params.get(name)) params.set(name, value);
  }
  const method = url.pathname.slice(1);
  const fault = responseFault(dispatch, [{ method, params: Object.fromEntries(params), via: 'uri', batch: 0 }]);
  if (fault !== undefined && (await injectResponseFault(fault, dispatch, response))) return;
  send(response, await answerUri(dispatch, method, params), fault === 'cut');
}

/**
 * Creates the HTTP server of a node: JSON-RPC over POST at `/`, URI over GET or POST at `/<method>`
 * (docs/chain.md, "Transports of the node RPC").
 */
export function createHttpListener(dispatch: Dispatch): RequestListener {
  return (request, response) => {
    handle(dispatch, request, response).catch(() => response.destroy());
  };
}
