import type { JsonObject } from '../../../chain/wire/json.ts';
import { broadcastPath } from '../../rest/txSending.ts';
import { needs } from '../parts/document.ts';
import { failures, jsonResponse } from '../parts/responses.ts';
import { base64, described, hex, object, type Schema, text } from '../parts/schemaParts.ts';

const bigText: Schema = { type: 'string', pattern: '^[0-9]+$' };

/** The SDK's response to a broadcast. Most members are empty. */
const answer = object({
  tx_response: object({
    height: bigText,
    txhash: described(hex, 'Hash of the transaction.'),
    codespace: text,
    code: { type: 'integer', description: 'Code of CheckTx: 0 is success. A nonzero code is a result, not an error.' },
    data: hex,
    raw_log: text,
    logs: { type: 'array', items: {} },
    info: text,
    gas_wanted: bigText,
    gas_used: bigText,
    tx: { type: 'object', nullable: true },
    timestamp: text,
    events: { type: 'array', items: {} },
  }),
});

const body = object({
  tx_bytes: described(base64, 'The transaction.'),
  mode: { type: 'string', enum: ['BROADCAST_MODE_SYNC', 'BROADCAST_MODE_ASYNC'] },
});

/** Returns the path under `base` that broadcasts transactions, and its operation. */
export function describeSending(
  { base, prefix, tag }: { readonly base: string; readonly prefix: string; readonly tag: string },
  failure: Schema,
  tokenPath: string | undefined,
): readonly [path: string, operation: JsonObject] {
  const operation = {
    operationId: `post_${prefix}cosmos_tx_v1beta1_BroadcastTx`,
    tags: [tag],
    summary: 'BroadcastTx',
    description: 'Sends a transaction. With BROADCAST_MODE_SYNC, waits for the response of CheckTx.',
    security: needs('broadcast', tokenPath),
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      200: jsonResponse('The response of CheckTx.', answer),
      ...failures([400, 401, 403, 413, 429, 500, 502, 503, 504], failure),
    },
  };
  return [`${base}${broadcastPath}`, operation];
}
