import type { JsonObject } from '../../chain/wire/json.ts';
import type { Route } from '../aggregates/route.ts';
import { answerSchemas, errorName } from '../aggregates/routeTable.ts';
import { hasNodeRoutes } from '../rest/dialect.ts';
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
import { createProtoSchemas, documentedProto, nodeProto, type ProtoDialect, type ProtoSchemas } from './protoSchemas.ts';

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

/** Returns the path under `base` that broadcasts transactions, and its operation. */
function describeSending(
  { base, prefix, tag }: { readonly base: string; readonly prefix: string; readonly tag: string },
  failure: Schema,
  tokenPath: string | undefined,
): readonly [path: string, operation: JsonObject] {
  const operation = {
    operationId: `post_${prefix}cosmos_tx_v1beta1_BroadcastTx`,
    tags: [tag],
    summary: 'BroadcastTx',
    description: 'Sends a transaction. With BROADCAST_MODE_SYNC, waits for the response of CheckTx.',
    security: needs('broadcast', tokenPath),
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      200: jsonResponse('The response of CheckTx.', answer),
      ...failures([400, 401, 403, 413, 429, 500, 502, 503, 504], failure),
    },
  };
  return [`${base}${broadcastPath}`, operation];
}

/** The parts of a description that differ between the dialects of REST. */
interface RestDialect {
  readonly base: '' | '/rest';
  readonly prefix: '' | 'rest_';
  readonly proto: ProtoDialect;
  readonly tagged: (name: string) => string;
  /** The headers with the height: of errors, and of responses at a height. */
  readonly heightHeader: JsonObject;
  readonly heightHeaders: JsonObject;
  /** Whether this is the documented dialect. */
  readonly isDocumented: boolean;
}

const dialects: readonly RestDialect[] = [
  {
    base: '',
    prefix: '',
    proto: documentedProto,
    tagged: (name) => name,
    heightHeader: heightHeader('x-cosmos-block-height'),
    heightHeaders: heightHeader('x-cosmos-block-height'),
    isDocumented: true,
  },
  {
    base: '/rest',
    prefix: 'rest_',
    proto: nodeProto,
    tagged: (name) => `${name} (dialect of the node)`,
    heightHeader: heightHeader('Grpc-Metadata-X-Cosmos-Block-Height'),
    heightHeaders: { ...heightHeader('Grpc-Metadata-X-Cosmos-Block-Height'), ...heightHeader('x-cosmos-block-height') },
    isDocumented: false,
  },
];

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

/** Returns the package of the service: `cosmos.group.v1`. */
function tagOf({ call }: RestRoute): string {
  return call.parent.typeName.replace(/\.[^.]+$/, '');
}

