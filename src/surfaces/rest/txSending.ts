import type { ServerResponse } from 'node:http';
import { noteOperation } from '../../answers/caller.ts';
import { ChainError, isChainError } from '../../chain/base/errors.ts';
import type { Client } from '../../chain/client.ts';
import type { Broadcast } from '../../chain/transactions/broadcaster.ts';
import { goBase64Error, goKindOf, goQuote, stringify } from '../../chain/wire/goText.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { refusalResponse } from '../../server/auth/bearer.ts';
import { lifetimeOf } from '../../server/lifetime.ts';
import { rateLimitResponse, sendError } from '../../server/messages/errors.ts';
import type { RequestContext } from '../../server/router.ts';
import { type Dialect, sendFailure } from './dialect.ts';
import { grpc, ParameterError } from './failures.ts';
import { bodyError, readJsonBody } from './requestJson.ts';

export type TxSending = (response: ServerResponse, context: RequestContext) => Promise<void>;

/** The path of `BroadcastTx`, without the base of a dialect. */
export const broadcastPath = '/cosmos/tx/v1beta1/txs';

const service = 'cosmos.tx.v1beta1.Service';

/** The price of a GraphQL field that broadcasts. */
const points = 20;

/**
 * SDK codes of mempool errors (docs/chain.md, "Mempool refusals"): the transaction is already in the mempool, the mempool is
 * full, the transaction is too large.
 */
const knownTransaction = 19;
const refusals: Readonly<Record<string, number>> = { FULL: 20, RECHECKING: 20, TOO_LARGE: 21 };

/** Serializes a `BroadcastTxResponse`. Its format is from the source of the SDK, not recorded: most members are empty. */
function answerText(
  hash: string,
  { code, codespace, data, log }: { code: number; codespace: string; data: string; log: string },
): string {
  return stringify({
    tx_response: {
      height: '0',
      txhash: hash,
      codespace,
      code,
      data,
      raw_log: log,
      logs: [],
      info: '',
      gas_wanted: '0',
      gas_used: '0',
      tx: null,
      timestamp: '',
      events: [],
    },
  });
}

function mempoolText(hash: string, code: number): string {
  return answerText(hash, { code, codespace: 'sdk', data: '', log: '' });
}

function textOf({ hash, status, checkTx, duplicate }: Broadcast): string {
  if (duplicate) return mempoolText(hash, knownTransaction);
  if (status === 'UNKNOWN' && checkTx === null) {
    const text = `The response of the node was lost. It may have received transaction ${hash}. Send the same bytes again.`;
    throw new ChainError('NODE_UNREACHABLE', text, { sent: true });
  }
  const { code, codespace, log, data } = checkTx ?? { code: 0, codespace: '', log: '', data: '' };
  const hex = Buffer.from(data ?? '', 'base64').toString('hex');
  return answerText(hash, { code, codespace, data: hex.toUpperCase(), log });
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value !== 'string' || value === '') throw bodyError('an object whose `tx_bytes` is a transaction in base64');
  const standard = value
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={0,2}$/, '');
  const bytes = Buffer.from(standard, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== standard) throw bodyError('an object whose `tx_bytes` is in base64');
  return bytes;
}

const modes = ['UNSPECIFIED', 'BLOCK', 'SYNC', 'ASYNC'].map((name) => `BROADCAST_MODE_${name}`);

/** Throws the node's errors in its order. Guess from the source of the SDK and of its JSON decoder, not recorded. */
function checkAsNode(mode: unknown, givenTx: unknown): void {
  const supportedModes = 'BROADCAST_MODE_SYNC or BROADCAST_MODE_ASYNC';
  if (givenTx !== undefined && givenTx !== null) {
    const problem =
      typeof givenTx === 'string'
        ? goBase64Error(givenTx, 'standard')
        : `json: cannot unmarshal ${goKindOf(givenTx)} into Go value of type []uint8`;
    if (problem !== undefined) throw bodyError('an object whose `tx_bytes` is in base64', problem);
  }
  if (typeof mode === 'string' && !modes.includes(mode)) {
    throw bodyError(supportedModes, `unknown value ${goQuote(mode)} for enum cosmos.tx.v1beta1.BroadcastMode`);
  }
  if (typeof givenTx !== 'string' || givenTx === '') throw bodyError('an object with `tx_bytes`', 'invalid empty tx');
  const number = typeof mode === 'string' ? modes.indexOf(mode) : mode;
  if (number === 2 || number === 3) return;
  const facts = { parameter: 'mode', value: '', bound: supportedModes, where: 'body', nodeCode: grpc.UNKNOWN } as const;
  throw new ParameterError({ ...facts, nodeText: 'unsupported return type unspecified; supported types: sync, async' });
}

/**
 * Creates the handler that broadcasts transactions for tokens with the scope `broadcast`. It uses the same broadcaster as all
 * other surfaces. A rejection by CheckTx is data with status 200. Only the modes that do not wait for a block are accepted, as
 * in the SDK since 0.47.
 */
export function createTxSending(options: {
  readonly client: Client;
  readonly limits: Limits;
  readonly dialect: Dialect;
}): TxSending {
  const { limits, dialect } = options;
  const { broadcaster, head } = options.client;

  async function send(mode: unknown, tx: Uint8Array, signal: AbortSignal): Promise<string> {
    try {
      if (mode === 'BROADCAST_MODE_SYNC' || mode === 2) return textOf(await broadcaster.sync(tx, { signal }));
      if (mode === 'BROADCAST_MODE_ASYNC' || mode === 3) return textOf(await broadcaster.async(tx, { signal }));
    } catch (error) {
      const code = isChainError(error, 'MEMPOOL_REJECTED') ? refusals[error.facts.reason] : undefined;
      if (!isChainError(error, 'MEMPOOL_REJECTED') || code === undefined) throw error;
      return mempoolText(error.facts.hash, code);
    }
    throw bodyError('an object whose `mode` is BROADCAST_MODE_SYNC or BROADCAST_MODE_ASYNC');
  }

  return async (response, context) => {
    noteOperation(context.record, 'BroadcastTx');
    if (!context.session.viewer.scopes.includes('broadcast')) {
      return sendError(response, refusalResponse({ reason: 'noScope', scope: 'broadcast' }), context.record, dialect.shape);
    }
    const refusal = await context.caller.take(points, 1);
    if (refusal !== undefined) return sendError(response, rateLimitResponse(refusal), context.record, dialect.shape);
    context.record.cost = 1 + context.record.bytes + points;
    try {
      const { asGo } = dialect;
      const { tx_bytes: givenTx, txBytes = givenTx, mode } = await readJsonBody(context, broadcastPath, limits, asGo);
      if (asGo) checkAsNode(mode, txBytes);
      const { signal } = lifetimeOf(response, limits['request.deadline'], context.arrived, context.record.span);
      const body = await send(mode, bytesOf(txBytes), signal);
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', vary: 'Authorization, Origin' };
      response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    } catch (error) {
      sendFailure(response, context, dialect, error, { service, height: undefined, latest: head.current()?.height });
    }
  };
}
