import {
  type ASTNode,
  type GraphQLSchema,
  Kind,
  lexicographicSortSchema,
  type ObjectTypeDefinitionNode,
  parse,
  printSchema,
} from 'graphql';

/** What a subgraph says of itself first (the version that the contract is written in). */
const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key", "@shareable", "@inaccessible"])';

/** What every router brings along: no part of a subgraph's own text. */
const ofRouter = /^_(Any|Entity|Service|entities|service)$/;

/** A place of the printed schema, and what stands there in place of it. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * A schema as a federation subgraph, sorted by name: its types with their federation directives, without what a router brings along.
 * `directives` by schema coordinate: `PageInfo`, `Query.at`.
 */
export function printSubgraph(schema: GraphQLSchema, directives: ReadonlyMap<string, string>): string {
  const printed = printSchema(lexicographicSortSchema(schema));
  const { definitions } = parse(printed);
  const types = definitions.filter((each) => each.kind === Kind.OBJECT_TYPE_DEFINITION);
  const edits = [...withoutRouter(definitions), ...types.flatMap((type) => editsOf(type, directives))];
  let text = printed;
  for (const { start, end, text: other } of edits.toSorted((a, b) => b.end - a.end)) {
    text = text.slice(0, start) + other + text.slice(end);
  }
  return `${link}\n\n${text}\n`;
}

function editsOf(type: ObjectTypeDefinitionNode, directives: ReadonlyMap<string, string>): Edit[] {
  const { name, interfaces = [], fields = [] } = type;
  const marks = fields.flatMap((field) => after(field, directives.get(`${name.value}.${field.name.value}`)));
  return [...after(interfaces.at(-1) ?? name, directives.get(name.value)), ...marks, ...withoutRouter(fields)];
}

function after({ loc }: ASTNode, directive: string | undefined): Edit[] {
  return loc === undefined || directive === undefined ? [] : [{ start: loc.end, end: loc.end, text: ` ${directive}` }];
}

/** Takes out what is the router's, with the space before it. It is never first. */
function withoutRouter(nodes: readonly ASTNode[]): Edit[] {
  return nodes.flatMap((node, index) => {
    if (!('name' in node) || node.name === undefined || !ofRouter.test(node.name.value) || node.loc === undefined) return [];
    return [{ start: nodes[index - 1]?.loc?.end ?? node.loc.start, end: node.loc.end, text: '' }];
  });
}
