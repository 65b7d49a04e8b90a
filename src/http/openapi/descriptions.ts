import type { JsonObject } from '../../chain/wire/json.ts';
import type { Route } from '../aggregates/route.ts';
import type { RestRoute } from '../rest/routes/routeTable.ts';
import application from './examples/application.json' with { type: 'json' };
import node from './examples/node.json' with { type: 'json' };
import { describeNode } from './nodeRpc/description.ts';
import { createDocument, type Examples } from './parts/document.ts';
import { aggregateTag, describeAggregates } from './rest/aggregatePaths.ts';
import { describeRest } from './rest/restPaths.ts';

export { createCollection } from './collection.ts';

/** Answers of the development chain, by path: of the node RPC, and of REST with the aggregates. */
export const recordedExamples = { chainId: 'stele-devnet', node, application } as const;

const about = `The application of the chain over REST: every query of the services that its nodes describe, with camelCase names and integers as integers; the
same under \`/rest\` in the node's own dialect; and under \`/v1\` aggregates that are ready to be shown.

Every answer is of one height, told in the header \`x-cosmos-block-height\` (under \`/rest\` \`Grpc-Metadata-X-Cosmos-Block-Height\`, as the node has it); a request
names another one with the header \`x-cosmos-block-height\`.

A TypeScript client: \`npx openapi-typescript http://localhost:4000/openapi/application.json -o client.ts\`, for \`openapi-fetch\`. Integers are JSON integers written
exactly: where they can be beyond 2^53, read them with a parser that keeps them.`;

/** The description of the node RPC, both dialects. */
export function nodeDescription(examples: Examples, tokenPath: string | undefined): JsonObject {
  return describeNode({ examples, tokenPath });
}

/** What the application of a chain offers. */
export interface ApplicationParts {
  readonly rest: readonly RestRoute[];
  readonly aggregates: readonly Route[];
  readonly examples: Examples;
}

/** The description of REST, both dialects, for a chain with these routes, and of the aggregates. */
export function applicationDescription(
  { rest, aggregates, examples }: ApplicationParts,
  tokenPath: string | undefined,
): JsonObject {
  const options = { examples, tokenPath };
  const ofRest = describeRest(rest, options);
  const ofAggregates = describeAggregates(aggregates, options);
  return createDocument({
    title: 'Stele: application',
    description: about,
    tags: [aggregateTag, ...ofRest.tags],
    paths: { ...ofAggregates.paths, ...ofRest.paths },
    schemas: { ...ofAggregates.schemas, ...ofRest.schemas },
    tokenPath,
  });
}
