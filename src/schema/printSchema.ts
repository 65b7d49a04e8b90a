import {
  type ASTNode,
  type GraphQLSchema,
  Kind,
  lexicographicSortSchema,
  type ObjectTypeDefinitionNode,
  parse,
  printSchema,
} from 'graphql';

/** The first definition of the subgraph: the federation version and the directives that it imports. */
const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key", "@shareable", "@inaccessible"])';

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
 * router adds. The keys of `directives` are schema coordinates such as `PageInfo` and `Query.at`.
 */
export function printSubgraph(schema: GraphQLSchema, directives: ReadonlyMap<string, string>): string {
  const before = printedSchemas.get(schema);
  if (before !== undefined) return before;
  const printed = printSchema(lexicographicSortSchema(schema));
  const { definitions } = parse(printed);
  const types = definitions.filter((each) => each.kind === Kind.OBJECT_TYPE_DEFINITION);
  const edits = [...withoutRouter(definitions), ...types.flatMap((type) => editsOf(type, directives))];
  let text = printed;
  for (const { start, end, text: other } of edits.toSorted((a, b) => b.end - a.end)) {
    text = text.slice(0, start) + other + text.slice(end);
  }
  const first = / @oneOf\b/.test(text) ? `${link}\n\n${oneOf}` : link;
  const subgraph = `${first}\n\n${text}\n`;
  printedSchemas.set(schema, subgraph);
  return subgraph;
}

function editsOf(type: ObjectTypeDefinitionNode, directives: ReadonlyMap<string, string>): Edit[] {
  const { name, interfaces = [], fields = [] } = type;
  const marks = fields.flatMap((field) => after(field, directives.get(`${name.value}.${field.name.value}`)));
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
