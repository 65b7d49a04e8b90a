import { type GraphQLSchema, specifiedDirectives } from 'graphql';
import { ErrorCode } from '../config/errorCodes.ts';
import { type LimitEntry, limitEntry, limitNames } from '../config/limits/limits.ts';
import { modules } from '../modules/index.ts';
import { badInput } from '../reads/errors.ts';
import { checkHeight, heightAtTime, timePoints } from '../reads/height.ts';
import { type Pinned, pinned, pinOf } from '../reads/pin.ts';
import {
  addErrorCode,
  addPublicKey,
  type Builder,
  createBuilder,
  createRef,
  liveField,
  rowsField,
  usesContext,
} from '../schema/builder.ts';
import { addPageInfo } from '../schema/connection.ts';
import { addFederation, addSnapshot, SnapshotRef } from '../schema/entities.ts';
import { printSubgraph } from '../schema/printSchema.ts';
import { addScalars } from '../schema/scalars.ts';
import { liveDirective } from './documents/operationChecks.ts';

interface ShownLimit extends LimitEntry {
  readonly name: string;
}

const LimitRef = createRef<ShownLimit>('Limit');

/** Adds `Query.limits`. */
function addLimits(builder: Builder): void {
  const LimitUnit = builder.enumType('LimitUnit', {
    description: 'The unit of a limit.',
    values: ['COUNT', 'BYTES', 'MILLISECONDS', 'PER_MINUTE'] as const,
  });
  builder.objectType(LimitRef, {
    description: 'A limit of this server.',
    fields: (t) => ({
      name: t.exposeString('name', {
        nullable: false,
        description: 'Stable name, such as `graphql.depth` or `page.size.max`.',
      }),
      value: t.field({ type: 'Int64', nullable: false, resolve: ({ value }) => BigInt(value) }),
      unit: t.expose('unit', { type: LimitUnit, nullable: false }),
      code: t.expose('code', {
        type: ErrorCode,
        nullable: true,
        description: 'The code of the error over the limit. null if the response is an HTTP status or a closed connection.',
      }),
      description: t.exposeString('description', {
        nullable: false,
        description: 'What is limited, and what happens over the limit.',
      }),
    }),
  });
  builder.queryField('limits', (t) =>
    t.field({
      type: [LimitRef],
      nullable: false,
      description: 'Every limit in force. Not read at a height.',
      extensions: liveField,
      resolve: usesContext((_root, _args, { limits }) =>
        limitNames.map((name) => ({ ...limitEntry(name), name, value: limits[name] })),
      ),
    }),
  );
}

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
        'The chain at another height (time travel), or at a time: at the last block that is not after `time`. Pass one of the two. Fails with HEIGHT_PRUNED or HEIGHT_NOT_YET_AVAILABLE.\nHidden in a supergraph, where entity fetches would not keep this height: use the header `x-cosmos-block-height` or `x-block-time` there.',
      args: { height: t.arg({ type: 'Int64' }), time: t.arg({ type: 'DateTime' }) },
      extensions: rowsField({ points: timePoints, onlyWith: 'time' }),
      resolve: (root, { height, time }) => {
        const pin = pinOf(root);
        const at = (other: bigint): Pinned<object> => pinned(pin.at(other), {});
        if (height != null && time == null)
          return at(checkHeight('height', height, pin.client.head.current()?.height ?? pin.height));
        if (height != null || time == null)
          throw badInput('time', time ?? '', 'present if there is no `height`, and only then');
        return heightAtTime(pin, time).then(at);
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

/** A schema as text, as `_service` returns it and schema/schema.graphql has that of all chains. */
export function schemaText(of = built.schema): string {
  return printSubgraph(of, built.directives);
}
