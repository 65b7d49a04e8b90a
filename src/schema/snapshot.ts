import { QueryFieldBuilder } from '@pothos/core';
import { type Pinned, pinOf } from '../reads/pin.ts';
import { type Builder, createRef, type Ref } from './builder.ts';

/** The type of `Query.at`: what `Query` reads at a height. It is a type of its own, so that no client cache takes it for the root. */
export const SnapshotRef = createRef<Pinned<object>>('Snapshot');

/**
 * Adds fields that are read at the height of their parent: to `Query` and to `Snapshot`. A field that is not read at a height goes to
 * `builder.queryFields` alone, and its description says "Not of a height".
 */
export function addHeightFields(builder: Builder, fields: Parameters<Builder['queryFields']>[0]): void {
  builder.queryFields(fields);
  builder.objectFields(SnapshotRef, () => fields(new QueryFieldBuilder(builder)));
}

/** Adds `Snapshot` with its own field. A supergraph hides it, as it hides `Query.at`. */
export function addSnapshot(builder: Builder): void {
  builder.subgraph.directives.set(SnapshotRef.name, '@inaccessible');
  builder.objectType(SnapshotRef, {
    description:
      'The chain at one height: every field of `Query` that is read at a height. Under it, select `asOfHeight` of each entity,\nso that a client cache keeps the entities of different heights apart.',
    fields: (t) => ({
      height: t.field({
        type: 'Int64',
        nullable: false,
        description: 'The height that it is read at.',
        resolve: (snapshot) => pinOf(snapshot).height,
      }),
    }),
  });
}

/** Adds `asOfHeight` to a type whose objects client caches store by a key. */
export function addAsOfHeight<T extends object>(builder: Builder, ref: Ref<Pinned<T>>): void {
  builder.objectField(ref, 'asOfHeight', (t) =>
    t.field({
      type: 'Int64',
      nullable: false,
      description:
        'The height that this object was read at. A client cache adds it to the key of the object where it was selected.',
      resolve: (object) => pinOf(object).height,
    }),
  );
}
