import { ChainError } from '../../chain/base/errors.ts';
import type { Client } from '../../chain/client.ts';
import { AbciRefusal } from '../../chain/rpc/rpcErrors.ts';
import { isQueryService } from '../../chain/simulation/execution.ts';
import type { JsonObject } from '../../chain/wire/json.ts';
import { isLiveMethod } from '../../modules/any/module.ts';
import { broadcastPath } from '../../modules/nodes/query.ts';
import { maySimulate } from '../../reads/viewer.ts';
import { type Call, type Handler, headOf } from './call.ts';
import { forbidden } from './failures.ts';

/** A query of the application's state. Its result at a height never changes. */
interface StateQuery {
  readonly path: string;
  readonly data: Uint8Array;
  readonly height: bigint;
  readonly signal: AbortSignal;
}

const queryPath = /^\/([A-Za-z_]\w*(?:\.\w+)+)\/([A-Za-z_]\w*)$/;
/**
 * Path of a single key of a store. Queries of a prefix (`subspace`) are not cached: the SDK's store iterates over its newest
 * state, whatever height the query names. This is a guess from the source of the SDK, because no recording names a height.
 */
const storePath = /^\/store\/([\w.-]+)\/key$/;

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/**
 * A successful response in the node's format (docs/chain.md, "Results of abci_query"). A response of a query service has no
 * key, and its value is never null.
 */
function response(height: bigint, key: string | null, value: string | null): JsonObject {
  return { code: 0, log: '', info: '', index: '0', key, value, proofOps: null, height: height.toString(), codespace: '' };
}

/** Reads through the state cache. Returns undefined for a path that the cache does not serve. */
async function fromState(client: Client, { path, data, height, signal }: StateQuery): Promise<JsonObject | undefined> {
  const state = client.at(height, signal);
  const [, service, method] = queryPath.exec(path) ?? [];
  if (service !== undefined && method !== undefined) {
    // Methods that report the state of the node, simulate, or read the transaction index have no fixed height.
    if (!isQueryService(service) || isLiveMethod(service, method)) return undefined;
    return response(height, null, base64(await state.query(path, data)));
  }
  const [, name] = storePath.exec(path) ?? [];
  if (name === undefined) return undefined;
  const { value } = await state.store(name, { key: data });
  return response(height, base64(data), value === undefined ? null : base64(value));
}

/** Returns the node's response if the application rejected the query. Rethrows other errors. */
function rejectionOf(error: unknown): JsonObject {
  if (error instanceof ChainError && error.cause instanceof AbciRefusal) return error.cause.response;
  throw error;
}

/**
 * Creates the handler of `abci_query`. Height 0 is the head. State queries go through the state cache, which shares equal reads
 * between callers. Queries with a proof, of other paths or without a fixed height go to a node.
 */
export function createAbciQuery(client: Client): Handler {
  return async ({ args, viewer, lifetime, height: pinnedTo }: Call) => {
    const path = args.text('path');
    // This path would bypass the broadcaster and the caller's limit of broadcasts.
    if (path === broadcastPath) throw forbidden('Send transactions with `broadcast_tx_sync` or `broadcast_tx_async`.');
    const head = await headOf(client, lifetime);
    const requested = args.integer('height');
    const height = requested === 0n ? (pinnedTo ?? head.height) : requested;
    const data = args.bytes('data');
    const isState = !args.flag('prove') && height > 0n && height <= head.height;
    const stateResponse = isState
      ? await fromState(client, { path, data, height, signal: lifetime.signal }).catch(rejectionOf)
      : undefined;
    if (stateResponse !== undefined) return { result: { value: { response: stateResponse } }, height };
    const params = {
      path,
      data: Buffer.from(data).toString('hex'),
      height: height.toString(),
      prove: args.flag('prove'),
    };
    const isAtBlock = height > 0n && height <= head.height;
    const value = await client.call('abci_query', params, {
      signal: lifetime.signal,
      maySimulate: maySimulate(viewer),
      ...(isAtBlock && { height }),
    });
    // A height outside the chain was not read, whatever the node returned.
    return { result: { value }, ...(isAtBlock && { height }) };
  };
}
