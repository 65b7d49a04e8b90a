import type { JsonObject } from '../../chain/wire/json.ts';
import type { Route } from '../aggregates/route.ts';
import { answerSchemas, errorName } from '../aggregates/routeTable.ts';
import { type Dialect, documentedDialect, nodeDialect } from '../rest/dialect.ts';
import type { RestRoute } from '../rest/routes.ts';
import { broadcastPath } from '../rest/txSending.ts';
import {
  anyObject,
  base64,
  cacheHeader,
  described,
  type Examples,
  etagHeader,
  failures,
  heightHeader,
  heightParameters,
  hex,
  jsonResponse,
  knownParameter,
  list,
  needs,
  none,
  object,
  parameter,
  ref,
  type Schema,
  smallInteger,
  text,
} from './document.ts';
import { createProtoSchemas, documentedProto, nodeProto, type ProtoSchemas } from './protoSchemas.ts';

/** Descriptions of the queries for votes and attributes, by the full names of their methods. Descriptors of a chain contain no comments. */
const operationTexts: Readonly<Record<string, string>> = {
  'cosmos.group.v1.Query.Proposal': 'Returns a proposal by its id.',
  'cosmos.group.v1.Query.TallyResult':
    'Returns the tally of a proposal. During the voting period it counts the votes cast so far, and can still change. After the voting period it is the final result that the chain stores.',
  'cosmos.group.v1.Query.ProposalsByGroupPolicy': 'Lists the proposals of a group policy, by the address of its account.',
  'cosmos.group.v1.Query.VoteByProposalVoter': 'Returns the vote of one voter on a proposal.',
  'cosmos.group.v1.Query.VotesByProposal': 'Lists the votes on a proposal.',
  'cosmos.group.v1.Query.VotesByVoter': 'Lists the votes of an account.',
  'provenance.attribute.v1.Query.Scan': 'Lists the attributes of an account whose names end with a suffix.',
  'provenance.attribute.v1.Query.Attribute':
    'Lists the attributes of an account with a given name. An account can have several attributes of the same name.',
};

/** Descriptions of parameters, by name. */
const fieldTexts: Readonly<Record<string, string>> = {
  proposal_id: 'Id of the proposal.',
  voter: 'Address of the account that voted.',
  account: 'Address of the account.',
  suffix: 'End of the attribute name. Names have reverse-DNS format.',
  name: 'The name. Names of attributes have reverse-DNS format.',
  denom: 'The denom.',
  'pagination.key':
    'The `nextKey` of the previous page. This is the most efficient way to read the next page. Cannot be combined with `pagination.offset`.',
  'pagination.offset': 'Number of items to skip. Less efficient than `pagination.key`, and cannot be combined with it.',
  'pagination.limit': 'Number of items on the page. Default 100, at most 200.',
  'pagination.countTotal': 'Whether to return the total number of items. Ignored together with `pagination.key`.',
  'pagination.count_total': 'Whether to return the total number of items. Ignored together with `pagination.key`.',
  'pagination.reverse': 'Whether to list items in descending order.',
};

const bigText: Schema = { type: 'string', pattern: '^[0-9]+$' };

/** The SDK's response to a broadcast. Most members are empty. */
const answer = object({
  tx_response: object({
    height: bigText,
    txhash: described(hex, 'Hash of the transaction.'),
    codespace: text,
    code: { type: 'integer', description: 'Code of CheckTx: 0 is success. A nonzero code is a result, not an error.' },
    data: hex,
    raw_log: text,
    logs: { type: 'array', items: {} },
    info: text,
    gas_wanted: bigText,
    gas_used: bigText,
    tx: { type: 'object', nullable: true },
    timestamp: text,
    events: { type: 'array', items: {} },
  }),
});

const body = object({
  tx_bytes: described(base64, 'The transaction.'),
  mode: { type: 'string', enum: ['BROADCAST_MODE_SYNC', 'BROADCAST_MODE_ASYNC'] },
});

/** The dialects of REST, as a description names them. */
const dialects = [
  { dialect: documentedDialect, prefix: '', proto: documentedProto, suffix: '', tagText: '' },
  {
    dialect: nodeDialect,
    prefix: 'rest_',
    proto: nodeProto,
    suffix: ' (dialect of the node)',
    tagText: " in the node's dialect",
  },
] as const;

/** Returns the name of a path variable in a description. Linters reject dots in it. */
function variableOf(name: string): string {
  return name.replaceAll('.', '_');
}

