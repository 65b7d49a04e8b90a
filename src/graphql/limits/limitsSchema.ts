import type { LimitEntry } from '../../config/bounds.ts';
import { ErrorCode } from '../../config/errorCodes.ts';
import { limitEntry, limitNames } from '../../config/limits/limits.ts';
import { type Builder, createRef, liveField } from '../../schema/builder.ts';

interface ShownLimit extends LimitEntry {
  readonly name: string;
}

const LimitRef = createRef<ShownLimit>('Limit');

/** Adds `Query.limits`. */
export function addLimits(builder: Builder): void {
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
      resolve: (_root, _args, { limits }) => limitNames.map((name) => ({ ...limitEntry(name), name, value: limits[name] })),
    }),
  );
}
