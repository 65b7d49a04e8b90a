import { fileURLToPath } from 'node:url';
import { createGatewayRuntime } from '@graphql-hive/gateway';

/** The headers that every subgraph receives unchanged: the token of the client, and the height or the time of all fetches of a plan. */
const forwarded = ['authorization', 'x-cosmos-block-height', 'x-block-time', 'x-min-height'];

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Hive Gateway, which composes both subgraphs, as a listener for `node:http`. */
export function createGateway({ stele, notes }) {
  return createGatewayRuntime({
    supergraph: {
      type: 'dev',
      services: [
        { name: 'stele', url: stele, source: 'file', schema: fileOf('../../schema/schema.graphql') },
        { name: 'notes', url: notes, source: 'file', schema: fileOf('notes.graphql') },
      ],
    },
    propagateHeaders: {
      fromClientToSubgraphs: ({ request }) => Object.fromEntries(forwarded.map((name) => [name, request.headers.get(name)])),
    },
    // Stele accepts 250 references in one fetch.
    __experimental__batchDelegateOptions: { maxBatchSize: 250 },
    logging: 'warn',
  });
}