/**
 * Converts a path template to OpenAPI. A variable that may contain slashes becomes an ordinary variable. undefined if the
 * template has an unnamed wildcard.
 */
export function describedPath(template: string): string | undefined {
  const path = template.replace(/\{([\w.]+)(=[^}]+)?\}/g, (_, name: string) => `{${variableOf(name)}}`);
  return path.includes('*') ? undefined : path;
}

/** Describes a route. `path` is that of the description, `tag` that of the dialect. */
function operationOf(
  { call, parameters, hasBody, isLive, httpMethod }: RestRoute,
  path: string,
  tag: string,
  schemas: ProtoSchemas,
  dialect: Dialect,
  { examples, tokenPath }: DescribeOptions,
): JsonObject {
  const example = examples[path];
  const isDocumented = dialect === documentedDialect;
  // For live reads, which have no height, only the node's REST API returns a height: that of the newest block.
  const hasHeight = !isLive || dialect.sendsLiveHeight;
  const height = hasHeight ? heightHeader(dialect.heightHeader) : {};
  const headers = { ...height, ...(hasHeight && heightHeader('x-cosmos-block-height')), ...cacheHeader, ...etagHeader };
  const isGet = httpMethod === 'GET';
  const describedParameters = parameters.map(({ name, documentedName, where, required, field }) => {
    const shownName = where === 'path' ? variableOf(name) : isDocumented ? documentedName : name;
    return parameter(where, shownName, schemas.parameter(field), {
      required,
      description: fieldTexts[shownName] ?? fieldTexts[name] ?? `\`${field.name}\` of ${field.parent.typeName}.`,
      given: example?.parameters[shownName],
    });
  });
  return {
    tags: [tag],
    summary: call.name,
    description:
      operationTexts[`${call.parent.typeName}.${call.name}`] ??
      `Calls the method \`${call.name}\` of \`${call.parent.typeName}\`.`,
    security: needs('read', tokenPath),
    parameters: [...describedParameters, ...(isLive ? [] : heightParameters), ...(isGet ? [knownParameter] : [])],
    ...(hasBody && { requestBody: { required: true, content: { 'application/json': { schema: schemas.request(call) } } } }),
    responses: {
      200: jsonResponse('Success.', schemas.answer(call.output), { example: example?.body, headers }),
      ...(isGet && { 304: { description: 'Not modified: the cached response of the client is current.', headers } }),
      ...failures([400, 401, 403, 404, 429, 500, 502, 503, 504], ref(failureName), height),
    },
  };
}

const failureName = 'GatewayError';

/** The format of every error of REST in both dialects: that of grpc-gateway. */
const failureSchema: Schema = object(
  { code: { ...smallInteger, description: 'The gRPC status code.' }, message: text, details: list(anyObject) },
  {},
  'An error.',
);

function sendingOperation(prefix: string, tag: string, tokenPath: string | undefined): JsonObject {
  return {
    operationId: `post_${prefix}cosmos_tx_v1beta1_BroadcastTx`,
    tags: [tag],
    summary: 'BroadcastTx',
    description: 'Sends a transaction. With BROADCAST_MODE_SYNC, waits for the response of CheckTx.',
    security: needs('broadcast', tokenPath),
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      200: jsonResponse('The response of CheckTx.', answer),
      ...failures([400, 401, 403, 413, 429, 500, 502, 503, 504], ref(failureName)),
    },
  };
}

interface DescribeOptions {
  readonly examples: Examples;
  readonly tokenPath: string | undefined;
}

