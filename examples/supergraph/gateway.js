import { fileURLToPath } from 'node:url';
import { createGatewayRuntime } from '@graphql-hive/gateway';

/** What goes on to every subgraph as it came: who asks, and the height that each fetch of a plan is read at. */
const forwarded = ['authorization', 'x-cosmos-block-height', 'x-min-height'];

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Hive Gateway over both subgraphs, which it composes itself, as a listener for `node:http`. */
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
    // Stele takes 250 references in one fetch.
    __experimental__batchDelegateOptions: { maxBatchSize: 250 },
    logging: 'warn',
  });
}
