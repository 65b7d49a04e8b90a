import type { NodeHandle, Transport } from './transport.ts';

/** The nodes behind a transport, each by itself; the transport as one node where it leads to one alone. */
export async function handlesOf(
  transport: Transport & { readonly alias?: string | undefined },
): Promise<readonly NodeHandle[]> {
  if (transport.handles !== undefined) return transport.handles();
  return [{ alias: transport.alias ?? 'node-1', call: transport.call }];
}
