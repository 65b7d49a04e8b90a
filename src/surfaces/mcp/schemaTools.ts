import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { JsonObject } from '../../chain/wire/json.ts';
import { resultSchema, withCommon } from './toolList.ts';

/** The tools for tokens with the scope `introspect`, as `tools/list` describes them. */
export const searchSchemaTool = {
  name: 'search_schema',
  description:
    'Searches the GraphQL schema for types, fields, arguments and enum values by words of their names and descriptions. Use it to write a query for run_query.',
  inputSchema: {
    type: 'object',
    properties: {
      words: { type: 'string', description: 'Words, separated by spaces. All must occur.' },
      type: { type: 'string', description: 'Show this type with all its fields in place of a search.' },
    },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      found: {
        type: 'integer',
        description:
          'How many there are. At most 40 are shown in a search, and of a type those that fit: search for more of its members.',
      },
      matches: { type: 'array', items: { type: 'string' } },
    },
    required: ['found', 'matches'],
  },
} as const;

export const runQueryTool: {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
} = {
  name: 'run_query',
  description: 'Executes a GraphQL query that you wrote. Queries only: no mutation, no subscription, no live query.',
  inputSchema: withCommon({
    type: 'object',
    properties: {
      query: { type: 'string', description: 'A document with one query.' },
      variables: { type: 'object' },
    },
    required: ['query'],
    additionalProperties: false,
  }),
  outputSchema: resultSchema({}),
};

const maxMatches = 40;

const firstSentence = (description: string | null | undefined): string =>
  description ? ` — ${description.trim().split(/(?<=\.)\s|\n/, 1)[0]}` : '';

/** The lines of a type: itself, then its members. */
function linesOf(type: GraphQLNamedType): string[] {
  const lines = [`${type.name}${firstSentence(type.description)}`];
  if (isObjectType(type) || isInterfaceType(type))
    for (const field of Object.values(type.getFields())) {
      const args = field.args.map((each) => `${each.name}: ${each.type}`).join(', ');
      lines.push(`${type.name}.${field.name}${args && `(${args})`}: ${field.type}${firstSentence(field.description)}`);
    }
  if (isInputObjectType(type))
    for (const field of Object.values(type.getFields()))
      lines.push(`${type.name}.${field.name}: ${field.type}${firstSentence(field.description)}`);
  if (isEnumType(type))
    for (const value of type.getValues()) lines.push(`${type.name}.${value.name}${firstSentence(value.description)}`);
  if (isUnionType(type)) lines.push(`${type.name} = ${type.getTypes().join(' | ')}`);
  return lines;
}

/** The first lines that have at most so many bytes. */
function within(lines: readonly string[], maxBytes: number): string[] {
  let bytes = 0;
  return lines.filter((line) => {
    bytes += Buffer.byteLength(JSON.stringify(line)) + 1;
    return bytes <= maxBytes;
  });
}

/** Searches a schema, up to `maxBytes` of JSON. The lines of `type` if it is given, else those that contain all words, those with a word in their name first. */
export function searchSchema(
  schema: GraphQLSchema,
  { words = '', type }: { words?: string | undefined; type?: string | undefined },
  maxBytes: number,
): JsonObject {
  if (type !== undefined) {
    const namedType = schema.getType(type);
    const matches = namedType === undefined ? [] : linesOf(namedType);
    return { found: matches.length, matches: within(matches, maxBytes) };
  }
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const lines = Object.values(schema.getTypeMap()).flatMap((each) => (each.name.startsWith('__') ? [] : linesOf(each)));
  const ranked = lines.flatMap((line) => {
    const text = line.toLowerCase();
    if (parts.length === 0 || !parts.every((part) => text.includes(part))) return [];
    const name = text.split(/[(:\s]/, 1)[0] ?? '';
    return [{ line, rank: parts.filter((part) => name.includes(part)).length }];
  });
  ranked.sort((one, other) => other.rank - one.rank);
  return {
    found: ranked.length,
    matches: within(
      ranked.slice(0, maxMatches).map(({ line }) => line),
      maxBytes,
    ),
  };
}
