import type { Client } from '../../chain/client.ts';
import type { RpcMethodName } from '../../chain/rpc/methods.ts';
import { createBlockHandlers } from './blockHandlers.ts';
import type { Handler } from './call.ts';
import { createKeptResults } from './keptResults.ts';
import { createLiveHandlers } from './liveHandlers.ts';

/** What answers each method, out of Stele's own parts. */
export type Handlers = Readonly<Partial<Record<RpcMethodName, Handler>>>;

/** Makes the handlers. */
export function createHandlers({ client }: { readonly client: Client }): Handlers {
  const kept = createKeptResults();
  return { ...createBlockHandlers(client, kept), ...createLiveHandlers(client, kept) };
}
