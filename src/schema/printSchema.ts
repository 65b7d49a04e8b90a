import {
  type ASTNode,
  GraphQLSchema,
  Kind,
  lexicographicSortSchema,
  type ObjectTypeDefinitionNode,
  parse,
  printSchema,
} from 'graphql';
import { routerDirectives } from './routerDirectives.ts';

/** A version of the specification of Apollo Federation. With 2.12, the text has directives for the cache and the prices of a router. */
export type FederationVersion = '2.6' | '2.12';

const imports: Readonly<Record<FederationVersion, string>> = {
  '2.6': '"@key", "@shareable", "@inaccessible"',
  '2.12': '"@key", "@shareable", "@inaccessible", "@cacheTag", "@cost", "@listSize"',
};

/** The first definition of the subgraph: the federation version and the directives that it imports. */
const linkOf = (version: FederationVersion): string =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v${version}", import: [${imports[version]}])`;

/** Returns a schema whose text is that of a version. Everything else is the same. */
export function withFederation(schema: GraphQLSchema, version: FederationVersion): GraphQLSchema {
  return versionOf(schema) === version
    ? schema
    : new GraphQLSchema({ ...schema.toConfig(), assumeValid: true, extensions: { ...schema.extensions, federation: version } });
}

/** The version of {@link withFederation}, by default 2.6. */
function versionOf({ extensions: { federation } }: GraphQLSchema): FederationVersion {
  return federation === '2.12' ? federation : '2.6';
}

/** Composers know fewer directives than the specification of GraphQL. */
const oneOf = 'directive @oneOf on INPUT_OBJECT';

/** Names that a router adds. They are not part of the text of a subgraph. */
const ofRouter = /^_(Any|Entity|Service|entities|service)$/;

/** A replacement of a range of the printed schema. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The texts of schemas, which are printed once. */
const printedSchemas = new WeakMap<GraphQLSchema, string>();

/**
 * Prints a schema as a federation subgraph, sorted by name, with its federation directives and without the definitions that a
 * router adds. The keys of `directives` are schema coordinates such as `PageInfo`, `Query.at` and `Query.at(time:)`.
 */
export function printSubgraph(schema: GraphQLSchema, directives: ReadonlyMap<string, string>): string {
  const before = printedSchemas.get(schema);
  if (before !== undefined) return before;
  const version = versionOf(schema);
  const all = version === '2.6' ? directives : joined(directives, routerDirectives(schema, keyedTypes(directives)));
  const printed = printSchema(lexicographicSortSchema(schema));
  const { definitions } = parse(printed);
  const types = definitions.filter((each) => each.kind === Kind.OBJECT_TYPE_DEFINITION);
  const edits = [...withoutRouter(definitions), ...types.flatMap((type) => editsOf(type, all))];
  let text = printed;
  for (const { start, end, text: other } of edits.toSorted((a, b) => b.end - a.end)) {
    text = text.slice(0, start) + other + text.slice(end);
  }
  const link = linkOf(version);
  const first = / @oneOf\b/.test(text) ? `${link}\n\n${oneOf}` : link;
  const subgraph = `${first}\n\n${text}\n`;
  printedSchemas.set(schema, subgraph);
  return subgraph;
}

/** The types with a key. */
function keyedTypes(directives: ReadonlyMap<string, string>): readonly string[] {
  return [...directives].filter(([, text]) => text.startsWith('@key')).map(([name]) => name);
}

function joined(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const all = new Map(one);
  for (const [coordinate, text] of other) all.set(coordinate, [one.get(coordinate), text].filter(Boolean).join(' '));
  return all;
}

function editsOf(type: ObjectTypeDefinitionNode, directives: ReadonlyMap<string, string>): Edit[] {
  const { name, interfaces = [], fields = [] } = type;
  const marks = fields
    .filter((field) => !ofRouter.test(field.name.value))
    .flatMap((field) => {
      const coordinate = `${name.value}.${field.name.value}`;
      const ofArguments = (field.arguments ?? []).flatMap((each) =>
        after(each, directives.get(`${coordinate}(${each.name.value}:)`)),
      );
      return [...ofArguments, ...after(field, directives.get(coordinate))];
    });
  return [...after(interfaces.at(-1) ?? name, directives.get(name.value)), ...marks, ...withoutRouter(fields)];
}

function after({ loc }: ASTNode, directive: string | undefined): Edit[] {
  return loc === undefined || directive === undefined ? [] : [{ start: loc.end, end: loc.end, text: ` ${directive}` }];
}

/** Edits that remove the definitions of a router and the space before them. A router definition is never the first one. */
function withoutRouter(nodes: readonly ASTNode[]): Edit[] {
  return nodes.flatMap((node, index) => {
    if (!('name' in node) || node.name === undefined || !ofRouter.test(node.name.value) || node.loc === undefined) return [];
    return [{ start: nodes[index - 1]?.loc?.end ?? node.loc.start, end: node.loc.end, text: '' }];
  });
}
