import { createClient } from '../src/chain/client.ts';
import { createDescriptorPool } from '../src/chain/descriptors/descriptorPool.ts';
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

/** The schema with the types of the recorded chain, from its descriptors. */
export function printRecordedSchema(descriptors: Uint8Array): string {
  const pool = createDescriptorPool(descriptors);
  const services = pool.services.filter((name) => isQueryService(name) && !absentServices.includes(name));
  return schemaText(addChainTypes(schema, pool, services));
}

/** The schema with the types of the chain of a node. Rejects with NODE_… if it cannot be read. */
export async function printChainSchema(url: string): Promise<string> {
  const client = createClient({ transport: fallback([http(url)]) });
  try {
    const pool = await client.descriptors.pool();
    const services = pool.services.filter(isQueryService).flatMap((name) => pool.service(name) ?? []);
    const served = await servedServices(client, services, undefined);
    return schemaText(addChainTypes(schema, pool, [...served]));
  } finally {
    await client.close();
  }
}
