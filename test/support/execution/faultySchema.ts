import {
  buildSchema,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isObjectType,
  isScalarType,
  type OperationTypeNode,
  printSchema,
} from 'graphql';
import { schema as real } from '../../../src/graphql/schema.ts';
import { usesContext } from '../../../src/schema/builder.ts';
import { createFaultyValues, type FaultyContext, type FaultyObject, type FaultyValues, place, text } from './faultyValues.ts';
import { createRandom, hash } from './random.ts';

/** The schema of the server with resolvers that return random values and fail at random. */
export interface FaultySchema {
  readonly schema: GraphQLSchema;
  /** The root value of an operation. */
  rootOf(operation: OperationTypeNode, context: FaultyContext): unknown;
}

/**
 * Creates the schema. The names of types and fields decide of which kind a
 * resolver is.
 */
export function createFaultySchema(): FaultySchema {
  const schema = buildSchema(printSchema(real));
  const values = createFaultyValues(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    const own = real.getType(type.name);
    if (type.name.startsWith('__')) continue;
    if (isScalarType(type) && isScalarType(own)) {
      Object.assign(type, { serialize: own.serialize, parseValue: own.parseValue, parseLiteral: own.parseLiteral });
    } else if (isEnumType(type)) {
    } else if (isAbstractType(type)) {
      addTypeResolver(type, schema);
    } else if (isObjectType(type)) {
      for (const field of Object.values(type.getFields())) addResolver(type.name, field, values);
    }
  }
  return { schema, rootOf: (operation, context) => values.createObject(schema.getRootType(operation)!, 0, context) };
}

type FaultyResolver = GraphQLFieldResolver<FaultyObject, FaultyContext>;

/** Marks a resolver, whose context is not that of the server. */
function marked(resolve: FaultyResolver): FaultyResolver {
  usesContext(resolve as never);
  return resolve;
}

function addResolver(typeName: string, field: GraphQLField<FaultyObject, FaultyContext>, { valueFor }: FaultyValues): void {
  const kind = hash(typeName, field.name) % 3;
  const { name, type } = field;
  if (kind === 0)
    field.resolve = marked((object, args, context) => valueFor(type, hash(idOf(object), name, text(args)), context));
  else if (kind === 1 || name === 'id')
    field.resolve = marked((object, args, context, info) =>
      valueFor(type, hash(idOf(object), name, text(args), place(info)), context),
    );
}

/** Some values of fields are no objects. */
function idOf(object: unknown): string | number {
  return typeof object === 'object' && object !== null && 'id' in object && typeof object.id === 'number' ? object.id : 'none';
}

/** Half of the types get a resolver of types; the others are resolved by `__typename` or by `isTypeOf`. */
function addTypeResolver(type: Extract<Parameters<GraphQLSchema['getPossibleTypes']>[0], object>, schema: GraphQLSchema): void {
  const kind = hash(type.name) % 2;
  if (kind === 0) {
    type.resolveType = (value: FaultyObject, { seed }: FaultyContext, info) => {
      const random = createRandom(hash(seed, value.id, place(info)));
      if (random.chance(0.05)) throw new Error(`no type ${value.id}`);
      return random.chance(0.5) ? value.typeName : Promise.resolve(value.typeName);
    };
    return;
  }
  for (const possible of schema.getPossibleTypes(type)) {
    possible.isTypeOf = ({ id, typeName }: FaultyObject, { seed }: FaultyContext, info) => {
      const random = createRandom(hash(seed, id, place(info)));
      if (random.chance(0.05)) throw new Error(`not known ${id}`);
      const is = typeName === possible.name;
      return random.chance(0.5) ? is : Promise.resolve(is);
    };
  }
}
