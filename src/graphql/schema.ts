import { type GraphQLSchema, specifiedDirectives } from 'graphql';
import { modules } from '../modules/index.ts';
import { checkHeight } from '../reads/height.ts';
import { pinned, pinOf } from '../reads/pin.ts';
import { addErrorCode, addPublicKey, createBuilder } from '../schema/builder.ts';
import { addPageInfo } from '../schema/connection.ts';
import { addFederation, addSnapshot, SnapshotRef } from '../schema/entities.ts';
import { printSubgraph } from '../schema/printSchema.ts';
import { addScalars } from '../schema/scalars.ts';
import { addLimits } from './limits/limitsSchema.ts';
import { liveDirective } from './live/liveDirective.ts';

function buildSchema(): { readonly schema: GraphQLSchema; readonly directives: ReadonlyMap<string, string> } {
  const builder = createBuilder();
  addScalars(builder);
  addPageInfo(builder);
  addErrorCode(builder);
  addPublicKey(builder);
  addLimits(builder);
  builder.queryType({
    description:
      'All reads. The whole answer is read at one height, except fields whose description says "Not read at a height".',
  });
  addSnapshot(builder);
  builder.subgraph.directives.set('Query.at', '@inaccessible');
  builder.queryField('at', (t) =>
    t.field({
      type: SnapshotRef,
      description:
        'The chain at another height (time travel). Fails with HEIGHT_PRUNED or HEIGHT_NOT_YET_AVAILABLE.\nHidden in a supergraph, where entity fetches would not keep this height: use the header `x-cosmos-block-height` there.',
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
      'Sends transactions. Needs the scope `broadcast`. A rejection by the chain is returned as data. Sending the same bytes twice succeeds.',
  });
  builder.subscriptionType({
    description:
      'Live streams. Each event is read at the height of its own block. `after: H` first delivers every event after block H, then\ncontinues live without a gap or a repeat. A subscriber that reads too slowly gets SLOW_CONSUMER with the height to resume from.',
  });
  for (const add of modules) add(builder);
  addFederation(builder);
  const schema = builder.toSchema({ directives: [...specifiedDirectives, liveDirective] });
  return { schema, directives: builder.subgraph.directives };
}

const built = buildSchema();

/**
 * The executable schema. It is built once and has no state: it reads from its root value, a pinned object (`pinned(pin, {})`).
 */
export const schema: GraphQLSchema = built.schema;

/** The schema as text, as `_service` returns it and schema/schema.graphql has it. Printed on each call. */
export function schemaText(): string {
  return printSubgraph(built.schema, built.directives);
}
