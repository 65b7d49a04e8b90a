import {
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNullableType,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  responsePathAsArray,
} from 'graphql';
import { createRandom, hash, type Random } from './random.ts';

/** What the resolvers of a faulty schema do in one execution. All choices depend on the seed and on the place in the response. */
export interface FaultyContext {
  readonly seed: number;
  /** The probability that a value fails in some way. */
  readonly faults: number;
  /** The probability that a value is a promise. */
  readonly waits: number;
}

/** An object of the faulty schema: fields without a resolver are its properties and methods. */
export interface FaultyObject {
  readonly id: number;
  /** The name of its type. */
  readonly typeName: string;
  /** The same. Half of the objects do not have it. */
  readonly __typename?: string;
}

/** A promise that is settled after some turns of the microtask queue, or after a turn of the event loop. */
async function later<T>(random: Random, make: () => T): Promise<T> {
  const turns = random.below(6);
  if (turns === 5) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < turns; turn += 1) await undefined;
  return make();
}

/** Makes values of the types of a schema. */
export interface FaultyValues {
  /** A value of this type, or a fault. It depends on `id` and the context alone. */
  valueFor(type: GraphQLOutputType, id: number, context: FaultyContext): unknown;
  createObject(type: GraphQLObjectType, id: number, context: FaultyContext): FaultyObject;
}

/** A promise whose own rejection is handled: only those of the execution that is tested can be unhandled. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Creates the values of a schema. */
export function createFaultyValues(schema: GraphQLSchema): FaultyValues {
  function valueFor(type: GraphQLOutputType, id: number, context: FaultyContext): unknown {
    const random = createRandom(hash(context.seed, id));
    const make = (): unknown =>
      random.chance(context.faults) ? faultOf(type, id, random) : soundValue(type, id, context, random);
    if (!random.chance(context.waits)) return make();
    const promise = handled(later(random, make));
    // An object with a method `then` is a promise to GraphQL.
    return random.chance(0.1) ? Object.fromEntries([['then', promise.then.bind(promise)]]) : promise;
  }

  function soundValue(type: GraphQLOutputType, id: number, context: FaultyContext, random: Random): unknown {
    if (!isNonNullType(type) && random.chance(0.05)) return random.pick([null, undefined]);
    const bare = getNullableType(type);
    if (isListType(bare)) {
      const items = Array.from({ length: random.below(4) }, (_, index) => valueFor(bare.ofType, hash(id, index), context));
      return random.chance(0.2) ? new Set(items) : items;
    }
    if (isEnumType(bare)) return random.pick(bare.getValues()).value;
    if (isScalarType(bare)) return scalarValue(bare.name, id);
    if (!isAbstractType(bare)) return createObject(bare, id, context);
    return createObject(random.pick(schema.getPossibleTypes(bare)), id, context);
  }

  function createObject(type: GraphQLObjectType, id: number, context: FaultyContext): FaultyObject {
    return new Proxy<FaultyObject>(
      { id, typeName: type.name, ...(id % 2 === 0 && { __typename: type.name }) },
      {
        get(target, name, receiver) {
          const field = typeof name === 'string' ? type.getFields()[name] : undefined;
          if (field === undefined || field.resolve !== undefined || name === 'id') return Reflect.get(target, name, receiver);
          const of = hash(id, field.name);
          if (of % 3 > 0) return valueFor(field.type, of, context);
          return (args: unknown, given: FaultyContext, info: GraphQLResolveInfo) =>
            valueFor(field.type, hash(of, text(args), place(info)), given);
        },
      },
    );
  }

  function faultOf(type: GraphQLOutputType, id: number, random: Random): unknown {
    const bare = getNullableType(type);
    const faults: (() => unknown)[] = [
      () => null,
      () => undefined,
      () => new Error(`returned ${id}`),
      () => {
        throw new Error(`thrown ${id}`);
      },
      () => {
        throw `text ${id}`;
      },
      () => {
        throw new GraphQLError(`of GraphQL ${id}`, { extensions: { code: 'SOME', id } });
      },
      () => {
        throw new GraphQLError(`located ${id}`, { path: ['elsewhere', id] });
      },
      () => handled(Promise.reject(new Error(`rejected ${id}`))),
    ];
    if (isListType(bare))
      faults.push(
        () => 'no list',
        () => ({}),
        () => throwingIterable(id),
      );
    if (isAbstractType(bare))
      for (const name of ['Absent', 'String', 'Query', undefined])
        faults.push(() => ({ id, typeName: name, __typename: name }));
    if (isObjectType(bare)) faults.push(() => id);
    if (isScalarType(bare) || isEnumType(bare))
      faults.push(
        () => ({ wrong: id }),
        () => Number.NaN,
        () => [id],
      );
    return random.pick(faults)();
  }

  return { valueFor, createObject };
}

function* throwingIterable(id: number): Generator<unknown> {
  yield null;
  throw new Error(`iterated ${id}`);
}

/** The values of arguments as text. Some of them are of kinds that JSON does not have. */
export function text(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? 'undefined';
}

/** All that a resolver can read from its fourth argument, as text. */
export function place(info: GraphQLResolveInfo): string {
  return text([
    info.fieldName,
    info.fieldNodes.map(({ loc, name }) => [loc?.start, name.value]),
    String(info.returnType),
    info.parentType.name,
    responsePathAsArray(info.path),
    info.path.typename,
    Object.keys(info.fragments),
    info.operation.operation,
    info.variableValues,
    info.rootValue === undefined,
    info.schema.getQueryType()?.name,
  ]);
}

function scalarValue(name: string, id: number): unknown {
  if (name === 'Boolean') return id % 2 === 0;
  if (name === 'Int') return id % 1_000;
  if (name === 'Float') return id / 8;
  if (name === 'JSON' || name === '_Any') return { id, list: [null, 'text'] };
  return name.endsWith('Int64') ? BigInt(id) : String(id);
}
