import { QueryFieldBuilder } from '@pothos/core';
import type { LimitName } from '../config/limits/limits.ts';
import { badInput, RequestError } from '../reads/errors.ts';
import { type Awaitable, all, andThen, attempt, type Pinned, pinOf } from '../reads/pin.ts';
import {
  type Builder,
  createRef,
  type EntityKeys,
  type GraphQLContext,
  introspectField,
  nonNull,
  type Ref,
  usesContext,
} from './builder.ts';
import { printSubgraph } from './printSchema.ts';
import { jsonLiteral } from './scalars.ts';

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
        ...nonNull('Int64', 'The height of this snapshot.'),
        resolve: (snapshot) => pinOf(snapshot).height,
      }),
    }),
  });
}

/** Adds `asOfHeight` to a type that client caches store by key. */
export function addAsOfHeight<T extends object>(builder: Builder, ref: Ref<Pinned<T>>): void {
  builder.objectField(ref, 'asOfHeight', (t) =>
    t.field({
      ...nonNull('Int64', 'The height that this object was read at. Client caches can make it part of the key of the object.'),
      resolve: (object) => pinOf(object).printedHeight(),
    }),
  );
}

/** The limit on the representations of one `_entities`. */
const representationsLimit: LimitName = 'graphql.representations';

/**
 * Makes a type an entity: adds a `@key` for each of `keys`, so that other subgraphs can reference its objects, and
 * `asOfHeight`. `builder.objectType` adds the other fields. `isSame` compares the objects that two keys of one representation
 * find; a type with one key does not need it.
 */
export function addEntity<T extends object>(
  builder: Builder,
  ref: Ref<Pinned<T>>,
  keys: EntityKeys<T>,
  isSame: (one: T, other: T) => boolean = () => true,
): void {
  function find(
    root: Pinned<object>,
    values: ReadonlyMap<string, string>,
    context: GraphQLContext,
  ): Awaitable<Pinned<T> | null> {
    const reads = [...values].map(([name, value]) => attempt(() => keys[name]?.(root, value, context) ?? null));
    return andThen(all(reads), ([first = null, ...others]) => {
      const differs = (other: T | null): boolean =>
        first === null || other === null ? first !== other : !isSame(first, other);
      if (others.some(differs))
        throw badInput('representations', ref.name, `references to ${ref.name} whose keys identify one object`);
      return first;
    });
  }
  builder.subgraph.entities.set(ref.name, { ref, keys: Object.keys(keys), find });
  const directives = Object.keys(keys).map((key) => `@key(fields: "${key}")`);
  builder.subgraph.directives.set(ref.name, directives.join(' '));
  addAsOfHeight(builder, ref);
}

/** Adds the fields that a federation router calls: `Query._service` and `Query._entities`. Call it after all entities are added. */
export function addFederation(builder: Builder): void {
  const { entities, directives } = builder.subgraph;
  const ServiceRef = createRef<{ readonly sdl: string }>('_Service');
  builder.objectType(ServiceRef, {
    description: 'This subgraph, for composition with others.',
    fields: (t) => ({
      sdl: t.exposeString('sdl', { nullable: false, description: 'The schema, with federation directives.' }),
    }),
  });
  const EntityRef = builder.unionType('_Entity', {
    description: 'The types that other subgraphs can reference by a key.',
    types: [...entities.values()].map(({ ref }) => ref),
    resolveType: (entity) => ('__typename' in entity && typeof entity.__typename === 'string' ? entity.__typename : undefined),
  });
  builder.scalarType('_Any', {
    description: 'An entity by `__typename` and one of its keys, as in `{ "__typename": "Proposal", "id": "1" }`.',
    serialize: (value) => value,
    parseValue: (value) => value,
    parseLiteral: jsonLiteral,
  });
  builder.queryFields((t) => ({
    _service: t.field({
      ...nonNull(ServiceRef, 'This subgraph.'),
      extensions: introspectField,
      resolve: usesContext((_root, _args, _context, { schema }) => ({ sdl: printSubgraph(schema, directives) })),
    }),
    _entities: t.field({
      type: [EntityRef],
      nullable: { list: false, items: true },
      description:
        'The objects with these keys, in the same order, at the height of the operation; null for an object that does not exist.\nA representation that is invalid, that cannot be read, or whose keys identify different objects is null, with an error.',
      args: { representations: t.arg({ type: ['_Any'], required: true }) },
      resolve: usesContext((root, { representations }, context) => {
        const { outcome, limits } = context;
        const [value, max] = [representations.length, limits[representationsLimit]];
        if (value > max) {
          const message = `At most ${max} representations are allowed (${representationsLimit}); got ${value}.`;
          const facts = { argument: 'representations', value: String(value), limit: representationsLimit, max };
          throw new RequestError('BAD_USER_INPUT', message, facts);
        }
        // Start all reads in this tick, so that they share batches.
        return representations.map((representation) => {
          const entity = attempt(() => read(root, representation, context));
          return andThen(entity, (foundEntity) => {
            // A transaction or block that does not exist yet may exist later.
            if (foundEntity === null) outcome.immutable = false;
            return foundEntity;
          });
        });
      }),
    }),
  }));

  function read(root: Pinned<object>, representation: unknown, context: GraphQLContext): Awaitable<Pinned<object> | null> {
    if (!isRecord(representation))
      throw badInput('representations', typeof representation, 'objects with `__typename` and a key');
    const { __typename } = representation;
    const typeName = typeof __typename === 'string' ? __typename : '';
    const entity = entities.get(typeName);
    if (entity === undefined) throw badInput('__typename', typeName, `one of ${[...entities.keys()].join(', ')}`);
    const givenKeys = entity.keys.filter((key) => representation[key] != null);
    if (givenKeys.length === 0) {
      const names = entity.keys.map((key) => `\`${key}\``).join(' or ');
      throw badInput('representations', typeName, `references to ${typeName} with ${names}`);
    }
    const keys = new Map(givenKeys.map((key) => [key, keyText(key, representation[key])]));
    return andThen(
      entity.find(root, keys, context),
      (foundEntity) => foundEntity && Object.assign({ __typename: typeName }, foundEntity),
    );
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a key as text. Routers may pass ids as numbers. */
function keyText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (Number.isSafeInteger(value)) return String(value);
  throw badInput(name, typeof value, 'text or an integer');
}
