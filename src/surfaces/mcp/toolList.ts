import { type GraphQLSchema, Kind, type OperationDefinitionNode, parse, validate } from 'graphql';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import { markData, markedSchemas, schemaOfShape, shapeOf, variablesSchema } from './shape.ts';
import { lookupTool, lookupVariables, shippedTools } from './shippedTools.ts';

/** A tool: an operation that an agent can call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The document, which has one operation of the tool's name. */
  readonly document: string;
  readonly isReadOnly: boolean;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  /** The variables for the arguments of a call. */
  variables(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Wraps each text in the data that a stranger may have written to the chain. */
  mark(data: JsonValue): JsonValue;
}

/** Arguments that every tool takes. */
const commonArguments: JsonObject = {
  height: { type: 'string', description: 'Read at this height, in decimal. Default: the newest.' },
  cursor: {
    type: 'string',
    description: 'Continues a cut list or text: `cursor` of an entry of `more`. Keep all other arguments.',
  },
};

/** The arguments of every tool, beside its own. */
export function withCommon(schema: JsonObject): JsonObject {
  const { properties } = schema;
  return { ...schema, properties: { ...(typeof properties === 'object' && properties), ...commonArguments } };
}

const path: JsonObject = { type: 'array', items: { type: ['string', 'integer'] } };

/** The JSON Schema of a result whose data has this schema. */
export function resultSchema(data: JsonObject): JsonObject {
  const entry = { path, sent: { type: 'integer' }, total: { type: 'integer' }, cursor: { type: 'string' } };
  return {
    type: 'object',
    properties: {
      height: { type: ['string', 'null'], description: 'The height that all of it was read at.' },
      proof: {
        type: 'string',
        enum: ['NONE', 'HEADER', 'STATE'],
        description: 'What was verified: nothing, the header of the block, or also the state where it has a proof.',
      },
      data: { anyOf: [data, { type: 'null' }] },
      part: {
        type: 'object',
        description: 'The rest of a list or text that a cursor asked for, in place of `data`.',
        properties: { path, from: { type: 'integer' }, content: {} },
        required: ['path', 'from', 'content'],
      },
      more: {
        type: 'array',
        description: 'Lists and texts that were cut, each with a cursor for the rest.',
        items: { type: 'object', properties: entry, required: Object.keys(entry) },
      },
      errors: { type: 'array', items: { type: 'object' } },
      note: { type: 'string' },
    },
    required: ['height', 'proof'],
    $defs: markedSchemas,
  };
}

/** A tool for a document with one described query or mutation. undefined for any other, and for one that the schema does not have. */
function toolOf(text: string, schema: GraphQLSchema): Tool | undefined {
  let document: ReturnType<typeof parse>;
  try {
    document = parse(text);
  } catch {
    return undefined;
  }
  const operations = document.definitions.filter(
    (each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION,
  );
  const [operation] = operations;
  const { name, description } = operation ?? {};
  if (operation === undefined || operations.length > 1 || name === undefined || description === undefined) return undefined;
  // Streams have no result to return.
  if (operation.operation === 'subscription' || (operation.directives ?? []).length > 0) return undefined;
  if (name.value.length > 64 || validate(schema, document).length > 0) return undefined;
  const shape = shapeOf(schema, document, operation);
  return {
    name: name.value,
    description: description.value,
    document: text,
    isReadOnly: operation.operation === 'query',
    inputSchema: withCommon(variablesSchema(schema, operation)),
    outputSchema: resultSchema(schemaOfShape(shape)),
    variables: (args) => args,
    mark: (data) => markData(data, shape),
  };
}

function lookupOf(schema: GraphQLSchema): Tool | undefined {
  const tool = toolOf(lookupTool, schema);
  const text = { type: 'string', description: 'The address, hash, height or id, or words, each the beginning of a word.' };
  const after = { type: 'string', description: '`endCursor` of the page before, for words.' };
  return (
    tool && {
      ...tool,
      inputSchema: withCommon({ type: 'object', properties: { text, after }, required: ['text'], additionalProperties: false }),
      variables: (args) => lookupVariables(typeof args.text === 'string' ? args.text.trim() : '', args.after),
    }
  );
}

/**
 * Creates the list of tools by name: those that ship, then one for each trusted document with a description. Of two with one name, the first counts. The list is lastList
 * again when the schema or the documents change. Documents that the schema does not have are left out.
 */
export function createToolList(documents: () => ReadonlySet<string>): (schema: GraphQLSchema) => ReadonlyMap<string, Tool> {
  let lastList:
    | { readonly schema: GraphQLSchema; readonly texts: ReadonlySet<string>; readonly tools: Map<string, Tool> }
    | undefined;
  return (schema) => {
    const texts = documents();
    if (lastList?.schema === schema && lastList.texts === texts) return lastList.tools;
    const tools = new Map<string, Tool>();
    const all = [...shippedTools.map((text) => toolOf(text, schema)), lookupOf(schema)];
    for (const text of texts) if (text.includes('"')) all.push(toolOf(text, schema));
    for (const tool of all) if (tool !== undefined && !tools.has(tool.name)) tools.set(tool.name, tool);
    lastList = { schema, texts, tools };
    return tools;
  };
}
