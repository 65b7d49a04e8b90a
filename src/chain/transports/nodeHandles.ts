import type { NodeHandle, Transport } from './transport.ts';

/** The nodes of a transport. A transport to a single node counts as that node. */
export async function handlesOf(
  transport: Transport & { readonly alias?: string | undefined },
): Promise<readonly NodeHandle[]> {
  if (transport.handles !== undefined) return transport.handles();
  return [{ alias: transport.alias ?? 'node-1', call: transport.call }];
}