function operationOf(route: RestRoute, schemas: ProtoSchemas, dialect: RestDialect, options: DescribeOptions): JsonObject {
  const { call, parameters, hasBody, isLive } = route;
  const path = `${dialect.base}${describedPath(route.template.text)}`;
  const example = options.examples[path];
  // For live reads, which have no height, only the node's REST API returns a height: that of the newest block.
  const hasHeight = !(isLive && dialect.isDocumented);
  const ofHeight = hasHeight ? dialect.heightHeaders : {};
  const isGet = route.httpMethod === 'GET';
  const description = operationTexts[`${call.parent.typeName}.${call.name}`];
  const described = parameters.map(({ name, documentedName, where, required, field }) => {
    const own = where === 'path' ? variableOf(name) : dialect.isDocumented ? documentedName : name;
    return parameter(where, own, schemas.parameter(field), {
      required,
      description: fieldTexts[own] ?? fieldTexts[name] ?? `\`${field.name}\` of ${field.parent.typeName}.`,
      given: example?.parameters[own],
    });
  });
  return {
    tags: [dialect.tagged(tagOf(route))],
    summary: call.name,
    description: description ?? `Calls the method \`${call.name}\` of \`${call.parent.typeName}\`.`,
    security: needs('read', options.tokenPath),
    parameters: [...described, ...(isLive ? [] : heightParameters), ...(isGet ? [knownParameter] : [])],
    ...(hasBody && { requestBody: { required: true, content: { 'application/json': { schema: schemas.request(call) } } } }),
    responses: {
      200: jsonResponse('Success.', schemas.answer(call.output), {
        example: example?.body,
        headers: { ...ofHeight, ...cacheHeader, ...etagHeader },
      }),
      ...(isGet && {
        304: {
          description: 'Not modified: the cached response of the client is current.',
          headers: { ...ofHeight, ...cacheHeader, ...etagHeader },
        },
      }),
      ...failures([400, 401, 403, 404, 429, 500, 502, 503, 504], ref(failureName), hasHeight ? dialect.heightHeader : {}),
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

interface DescribeOptions {
  readonly examples: Examples;
  readonly tokenPath: string | undefined;
}

/** The parts of a description that contain the routes of a chain. */
interface RestParts {
  readonly paths: JsonObject;
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly tags: readonly (readonly [string, string])[];
}

/** Describes the routes of a chain in both dialects. If OpenAPI cannot distinguish two routes, only the first is described. */
export function describeRest(routes: readonly RestRoute[], options: DescribeOptions): RestParts {
  const paths: Record<string, Record<string, JsonObject>> = {};
  const schemas: Record<string, Schema> = { [failureName]: failureSchema };
  const tags = new Map<string, string>();
  for (const dialect of dialects) {
    const own = createProtoSchemas(dialect.proto);
    const shapes = new Set<string>();
    const ids = new Map<string, number>();
    for (const route of routes) {
      const path = describedPath(route.template.text);
      const method = route.httpMethod.toLowerCase();
      const shape = `${method} ${path?.replace(/\{[^}]+\}/g, '{}')}`;
      if (path === undefined || shapes.has(shape)) continue;
      if (!dialect.isDocumented && !hasNodeRoutes(route.call.parent.typeName)) continue;
      shapes.add(shape);
      const tag = tagOf(route);
      tags.set(dialect.tagged(tag), `Queries of ${tag}${dialect.isDocumented ? '' : " in the node's dialect"}.`);
      // Generators name types after operations and append `Params`, `Request` or `Response`. The HTTP method distinguishes them
      // from messages.
      const name = `${method}_${dialect.prefix}${tag}.${route.call.name}`.replaceAll('.', '_');
      // A method can have several paths.
      const count = (ids.get(name) ?? 0) + 1;
      ids.set(name, count);
      const operationId = count === 1 ? name : `${name}_${count}`;
      const place = `${dialect.base}${path}`;
      paths[place] = { ...paths[place], [method]: { operationId, ...operationOf(route, own, dialect, options) } };
    }
    // Only the node's dialect broadcasts transactions over REST. The documented dialect does so in the node RPC.
    const txTag = dialect.tagged('cosmos.tx.v1beta1');
    if (!dialect.isDocumented && tags.has(txTag)) {
      const named = { base: dialect.base, prefix: dialect.prefix, tag: txTag };
      const [place, post] = describeSending(named, ref(failureName), options.tokenPath);
      paths[place] = { ...paths[place], post };
    }
    Object.assign(schemas, own.schemas);
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

/** The media types of streams, with their descriptions. */
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

/** Describes the aggregates. */
export function describeAggregates(
  routes: readonly Route[],
  { examples, tokenPath }: { readonly examples: Examples; readonly tokenPath: string | undefined },
): { readonly paths: JsonObject; readonly schemas: Readonly<Record<string, Schema>> } {
  const height = heightHeader('x-cosmos-block-height');
  const paths = routes.map(({ path, operationId, summary, description, parameters, response, present, streamName }) => {
    const example = examples[path];
    const described = Object.entries(parameters).map(([name, { in: where, schema, description: text }]) => {
      const given = example?.parameters[name];
      return {
        ...parameter(where, name, asJson(schema), { description: text, given }),
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
      parameters: [...described, ...heightParameters],
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
