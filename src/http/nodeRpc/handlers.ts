import type { Client } from '../../chain/client.ts';
import type { RpcMethodName } from '../../chain/rpc/methods.ts';
import { createAbciQuery } from './abciQuery.ts';
import { createBlockHandlers } from './blockHandlers.ts';
import type { Handler } from './call.ts';
import { createKeptResults } from './keptResults.ts';
import { createLiveHandlers } from './liveHandlers.ts';
import { createTxHandlers } from './txHandlers.ts';

/** What answers each method, out of Stele's own parts. */
export type Handlers = Readonly<Record<RpcMethodName, Handler>>;

/** Makes the handlers. */
export function createHandlers(options: {
  readonly client: Client;
  /** Whether `broadcast_tx_commit` may be used. */
  readonly broadcastCommit: boolean;
}): Handlers {
  const { client } = options;
  const kept = createKeptResults(client);
  return {
    ...createBlockHandlers(client, kept),
    ...createLiveHandlers(client, kept),
    ...createTxHandlers(client, kept, options),
    abci_query: createAbciQuery(client),
  };
}
