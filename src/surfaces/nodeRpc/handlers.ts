import type { Client } from '../../chain/client.ts';
import type { RpcMethodName } from '../../chain/rpc/methods.ts';
import { createAbciQuery } from './abciQuery.ts';
import { createBlockHandlers } from './blockHandlers.ts';
import type { Handler } from './call.ts';
import { createLiveHandlers } from './liveHandlers.ts';
import { createResultCache } from './resultCache.ts';
import { createTxHandlers } from './txHandlers.ts';

/** The handler of each method. */
export type Handlers = Readonly<Record<RpcMethodName, Handler>>;

/** Creates the handlers. */
export function createHandlers(options: {
  readonly client: Client;
  /** Whether `broadcast_tx_commit` is enabled. */
  readonly broadcastCommit: boolean;
}): Handlers {
  const { client } = options;
  const kept = createResultCache(client);
  return {
    ...createBlockHandlers(client, kept),
    ...createLiveHandlers(client, kept),
    ...createTxHandlers(client, kept, options),
    abci_query: createAbciQuery(client),
  };
}
