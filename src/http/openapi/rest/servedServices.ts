import { isChainError } from '../../../chain/base/errors.ts';
import type { Client } from '../../../chain/client.ts';
import { queryLatest } from '../../../reads/query.ts';
import { grpc } from '../../rest/failures/grpcStatus.ts';
import { toGrpc } from '../../rest/failures/refusedRead.ts';
import type { RestRoute, RouteTable } from '../../rest/routes/routeTable.ts';

/** How many services are queried concurrently. */
const atOnce = 8;

/** Finds which services of a route table the chain implements. */
export type ServedServices = (table: RouteTable, signal: AbortSignal) => Promise<ReadonlySet<string>>;

/**
 * Selects one route of each service. Prefers a route with a path variable, because the chain then rejects an empty request
 * cheaply.
 */
function oneOfEach({ routes }: RouteTable): ReadonlyMap<string, RestRoute> {
  const chosen = new Map<string, RestRoute>();
  for (const route of routes) {
    const name = route.call.parent.typeName;
    const known = chosen.get(name);
    const isBetter = known?.template.variables.length === 0 && route.template.variables.length > 0;
    if (known === undefined || isBetter) chosen.set(name, route);
  }
  return chosen;
}

/**
 * A chain can describe services that its application does not implement. Queries each service once with an empty request, and
 * excludes services for which the chain reports "unknown query path". Any other response, or an unreachable node, keeps the
 * service included. The result is cached for each table unless a node was unreachable.
 */
export function createServedServices(client: Client): ServedServices {
  const known = new WeakMap<RouteTable, ReadonlySet<string>>();

  return async (table, signal) => {
    const earlier = known.get(table);
    if (earlier !== undefined) return earlier;
    const services = [...oneOfEach(table)];
    const served = new Set<string>();
    let isComplete = true;

    async function ask([name, { call }]: readonly [string, RestRoute]): Promise<void> {
      try {
        await queryLatest({ client, signal }, `/${name}/${call.name}`, new Uint8Array());
      } catch (error) {
        signal.throwIfAborted();
        if (!isChainError(error, 'ABCI_QUERY_FAILED')) isComplete = false;
        else if (toGrpc(name, error.facts).code === grpc.UNIMPLEMENTED) return;
      }
      served.add(name);
    }

    for (let start = 0; start < services.length; start += atOnce) {
      await Promise.all(services.slice(start, start + atOnce).map(ask));
    }
    if (isComplete) known.set(table, served);
    return served;
  };
}
