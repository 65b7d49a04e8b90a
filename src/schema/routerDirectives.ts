import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import { broadcastPoints, countPoints, pageDefault, plainList, scanFactor, tagOfAll } from '../config/bounds.ts';
import { rowPriceOf } from './builder.ts';

const cacheTag = `@cacheTag(format: "${tagOfAll}")`;
const cost = (weight: number): string => `@cost(weight: ${weight})`;

type Field = GraphQLField<unknown, unknown>;

/** The default of an argument that is a number; 1 if there is none. */
function defaultOf({ args }: Field, name: string | undefined): number {
  const value = args.find((argument) => argument.name === name)?.defaultValue;
  return typeof value === 'number' ? value : 1;
}

/** The fields of a type that are lists, of which a page argument of the field that returns it is the length. */
function listsOf(type: GraphQLNamedType): readonly string[] {
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields())
    .filter((field) => isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type)))
    .map(({ name }) => name);
}

/** `@listSize` of a field: its page, or the number of items that a list without pages is assumed to have. */
function listSize(field: Field): string | undefined {
  const isList = isListType(getNullableType(field.type));
  if (!field.args.some(({ name }) => name === 'first'))
    return isList && isCompositeType(getNamedType(field.type)) ? `@listSize(assumedSize: ${plainList})` : undefined;
  const page = `assumedSize: ${defaultOf(field, 'first')}, slicingArguments: ["first"], requireOneSlicingArgument: false`;
  if (isList) return `@listSize(${page})`;
  const lists = listsOf(getNamedType(field.type));
  return lists.length === 0 ? undefined : `@listSize(${page}, sizedFields: [${lists.map((name) => `"${name}"`).join(', ')}])`;
}

/** The points of a field besides those of the objects that it returns. */
function ownPoints(field: Field): number {
  if (field.name === 'totalCount') return countPoints;
  const rows = rowPriceOf(field.extensions);
  const ownRows = rows === undefined || rows.onlyWith !== undefined ? 0 : rows.points * defaultOf(field, rows.times);
  return ownRows + (field.extensions.scope === 'broadcast' ? broadcastPoints : 0);
}

/** The points of an argument, which a field costs more if it is given. */
function argumentPoints(field: Field, { name }: GraphQLArgument): number {
  const rows = rowPriceOf(field.extensions);
  if (rows?.onlyWith === name) return rows.points * defaultOf(field, rows.times);
  return field.extensions.scan === true && name === 'suffix' ? (scanFactor - 1) * pageDefault : 0;
}

/**
 * The directives by schema coordinate with which a router caches and prices operations (Apollo Federation 2.12): `@cacheTag` on entities and on the fields of
 * `Query`, and `@cost` and `@listSize` from the prices of {@link rowPriceOf} and config/bounds. A router without them counts one point for an object, as
 * Stele does. Where a price depends on the value of an argument that is no page size, it is that of the default.
 */
export function routerDirectives(schema: GraphQLSchema, entities: Iterable<string>): ReadonlyMap<string, string> {
  const directives = new Map([...entities].map((name) => [name, cacheTag]));
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const coordinate = `${type.name}.${field.name}`;
      const points = ownPoints(field);
      // A `@cost` replaces the point of the object.
      const weight = points > 0 && field.name !== 'totalCount' ? points + 1 : points;
      const marks = [type === schema.getQueryType() && cacheTag, weight > 0 && cost(weight), listSize(field)].filter(Boolean);
      if (marks.length > 0) directives.set(coordinate, marks.join(' '));
      for (const argument of field.args) {
        const extra = argumentPoints(field, argument);
        if (extra > 0) directives.set(`${coordinate}(${argument.name}:)`, cost(extra));
      }
    }
  }
  return directives;
}
