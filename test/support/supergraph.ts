import { composeServices as composeByApollo } from '@apollo/composition';
import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation';
import { composeServices as composeByGuild } from '@theguild/federation-composition';
import { type GraphQLSchema, parse } from 'graphql';
import { expect } from 'vitest';

/** A subgraph. */
export interface Service {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}

interface Composition {
  readonly supergraphSdl?: string | undefined;
  readonly errors?: unknown;
}

/** A gateway over the supergraph of a composition. It passes `headers` of the context on. */
function gatewayOf({ supergraphSdl, errors }: Composition): GraphQLSchema {
  expect(errors).toBeUndefined();
  return getStitchedSchemaFromSupergraphSdl({
    supergraphSdl: supergraphSdl!,
    batchDelegateOptions: { maxBatchSize: 250 },
    httpExecutorOpts: { headers: (request) => (request?.context as { headers?: Record<string, string> })?.headers ?? {} },
  });
}

const parsed = (services: readonly Service[]) => services.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) }));

/** The two composers. Each returns a gateway over the supergraph of some subgraphs. A composition with errors fails the test. */
export const composers: Readonly<Record<string, (services: readonly Service[]) => GraphQLSchema>> = {
  '@theguild/federation-composition': (services) => gatewayOf(composeByGuild(parsed(services))),
  '@apollo/composition': (services) => gatewayOf(composeByApollo(parsed(services))),
};
