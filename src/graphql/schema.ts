import type { GraphQLSchema } from 'graphql';
import { modules } from '../modules/index.ts';
import { checkHeight } from '../reads/height.ts';
import { pinned, pinOf } from '../reads/pin.ts';
import { createBuilder } from '../schema/builder.ts';
import { addPageInfo } from '../schema/connection.ts';
import { addFederation } from '../schema/entities.ts';
import { addErrorCode } from '../schema/errorCode.ts';
import { printSubgraph } from '../schema/printSchema.ts';
import { addSnapshot, SnapshotRef } from '../schema/snapshot.ts';
import { addLimits } from './limits/limitsSchema.ts';

function buildSchema(): { readonly schema: GraphQLSchema; readonly directives: ReadonlyMap<string, string> } {
  const builder = createBuilder();
  addPageInfo(builder);
  addErrorCode(builder);
  addLimits(builder);
  builder.queryType({
    description: 'Everything that can be read. All of it is of one height unless a field says "Not of a height".',
  });
  addSnapshot(builder);
  builder.subgraph.directives.set('Query.at', '@inaccessible');
  builder.queryField('at', (t) =>
    t.field({
      type: SnapshotRef,
      description:
        'The chain at another height (time travel). Fails with HEIGHT_PRUNED or HEIGHT_NOT_YET_AVAILABLE.\nHidden in a supergraph, whose entity fetches would leave this height: there the request header names it (conventions above).',
      args: { height: t.arg({ type: 'Int64', required: true }) },
      resolve: (root, { height }) => {
        const pin = pinOf(root);
        const latest = pin.client.head.current()?.height ?? pin.height;
        const other = pin.at(checkHeight('height', height, latest));
        return pinned(other, {});
      },
    }),
  );
  builder.mutationType({
    description:
      'Sending transactions. Needs the scope `broadcast`. What the chain says is data; the same bytes sent twice are a success.',
  });
  builder.subscriptionType({
    description:
      'Live streams. Each event is read at its own height. `after: H` first delivers everything after block H, then goes on\nlive with no gap and no repeat. A consumer that is too slow is ended with SLOW_CONSUMER and told where to resume.',
  });
  for (const add of modules) add(builder);
  addFederation(builder);
  return { schema: builder.toSchema(), directives: builder.subgraph.directives };
}

const built = buildSchema();

/**
 * The executable schema. It is built once, knows no chain and keeps nothing: what it is read from is its root value, a pinned
 * object (`pinned(pin, {})`).
 */
export const schema: GraphQLSchema = built.schema;

/** The schema as text: what `_service` tells, and what is committed in `schema/schema.graphql`. Made anew by each call. */
export function schemaText(): string {
  return printSubgraph(built.schema, built.directives);
}
