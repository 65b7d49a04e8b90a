import { randomUUID } from 'node:crypto';
import type { GraphQLSchema } from 'graphql';
import type { Report } from '../answers/errors.ts';
import { isChainError } from '../chain/base/errors.ts';
import type { Client } from '../chain/client.ts';
import type { DescriptorPool } from '../chain/descriptors/descriptorPool.ts';
import { isQueryService } from '../chain/simulation/execution.ts';
import { noNodeError } from '../chain/transports/http.ts';
import { servedServices } from '../modules/any/module.ts';
import { addChainTypes } from '../modules/typed/schema.ts';
import { type FederationVersion, withFederation } from '../schema/printSchema.ts';
import { schema as schemaOfAll } from './schema.ts';

/** The packages of a chain whose types the schema gets: all, none, or those with these names and within them (`cosmos.gov`). */
export type TypedPackages = 'all' | 'none' | readonly string[];

/** The schema of a server: that of all chains, completed with the types of its chain once these are known. */
export interface ChainSchema {
  /** The schema now. */
  current(): GraphQLSchema;
  /**
   * Resolves when the types of the chain are in the schema. Undefined if they are, or if the schema gets none. Rejects with the reason why they could
   * not be read, such as NODE_UNREACHABLE while no block is known; the next block or call tries again.
   */
  pending(): Promise<void> | undefined;
  /** Calls `listener` after the schema was replaced. */
  onReplaced(listener: (schema: GraphQLSchema) => void): void;
  close(): void;
}

/** A schema that stays as it is. */
export function fixedSchema(schema: GraphQLSchema): ChainSchema {
  return { current: () => schema, pending: () => undefined, onReplaced: () => undefined, close: () => undefined };
}

/**
 * Creates the schema of a server. The types are read when the first block is known, and replaced when the chain describes others after an upgrade. A
 * chain that describes no types has the schema of all chains. The text of the schema is that of a version of the federation, by default 2.6.
 */
export function createChainSchema(
  client: Client,
  packages: TypedPackages,
  report: Report,
  federation: FederationVersion = '2.6',
): ChainSchema {
  const base = withFederation(schemaOfAll, federation);
  if (packages === 'none') return fixedSchema(base);
  const listeners = new Set<(schema: GraphQLSchema) => void>();
  const closing = new AbortController();
  const includes = (name: string): boolean =>
    typeof packages === 'string' || packages.some((each) => name.startsWith(`${each}.`));
  let schema = base;
  let pool: DescriptorPool | undefined;
  let loading: Promise<void> | undefined;
  let isLoaded = false;

  async function load(): Promise<void> {
    const { signal } = closing;
    if (client.head.current() === undefined) throw noNodeError();
    try {
      // The chain may be upgraded meanwhile.
      for (
        let types = await client.descriptors.pool({ signal });
        types !== pool;
        types = await client.descriptors.pool({ signal })
      ) {
        const services = types.services
          .filter((name) => isQueryService(name) && includes(name))
          .flatMap((name) => types.service(name) ?? []);
        const served = await servedServices(client, services, signal);
        schema = addChainTypes(base, types, [...served], includes);
        pool = types;
        for (const listener of listeners) listener(schema);
      }
    } catch (error) {
      // A chain that serves no descriptors has no types of its own.
      if (!isChainError(error, 'ABCI_QUERY_FAILED')) throw error;
    }
    isLoaded = true;
  }

  function begin(): Promise<void> {
    if (loading !== undefined) return loading;
    loading = load().finally(() => {
      loading = undefined;
    });
    // A node that cannot be reached is in the log already.
    loading.catch((error: unknown) => {
      if (!closing.signal.aborted && !isChainError(error)) report(error, randomUUID());
    });
    return loading;
  }

  const stopBlocks = client.head.onBlock(() => {
    if (!isLoaded) void begin();
  });
  const stopReplaced = client.descriptors.onReplaced(() => void begin());
  if (client.head.current() !== undefined) void begin();

  return {
    current: () => schema,
    pending: () => (isLoaded ? undefined : begin()),
    onReplaced: (listener) => listeners.add(listener),
    close() {
      closing.abort(new Error('the server is closed'));
      stopBlocks();
      stopReplaced();
    },
  };
}
