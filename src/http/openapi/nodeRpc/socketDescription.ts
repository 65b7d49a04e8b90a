import type { JsonObject } from '../../../chain/wire/json.ts';
import { failures } from '../parts/responses.ts';
import { ref } from '../parts/schemaParts.ts';
import type { NodeDialect } from './dialects.ts';

const protocol = `A WebSocket on which every method can be called, one JSON-RPC request a message, and three more:

\`{"jsonrpc":"2.0","method":"subscribe","id":1,"params":{"query":"tm.event='NewBlock'"}}\`

subscribes to events; each comes with the id of this request, as \`result.data\` with \`result.query\` and \`result.events\`. \`unsubscribe\` with the same query ends it,
\`unsubscribe_all\` ends all. A query joins conditions by \`AND\`: \`tm.event='Tx' AND tx.hash='…'\` is the result of one transaction.

The token comes in the header of the upgrade, or as Basic \`token:<the token>\`, which is what a client sends for \`wss://token:<the token>@host/websocket\`.`;

/** The WebSocket of a dialect. */
export function socketPaths({ base, prefix, note, failure }: NodeDialect): JsonObject {
  return {
    [`${base}/websocket`]: {
      get: {
        operationId: `${prefix}websocket`,
        tags: ['Events'],
        summary: 'Events, and any method, over WebSocket',
        description: `${protocol} ${note}`.trim(),
        responses: {
          101: { description: 'The connection is a WebSocket from here on.' },
          ...failures([400, 401, 403, 426, 429], ref(failure)),
        },
      },
    },
  };
}
