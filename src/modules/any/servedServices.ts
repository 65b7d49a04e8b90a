import type { DescService, Registry } from '@bufbuild/protobuf';
import { isChainError } from '../../chain/base/errors.ts';
import type { Client } from '../../chain/client.ts';
import { isSimulation } from '../../chain/simulation/execution.ts';
import { queryLatest } from '../../reads/query.ts';

/** How many services are queried concurrently. */
const atOnce = 8;

/** Bytes that are no protobuf message: the application finds the method of a query, and then refuses them. No method runs. */
const noMessage = Uint8Array.of(0xff);

/** What is known of the services of each set of types. */
const known = new WeakMap<Registry, Map<string, boolean>>();

/** Whether an error says that the application has no such method (docs/chain.md, "Error codes of the application"). */
function saysUnknown(error: unknown): boolean {
  return isChainError(error, 'ABCI_QUERY_FAILED') && error.facts.log.startsWith('unknown query path');
}

/**
 * A chain can describe services that its application does not serve. Queries each service once, without running one of its methods, and leaves out
 * those for which the chain reports "unknown query path". Any other response, or an unreachable node, keeps a service. `registry` has the types of the
 * chain: what is known of a service is kept for them, unless no node could be reached. Rejects with the reason of `signal`.
 */
export async function servedServices(
  client: Client,
  registry: Registry,
  services: readonly DescService[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const found = known.get(registry) ?? new Map<string, boolean>();
  known.set(registry, found);

  async function ask({ typeName, methods }: DescService): Promise<void> {
    const method = methods.find(({ name }) => !isSimulation(typeName, name));
    if (method === undefined) return;
    try {
      await queryLatest({ client, signal }, `/${typeName}/${method.name}`, noMessage);
      found.set(typeName, true);
    } catch (error) {
      signal?.throwIfAborted();
      if (isChainError(error, 'ABCI_QUERY_FAILED')) found.set(typeName, !saysUnknown(error));
    }
  }

  const missing = services.filter(({ typeName }) => !found.has(typeName));
  for (let start = 0; start < missing.length; start += atOnce) {
    await Promise.all(missing.slice(start, start + atOnce).map(ask));
  }
  return new Set(services.map(({ typeName }) => typeName).filter((name) => found.get(name) !== false));
}
