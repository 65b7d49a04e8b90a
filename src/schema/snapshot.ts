import { QueryFieldBuilder } from '@pothos/core';
import { type Pinned, pinOf } from '../reads/pin.ts';
import { type Builder, createRef, type Ref } from './builder.ts';

/** The type of `Query.at`. It is a separate type, so that client caches do not confuse it with the root. */
export const SnapshotRef = createRef<Pinned<object>>('Snapshot');

/**
 * Adds fields that are read at the height of their parent, to `Query` and to `Snapshot`. Add fields without a height with
 * `builder.queryFields`; their description contains "Not read at a height."
 */
export function addHeightFields(builder: Builder, fields: Parameters<Builder['queryFields']>[0]): void {
  builder.queryFields(fields);
  builder.objectFields(SnapshotRef, () => fields(new QueryFieldBuilder(builder)));
}

/** Adds `Snapshot` with its field `height`. Supergraphs hide it, as they hide `Query.at`. */
export function addSnapshot(builder: Builder): void {
  builder.subgraph.directives.set(SnapshotRef.name, '@inaccessible');
  builder.objectType(SnapshotRef, {
    description:
      'The chain at one height: all fields of `Query` that are read at a height. Select `asOfHeight` of each entity,\nso that a client cache keeps the entities of different heights apart.',
    fields: (t) => ({
      height: t.field({
        type: 'Int64',
        nullable: false,
        description: 'The height of this snapshot.',
        resolve: (snapshot) => pinOf(snapshot).height,
      }),
    }),
  });
}

/** Adds `asOfHeight` to a type that client caches store by key. */
export function addAsOfHeight<T extends object>(builder: Builder, ref: Ref<Pinned<T>>): void {
  builder.objectField(ref, 'asOfHeight', (t) =>
    t.field({
      type: 'Int64',
      nullable: false,
      description: 'The height that this object was read at. Client caches can make it part of the key of the object.',
      resolve: (object) => pinOf(object).printedHeight(),
    }),
  );
}
