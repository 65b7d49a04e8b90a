import type { LimitName } from '../config/limits/limits.ts';
import { badInput, RequestError } from '../reads/errors.ts';
import type { Pinned } from '../reads/pin.ts';
import { type Builder, createRef, type EntityKeys, type Ref } from './builder.ts';
import { printSubgraph } from './printSchema.ts';
import { jsonLiteral } from './scalars.ts';
import { introspectField } from './scopes.ts';
import { addAsOfHeight } from './snapshot.ts';

/** What bounds the representations of one `_entities`. */
const representationsLimit: LimitName = 'graphql.representations';

/**
 * Makes a type an entity: adds a `@key` for each of `keys`, by which other subgraphs name its objects, and `asOfHeight`. The other fields of the
 * type are added by `builder.objectType`. `isSame` compares two objects that different keys of one reference name; a type with one key needs none.
 */
export function addEntity<T extends object>(
  builder: Builder,
  ref: Ref<Pinned<T>>,
  keys: EntityKeys<T>,
  isSame: (one: T, other: T) => boolean = () => true,
): void {
  async function find(root: Pinned<object>, values: ReadonlyMap<string, string>): Promise<Pinned<T> | null> {
    const reads = [...values].flatMap(([name, value]) => keys[name]?.(root, value) ?? []);
    const [first = null, ...others] = await Promise.all(reads);
    const differs = (other: T | null): boolean => (first === null || other === null ? first !== other : !isSame(first, other));
    if (others.some(differs)) throw badInput('representations', ref.name, `of ${ref.name} with keys of one object`);
    return first;
  }
  builder.subgraph.entities.set(ref.name, { ref, keys: Object.keys(keys), find });
  const directives = Object.keys(keys).map((key) => `@key(fields: "${key}")`);
  builder.subgraph.directives.set(ref.name, directives.join(' '));
  addAsOfHeight(builder, ref);
}

/** Adds what a router asks of a subgraph: `Query._service` and `Query._entities`. All entities must have been added. */
export function addFederation(builder: Builder): void {
  const { entities, directives } = builder.subgraph;
  const ServiceRef = createRef<{ readonly sdl: string }>('_Service');
  builder.objectType(ServiceRef, {
    description: 'This subgraph, for what composes it with others.',
    fields: (t) => ({
      sdl: t.exposeString('sdl', { nullable: false, description: 'Its schema with its federation directives.' }),
    }),
  });
  const EntityRef = builder.unionType('_Entity', {
    description: 'What other subgraphs can name by a key.',
    types: [...entities.values()].map(({ ref }) => ref),
    resolveType: (found) => ('__typename' in found && typeof found.__typename === 'string' ? found.__typename : undefined),
  });
  builder.scalarType('_Any', {
    description: 'An entity by `__typename` and one of its keys, as in `{ "__typename": "Proposal", "id": "1" }`.',
    serialize: (value) => value,
    parseValue: (value) => value,
    parseLiteral: jsonLiteral,
  });
  let sdl: string | undefined;
  builder.queryFields((t) => ({
    _service: t.field({
      type: ServiceRef,
      nullable: false,
      description: 'The subgraph itself.',
      extensions: introspectField,
      resolve(_root, _args, _context, { schema }) {
        sdl ??= printSubgraph(schema, directives);
        return { sdl };
      },
    }),
    _entities: t.field({
      type: [EntityRef],
      nullable: { list: false, items: true },
      description:
        'The objects of these keys, in their order, at the height of the operation; null for what the chain does not have. A representation that\ncannot be understood or read, or whose keys are of different objects, is null with an error of its own.',
      args: { representations: t.arg({ type: ['_Any'], required: true }) },
      resolve(root, { representations }, { outcome, limits }) {
        const [value, max] = [representations.length, limits[representationsLimit]];
        if (value > max) {
          const message = `At most ${max} representations are taken (${representationsLimit}); these are ${value}.`;
          const facts = { argument: 'representations', value: String(value), limit: representationsLimit, max };
          throw new RequestError('BAD_USER_INPUT', message, facts);
        }
        // All are asked for in this tick, so that their reads share batches.
        return representations.map(async (representation) => {
          const found = await read(root, representation);
          // Of a transaction or a block's hash an absence may not last.
          if (found === null) outcome.immutable = false;
          return found;
        });
      },
    }),
  }));

  async function read(root: Pinned<object>, representation: unknown): Promise<Pinned<object> | null> {
    if (!isRecord(representation))
      throw badInput('representations', typeof representation, 'objects with `__typename` and a key');
    const { __typename } = representation;
    const typeName = typeof __typename === 'string' ? __typename : '';
    const entity = entities.get(typeName);
    if (entity === undefined) throw badInput('__typename', typeName, `one of ${[...entities.keys()].join(', ')}`);
    const given = entity.keys.filter((key) => representation[key] != null);
    if (given.length === 0) {
      const names = entity.keys.map((key) => `\`${key}\``).join(' or ');
      throw badInput('representations', typeName, `of ${typeName} with ${names}`);
    }
    const found = await entity.find(root, new Map(given.map((key) => [key, keyText(key, representation[key])])));
    return found && Object.assign({ __typename: typeName }, found);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a key as text: routers that carry ids as numbers are understood too. */
function keyText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (Number.isSafeInteger(value)) return String(value);
  throw badInput(name, typeof value, 'text or an integer');
}
