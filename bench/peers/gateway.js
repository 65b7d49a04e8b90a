// Hive Gateway over the REST API of the chain, which GraphQL Mesh turns into a subgraph. The argument is the URL of the REST
// API. A second argument caches responses for that many milliseconds.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createGatewayRuntime } from '@graphql-hive/gateway';
import InMemoryLRUCache from '@graphql-mesh/cache-inmemory-lru';
import { getComposedSchemaFromConfig } from '@graphql-mesh/compose-cli';
import { DefaultLogger } from '@graphql-mesh/utils';
import { loadOpenAPISubgraph } from '@omnigraph/openapi';
import { listen } from './listen.js';

const [rest, ttl] = process.argv.slice(2);
if (rest === undefined) throw new Error('usage: gateway.js REST [TTL]');

const supergraph = await getComposedSchemaFromConfig(
  {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    subgraphs: [{ sourceHandler: loadOpenAPISubgraph('chain', { source: './openapi.json', endpoint: rest }) }],
    additionalTypeDefs: fileURLToPath(new URL('joins.graphql', import.meta.url)),
  },
  new DefaultLogger('compose'),
);
const gateway = createGatewayRuntime({
  supergraph,
  logging: 'warn',
  ...(ttl !== undefined && {
    cache: new InMemoryLRUCache(),
    responseCaching: {
      session: () => null,
      ttl: Number(ttl),
      // The chain has no tally of a closed proposal, so nearly every board contains errors.
      shouldCacheResult: ({ result }) => result.data != null,
    },
  }),
});
await listen(createServer(gateway));
