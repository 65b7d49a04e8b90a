import { createClient } from '../src/chain/client.ts';
import { createDescriptorPool, type DescriptorPool } from '../src/chain/descriptors/descriptorPool.ts';
import { isQueryService } from '../src/chain/simulation/execution.ts';
import { fallback } from '../src/chain/transports/fallback.ts';
import { http } from '../src/chain/transports/http.ts';
import { schema, schemaText } from '../src/graphql/schema.ts';
import { servedServices } from '../src/modules/any/module.ts';
import { addChainTypes } from '../src/modules/typed/schema.ts';

/**
 * Services that the recorded chain describes and its application does not serve. Guess: no recording has their responses; the chain's application
 * registers no module of theirs.
 */
const absentServices: readonly string[] = [
  'cosmos.base.reflection.v2alpha1.ReflectionService',
  'cosmos.protocolpool.v1.Query',
  'testpb.Query',
];

/** The types of the recorded chain. */
export function recordedChain(descriptors: Uint8Array): ChainTypes {
  const pool = createDescriptorPool(descriptors);
  return { pool, services: pool.services.filter((name) => isQueryService(name) && !absentServices.includes(name)) };
}

/** What a chain describes, and the query services that it serves. */
export interface ChainTypes {
  readonly pool: DescriptorPool;
  readonly services: readonly string[];
}

/** Reads the types of the chain of a node. Rejects with NODE_… if they cannot be read. */
export async function readChain(url: string): Promise<ChainTypes> {
  const client = createClient({ transport: fallback([http(url)]) });
  try {
    const pool = await client.descriptors.pool();
    const services = pool.services.filter(isQueryService).flatMap((name) => pool.service(name) ?? []);
    return { pool, services: [...(await servedServices(client, services, undefined))] };
  } finally {
    await client.close();
  }
}

/** The schema with the types of a chain, as text. */
export function printChainSchema({ pool, services }: ChainTypes): string {
  return schemaText(addChainTypes(schema, pool, services));
}
