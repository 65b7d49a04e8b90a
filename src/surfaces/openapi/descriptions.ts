import application from '../../../data/openapi/application.json' with { type: 'json' };
import node from '../../../data/openapi/node.json' with { type: 'json' };
import type { JsonObject } from '../../chain/wire/json.ts';
import type { Route } from '../aggregates/route.ts';
import type { RestRoute } from '../rest/routes/routeTable.ts';
import { describeNode } from './nodeRpc/description.ts';
import { createDocument, type Examples } from './parts/document.ts';
import { aggregateTag, describeAggregates } from './rest/aggregatePaths.ts';
import { describeRest } from './rest/restPaths.ts';

export { createCollection } from './collection.ts';

/** Responses recorded on the development chain, by path. `application` has those of REST and of the aggregates. */
export const recordedExamples = { chainId: 'stele-devnet', node, application } as const;

/** Stands for the origin of the server in a description. The response has the origin that its client used. */
export const addressPlace = '%stele-address%';

const about = `The application of the chain over REST:

- At the root paths, every query of the services that the chain describes, in the documented dialect: names in camelCase, integers as JSON integers.
- Under \`/rest\`, the same queries in the node's own dialect, that of grpc-gateway.
- Under \`/v1\`, aggregates: responses that clients can display as they are.

Each response is read at one height, which it states in the header \`x-cosmos-block-height\` (under \`/rest\`: \`Grpc-Metadata-X-Cosmos-Block-Height\`). To read at
another height, send the header \`x-cosmos-block-height\` with the request.

To generate a TypeScript client for \`openapi-fetch\`: \`npx openapi-typescript ${addressPlace}/openapi/application.json -o client.ts\`. Integers are
exact JSON integers. Values can exceed 2^53, so parse responses with a parser that keeps their precision.`;

/** Creates the description of the node RPC in both dialects. */
export function nodeDescription(examples: Examples, tokenPath: string | undefined): JsonObject {
  return describeNode({ examples, tokenPath });
}

/** The parts of the description of the application. */
export interface ApplicationParts {
  readonly rest: readonly RestRoute[];
  readonly aggregates: readonly Route[];
  readonly examples: Examples;
}

/** Creates the description of REST in both dialects, for a chain with these routes, and of the aggregates. */
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