/** Describes the routes of a chain in both dialects. If OpenAPI cannot distinguish two routes, only the first is described. */
export function describeRest(routes: readonly RestRoute[], options: DescribeOptions) {
  const paths: Record<string, Record<string, JsonObject>> = {};
  const schemas: Record<string, Schema> = { [failureName]: failureSchema };
  const tags = new Map<string, string>();
  for (const { dialect, prefix, proto, suffix, tagText } of dialects) {
    const protoSchemas = createProtoSchemas(proto);
    const shapes = new Set<string>();
    const ids = new Map<string, number>();
    for (const route of routes) {
      const { call, template, httpMethod } = route;
      const openApiPath = describedPath(template.text);
      const method = httpMethod.toLowerCase();
      const shape = `${method} ${openApiPath?.replace(/\{[^}]+\}/g, '{}')}`;
      if (openApiPath === undefined || shapes.has(shape) || !dialect.hasRoutes(call.parent.typeName)) continue;
      shapes.add(shape);
      // The package of the service: `cosmos.group.v1`.
      const packageName = call.parent.typeName.replace(/\.[^.]+$/, '');
      const tag = packageName + suffix;
      tags.set(tag, `Queries of ${packageName}${tagText}.`);
      // Generators name types after operations and append `Params`, `Request` or `Response`. The HTTP method distinguishes them
      // from messages.
      const name = `${method}_${prefix}${packageName}.${call.name}`.replaceAll('.', '_');
      // A method can have several paths.
      const count = (ids.get(name) ?? 0) + 1;
      ids.set(name, count);
      const operationId = count === 1 ? name : `${name}_${count}`;
      const path = dialect.base + openApiPath;
      paths[path] = {
        ...paths[path],
        [method]: { operationId, ...operationOf(route, path, tag, protoSchemas, dialect, options) },
      };
    }
    // Only the node's dialect broadcasts transactions over REST. The documented dialect does so in the node RPC.
    const sendingTag = `cosmos.tx.v1beta1${suffix}`;
    if (dialect === nodeDialect && tags.has(sendingTag)) {
      const path = dialect.base + broadcastPath;
      paths[path] = { ...paths[path], post: sendingOperation(prefix, sendingTag, options.tokenPath) };
    }
    Object.assign(schemas, protoSchemas.schemas);
  }
  return { paths, schemas, tags: [...tags] };
}

const tag = 'Aggregates';

/** The tag of the aggregates, with its description. */
export const aggregateTag: readonly [string, string] = [tag, 'Display-ready reads, with display units, prices and times.'];

/**
 * Converts a schema to JSON. A nullable reference becomes an `anyOf` with {@link none}: OpenAPI 3.0 ignores `nullable` next to
 * a reference.
 */
function asJson(schema: object): Schema {
  const nulls = (_: string, value: unknown): unknown => {
    const isReference = typeof value === 'object' && value !== null && 'nullable' in value && !('type' in value);
    if (!isReference || !('allOf' in value) || !Array.isArray(value.allOf)) return value;
    const { nullable: _nullable, allOf, ...rest } = value;
    return { ...rest, anyOf: [...allOf, none] };
  };
  // Schemas consist of JSON values.
  return JSON.parse(JSON.stringify(schema), nulls) as Schema;
}

const streams: JsonObject = {
  'application/x-ndjson': {
    schema: {
      type: 'string',
      description: 'The whole list: one item on each line, as JSON. Cut off if the connection is lost.',
    },
  },
  'text/csv': {
    schema: {
      type: 'string',
      description:
        'The whole list by RFC 4180, with a header row. Text of users that begins with `=`, `+`, `-`, `@`, a tab or a line break is preceded by an apostrophe.',
    },
  },
};

export function describeAggregates(
  routes: readonly Route[],
  { examples, tokenPath }: DescribeOptions,
): { readonly paths: JsonObject; readonly schemas: Readonly<Record<string, Schema>> } {
  const height = heightHeader('x-cosmos-block-height');
  const paths = routes.map(({ path, operationId, summary, description, parameters, response, present, streamName }) => {
    const example = examples[path];
    const describedParameters = Object.entries(parameters).map(([name, { in: where, schema, description: text }]) => {
      const exampleText = example?.parameters[name];
      return {
        ...parameter(where, name, asJson(schema), { description: text, given: exampleText }),
        // Items are separated by commas.
        ...(schema.type === 'array' && { style: 'form', explode: false }),
      };
    });
    const success = jsonResponse('Success.', ref(response.name), {
      example: example?.body,
      headers: { ...height, ...cacheHeader },
      otherTypes: streamName === undefined ? {} : streams,
    });
    const statuses = [400, 401, 403, ...(present === undefined ? [] : [404]), 429, 500, 502, 503, 504];
    const operation = {
      operationId,
      tags: [tag],
      summary,
      description,
      security: needs('read', tokenPath),
      parameters: [...describedParameters, ...heightParameters],
      responses: {
        200: success,
        ...failures(statuses, ref(errorName), height),
      },
    };
    return [path, { get: operation }] as const;
  });
  const schemas = Object.entries(answerSchemas(routes)).map(([name, schema]) => [name, asJson(schema)] as const);
  return { paths: Object.fromEntries(paths), schemas: Object.fromEntries(schemas) };
}
