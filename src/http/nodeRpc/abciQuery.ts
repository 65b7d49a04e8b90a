import { ChainError } from '../../chain/base/errors.ts';
import type { Client } from '../../chain/client.ts';
import { AbciRefusal } from '../../chain/wire/abciRefusal.ts';
import type { JsonObject } from '../../chain/wire/json.ts';
import { isLiveMethod, isQueryService } from '../../modules/any/moduleMethods.ts';
import { broadcastPath } from '../../modules/nodes/abci.ts';
import { type Call, type Handler, headOf } from './call.ts';
import { forbidden } from './failures.ts';

/** A read of the application's state, whose answer at a height is always the same. */
interface Question {
  readonly path: string;
  readonly data: Uint8Array;
  readonly height: bigint;
  readonly signal: AbortSignal;
}

const queryPath = /^\/([A-Za-z_]\w*(?:\.\w+)+)\/([A-Za-z_]\w*)$/;
/**
 * A key of a raw store. What lies under a prefix (`subspace`) is not kept: the SDK's store walks its newest state for it, whatever height is named. A
 * guess from the SDK: the recording names no height.
 */
const storePath = /^\/store\/([\w.-]+)\/key$/;

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** A good answer, as the node prints it: a module's has no key, and never null for a value (chain.md 6.3). */
function response(height: bigint, key: string | null, value: string | null): JsonObject {
  return { code: 0, log: '', info: '', index: '0', key, value, proofOps: null, height: height.toString(), codespace: '' };
}

/** Reads through the state cache; undefined for a path whose answers it does not keep. */
async function fromState(client: Client, { path, data, height, signal }: Question): Promise<JsonObject | undefined> {
  const state = client.at(height, signal);
  const [, service, method] = queryPath.exec(path) ?? [];
  if (service !== undefined && method !== undefined) {
    // What tells of the node, simulates, or reads the index of transactions is of no height.
    if (!isQueryService(service) || isLiveMethod(service, method)) return undefined;
    return response(height, null, base64(await state.query(path, data)));
  }
  const [, name] = storePath.exec(path) ?? [];
  if (name === undefined) return undefined;
  const { value } = await state.store(name, { key: data });
  return response(height, base64(data), value === undefined ? null : base64(value));
}

/** What a refusal was, as the node printed it. Other failures are thrown on. */
function refusedWith(error: unknown): JsonObject {
  if (error instanceof ChainError && error.cause instanceof AbciRefusal) return error.cause.response;
  throw error;
}

/**
 * Makes what answers `abci_query`: height 0 is the head. Reads of the state go through the state cache, so that they are shared
 * with all who read the same; those with a proof, of other paths and of what is of no height are asked of a node.
 */
export function createAbciQuery(client: Client): Handler {
  return async ({ args, lifetime, height: pinnedTo }: Call) => {
    const path = args.text('path');
    // Past the broadcaster, and past what its caller may send in a minute.
    if (path === broadcastPath) throw forbidden('Transactions are sent by `broadcast_tx_sync` or `broadcast_tx_async`.');
    const head = await headOf(client, lifetime);
    const asked = args.integer('height');
    const height = asked === 0n ? (pinnedTo ?? head.height) : asked;
    const data = args.bytes('data');
    const isState = !args.flag('prove') && height > 0n && height <= head.height;
    const kept = isState
      ? await fromState(client, { path, data, height, signal: lifetime.signal }).catch(refusedWith)
      : undefined;
    if (kept !== undefined) return { result: { value: { response: kept } }, height };
    const params = {
      path,
      data: Buffer.from(data).toString('hex'),
      height: height.toString(),
      prove: args.flag('prove'),
    };
    const known = height > 0n && height <= head.height;
    const value = await client.call('abci_query', params, { signal: lifetime.signal, ...(known && { height }) });
    // What is not of the chain was not read, whatever the node said to it.
    return { result: { value }, ...(known && { height }) };
  };
}
