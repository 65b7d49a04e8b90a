import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';
import { type RpcRow, readRecording } from '../../recordings/recordings.ts';
import { createReplayNode } from '../../replay/replayNode.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { send, type WireAnswer } from '../../support/wire.ts';

/** The head for the rows of rpc.json without a height. */
const rowsHead = 1105n;

/** All rows of rpc.json. */
export const rpcRows: readonly RpcRow[] = readRecording('rpc');

/** Returns a row by name. */
export function rowNamed(name: string): RpcRow {
  const row = rpcRows.find((each) => each.name === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
}

interface Recorded {
  readonly result?: JsonObject;
  readonly error?: { readonly data?: string };
}

type NodeAnswer = { readonly result: JsonValue } | { readonly error: string } | undefined;

/** The response of `broadcast_tx_sync` that leads to the recorded result of a commit. */
function syncOf({ result, error }: Recorded): NodeAnswer {
  if (error !== undefined) return { error: (error.data ?? '').replace('error on broadcastTxCommit: ', '') };
  const { code, data, log, codespace } = (result?.check_tx ?? {}) as JsonObject;
  const hex = Buffer.from(String(data ?? ''), 'base64')
    .toString('hex')
    .toUpperCase();
  return { result: { code, data: hex, log, codespace, hash: result?.hash } };
}

/**
 * Responses that only held when a row was recorded: of the mempool and of CheckTx, and of one query that no other row contains.
 */
function ofMoment(row: RpcRow, method: string, params: JsonObject): NodeAnswer {
  const { result, error } = row.response as unknown as Recorded;
  const answer: NodeAnswer = result === undefined ? { error: error?.data ?? '' } : { result };
  if (row.name.endsWith('while pending') && /unconfirmed/.test(method)) return answer;
  if (row.name === 'abci_query quoted data (uri)' && params.data === Buffer.from('0803').toString('hex')) return answer;
  if (!/^(broadcast_tx_|check_tx$)/.test(method)) return undefined;
  return row.name.startsWith('broadcast_tx_commit') ? syncOf({ result, error } as Recorded) : answer;
}

/** Whether a row needs a server without the state of earlier rows. */
function isOfMoment({ name }: RpcRow): boolean {
  return /^(broadcast_|check_tx)|while pending$|^abci_query quoted/.test(name);
}

/** Servers over a node that responds as in the rows. */
export interface RowServers {
  /** Returns the server for a row. */
  of(row: RpcRow): Promise<Stack>;
  close(): Promise<void>;
}

/** Starts the servers: one for all ordinary rows, and one for each row that needs its own. */
export async function startRowServers(): Promise<RowServers> {
  const started: { close(): Promise<void> }[] = [];
  async function start(row?: RpcRow): Promise<Stack> {
    const node = await createReplayNode({
      head: rowsHead,
      ...(row && { instead: (method, params) => ofMoment(row, method, params) }),
    });
    const stack = await startStack([node.url], { client: { broadcaster: { commitWait: 2_000, grace: 100 } } });
    started.unshift(stack, node);
    return stack;
  }
  const shared = await start();
  return {
    of: (row) => (isOfMoment(row) ? start(row) : Promise.resolve(shared)),
    async close() {
      for (const each of started) await each.close();
    },
  };
}

/** Returns the request body of a row. Some rows only describe it. */
function bodyOf({ name, request }: RpcRow): string {
  if (name === 'body too large') return 'x'.repeat(1_500_001);
  if (name === 'broadcast_tx_sync 740,000 bytes') {
    const tx = Buffer.alloc(740_000, 1).toString('base64');
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'broadcast_tx_sync', params: { tx } });
  }
  return typeof request === 'string' ? request : JSON.stringify(request);
}

/** Sends the request of a row to a server, at the paths under `base`. */
export function sendRow(url: string, base: string, row: RpcRow): Promise<WireAnswer> {
  const [method = ''] = row.via.split(' ');
  const target = row.via.slice(method.length + 1);
  const headers: Record<string, string> = { ...row.requestHeaders };
  const hasBody = row.request !== undefined && row.request !== null;
  if (hasBody && row.requestHeaders === undefined) headers['content-type'] = 'application/json';
  const path = target === '/' && base !== '' ? '' : encodeURI(target);
  return send(`${url}${base}${path}`, { method, headers, ...(hasBody && { body: bodyOf(row) }) });
}

/** Returns a body as in the recording: parsed if it is JSON. */
export function parsed(body: string): JsonValue {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    return body;
  }
}
