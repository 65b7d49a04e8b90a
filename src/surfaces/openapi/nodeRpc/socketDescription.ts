import type { JsonObject } from '../../../chain/wire/json.ts';
import { failures } from '../parts/responses.ts';
import { ref } from '../parts/schemaParts.ts';
import type { NodeDialect } from './dialects.ts';

const protocol = `A WebSocket for JSON-RPC. Each message is one request. Every method can be called, and three more that handle subscriptions:

\`{"jsonrpc":"2.0","method":"subscribe","id":1,"params":{"query":"tm.event='NewBlock'"}}\`

subscribes to events. Each event arrives as a response with the id of this request: \`result.query\`, \`result.data\` and \`result.events\`. \`unsubscribe\` with the
same query ends the subscription, and \`unsubscribe_all\` ends all subscriptions. A query consists of conditions joined by \`AND\`: \`tm.event='Tx' AND tx.hash='…'\`
selects the result of one transaction.

Send the token in the \`Authorization\` header of the upgrade request, as \`Bearer <token>\` or as Basic credentials \`token:<token>\`. Clients send the latter for
\`wss://token:<token>@host/websocket\`.`;

/** Describes the WebSocket of a dialect. */
export function socketPaths({ base, prefix, note, failure }: NodeDialect): JsonObject {
  return {
    [`${base}/websocket`]: {
      get: {
        operationId: `${prefix}websocket`,
        tags: ['Events'],
        summary: 'Events and method calls over WebSocket',
        description: `${protocol} ${note}`.trim(),
        responses: {
          101: { description: 'The connection is upgraded to a WebSocket.' },
          ...failures([400, 401, 403, 426, 429], ref(failure)),
        },
      },
    },
  };
}
