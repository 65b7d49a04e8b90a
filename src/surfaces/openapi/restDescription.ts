import { type DescEnum, type DescField, type DescMessage, type DescMethodUnary, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import type { JsonObject } from '../../chain/wire/json.ts';
import { castTypeOf, customTypeOf, isContractMessage } from '../../chain/wire/protoJson.ts';
import { unrecognized } from '../../reads/input.ts';
import type { Route } from '../aggregates/route.ts';
import { answerSchemas, errorName } from '../aggregates/routeTable.ts';
import { componentSchemas } from '../aggregates/schemas.ts';
import { webhookRoutes, webhookSchemas } from '../aggregates/webhooks.ts';
import { type Dialect, documentedDialect, nodeDialect } from '../rest/dialect.ts';
import { wideIntegers } from '../rest/printer.ts';
import { broadcastPath } from '../rest/restHandler.ts';
import type { RestRoute } from '../rest/routes.ts';
import {
  anyObject,
  base64,
  cacheHeader,
  described,
  type Examples,
  etagHeader,
  failures,
  flag,
  heightHeader,
  heightParameters,
  hex,
  jsonResponse,
  knownParameter,
  list,
  needs,
  none,
  nullable,
  object,
  parameter,
  proofParameters,
  proofUrlHeader,
  quorumParameter,
  ref,
  type Schema,
  smallInteger,
  text,
  time,
} from './document.ts';

interface ProtoDialect {
  readonly prefix: string;
  readonly nameOf: (field: DescField) => string;
  readonly integer: Schema;
  readonly integerInput: (isSigned: boolean) => Schema;
  readonly bytes: Schema;
  readonly enumOf: (desc: DescEnum) => Schema;
  readonly any: Schema;
  /** Schema of a field with its own format. undefined for all other fields. */
  readonly special?: (field: DescField) => Schema | undefined;
}

/** The documented dialect: names in camelCase, integers as JSON integers, an `Any` as its type URL and bytes. */
const documentedProto: ProtoDialect = {
  prefix: '',
  nameOf: ({ jsonName }) => jsonName,
  integer: { type: 'integer', format: 'int64' },
  integerInput: (isSigned) => ({ type: 'integer', format: 'int64', ...(!isSigned && { minimum: 0 }) }),
  bytes: base64,
  enumOf: ({ values }) => ({ type: 'string', enum: [...values.map(({ name }) => name), unrecognized] }),
  any: object({
    type: described(text, 'Type URL of the message.'),
    value: described(base64, 'Bytes of the message, in base64.'),
  }),
  special: ({ parent: { typeName }, name }) =>
    typeName === 'provenance.attribute.v1.Attribute' && name === 'value'
      ? described(text, 'Text. Base64 for attributes of the types BYTES and PROTO.')
      : undefined,
};

/** The node's dialect: names in snake_case, 64-bit integers as strings, empty bytes as null, an `Any` as the fields of its message and `@type`. */
const nodeProto: ProtoDialect = {
  prefix: 'rest.',
  nameOf: ({ name }) => name,
  integer: { type: 'string', format: 'int64', pattern: '^-?[0-9]+$' },
  integerInput: (isSigned) => ({ type: 'string', pattern: isSigned ? '^-?[0-9]+$' : '^[0-9]+$' }),
  bytes: nullable(base64),
  // An enum value that the chain's descriptors lack is a number.
  enumOf: ({ values }) => ({ anyOf: [{ type: 'string', enum: values.map(({ name }) => name) }, { type: 'integer' }] }),
  any: { ...object({ '@type': described(text, 'Type URL of the message.') }), additionalProperties: true },
  special(field) {
    if (field.enum?.typeName === 'cosmwasm.wasm.v1.AccessType')
      return described(text, 'The name in wasmd: `Everybody`, `Nobody`.');
    const shaped = isContractMessage(field)
      ? { description: 'The message of a contract: any JSON. null if it is empty, base64 if it is not JSON.' }
      : castTypeOf(field) === 'HexBytes' && field.scalar === ScalarType.BYTES
        ? described(text, 'Bytes in hexadecimal.')
        : undefined;
    return shaped !== undefined && field.fieldKind === 'list' ? list(shaped) : shaped;
  },
};

function orNull(schema: Schema): Schema {
  return schema.type === undefined ? { anyOf: [schema, none] } : nullable(schema);
}

type ProtoSchemas = ReturnType<typeof createProtoSchemas>;

const floating: readonly ScalarType[] = [ScalarType.DOUBLE, ScalarType.FLOAT];
const unsigned: readonly ScalarType[] = [ScalarType.UINT64, ScalarType.FIXED64, ScalarType.UINT32, ScalarType.FIXED32];

const wellKnown: Readonly<Record<string, Schema>> = {
  'google.protobuf.Timestamp': time,
  'google.protobuf.Duration': described(text, 'A duration, such as `20s`.'),
  'google.protobuf.FieldMask': text,
  'google.protobuf.Struct': { type: 'object', additionalProperties: true },
  'google.protobuf.ListValue': list({}),
  'google.protobuf.Value': {},
};

function createProtoSchemas(dialect: ProtoDialect) {
  const schemas: Record<string, Schema> = {};

  function scalar(field: DescField, type: ScalarType): Schema {
    const custom = type === ScalarType.STRING || type === ScalarType.BYTES ? customTypeOf(field) : undefined;
    if (custom === 'LegacyDec' || custom === 'Int') return nullable(described(text, 'A number in decimal.'));
    if (custom === 'MetadataAddress') return described(text, 'A bech32 address.');
    if (type === ScalarType.STRING) return text;
    if (type === ScalarType.BYTES) return dialect.bytes;
    if (type === ScalarType.BOOL) return flag;
    if (wideIntegers.includes(type)) return dialect.integer;
    return floating.includes(type) ? { type: 'number' } : smallInteger;
  }

  function item(field: DescField, prefix: string): Schema {
    if (field.message !== undefined) return message(field.message, prefix);
    return field.enum === undefined ? scalar(field, field.scalar ?? ScalarType.STRING) : dialect.enumOf(field.enum);
  }

  function schemaOf(field: DescField, prefix: string): Schema {
    switch (field.fieldKind) {
      case 'list':
        return list(item(field, prefix));
      case 'map':
        return { type: 'object', additionalProperties: item(field, prefix) };
      case 'message':
        return orNull(item(field, prefix));
      default:
        return field.presence === FeatureSet_FieldPresence.EXPLICIT && field.oneof === undefined
          ? orNull(item(field, prefix))
          : item(field, prefix);
    }
  }

  function message(desc: DescMessage, prefix: string): Schema {
    const { typeName, fields } = desc;
    if (typeName === 'google.protobuf.Any') return orNull(dialect.any);
    const wellKnownSchema = wellKnown[typeName];
    if (wellKnownSchema !== undefined) return wellKnownSchema;
    const name = `${prefix}${typeName}`;
    if (schemas[name] === undefined) {
      // Registered before its fields are described, because a message can contain itself.
      schemas[name] = {};
      const member = (field: DescField): [string, Schema] => [
        dialect.nameOf(field),
        dialect.special?.(field) ?? schemaOf(field, prefix),
      ];
      // Only the member of a oneof that is set is present.
      const always = fields.filter(({ oneof }) => oneof === undefined && prefix === dialect.prefix);
      const sometimes = fields.filter((field) => !always.includes(field));
      schemas[name] = object(Object.fromEntries(always.map(member)), Object.fromEntries(sometimes.map(member)));
    }
    return ref(name);
  }

  function parameter(field: DescField): Schema {
    const schema = parameterItem(field);
    return field.fieldKind === 'list' ? list(schema) : schema;
  }

  function parameterItem(field: DescField): Schema {
    if (field.enum !== undefined) return { type: 'string', enum: field.enum.values.map(({ name }) => name) };
    if (field.message !== undefined) return wellKnown[field.message.typeName] ?? text;
    const type = field.scalar ?? ScalarType.STRING;
    if (wideIntegers.includes(type)) return dialect.integerInput(!unsigned.includes(type));
    if (type === ScalarType.BYTES) return base64;
    if (type === ScalarType.BOOL) return flag;
    if (type === ScalarType.STRING) return text;
    return floating.includes(type) ? { type: 'number' } : smallInteger;
  }

  return {
    /** Returns the schema of a response. Adds its named schemas to `schemas`. */
    answer: (desc: DescMessage): Schema => message(desc, dialect.prefix),
    /** Returns the schema of a request body. All members are optional. */
    request: ({ input }: DescMethodUnary): Schema => message(input, `${dialect.prefix}request.`),
    parameter,
    schemas,
  };
}

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
  const ofHeight = hasHeight && { ...heightHeader('x-cosmos-block-height'), ...(!isLive && proofUrlHeader) };
  const headers = { ...height, ...ofHeight, ...cacheHeader, ...etagHeader };
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
    parameters: [
      ...describedParameters,
      ...(isLive ? [] : [...heightParameters, ...proofParameters, quorumParameter]),
      ...(isGet ? [knownParameter] : []),
    ],
    ...(hasBody && { requestBody: { required: true, content: { 'application/json': { schema: schemas.request(call) } } } }),
    responses: {
      200: jsonResponse('Success.', schemas.answer(call.output), { example: example?.body, headers }),
      ...(isGet && { 304: { description: 'Not modified: the cached response of the client is current.', headers } }),
      ...failures([400, 401, 403, 404, 429, 500, 502, 503, 504], ref(failureName), height),
    },
  };
}

const failureName = 'GatewayError';

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
      // Generators name types after operations and append `Params`, `Request` or `Response`. The HTTP method distinguishes them from messages.
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
    if (dialect.broadcasts && tags.has(sendingTag)) {
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

/** Converts a schema to JSON. A nullable reference becomes an `anyOf` with {@link none}: OpenAPI 3.0 ignores `nullable` next to a reference. */
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

const proofInQuery = parameter(
  'query',
  'proof',
  { type: 'string', enum: ['1'] },
  { description: 'The same as the header `accept-proof`.' },
);

export function describeAggregates(
  routes: readonly Route[],
  { examples, tokenPath }: DescribeOptions,
): { readonly paths: JsonObject; readonly schemas: Readonly<Record<string, Schema>> } {
  const height = heightHeader('x-cosmos-block-height');
  const paths = routes.map((route) => {
    const { path, operationId, summary, description, parameters, response, present, streamName } = route;
    const example = examples[path];
    // A proof has its height in its path, and no proof of its own.
    const isProof = path === '/v1/proofs/{height}';
    const hasProof = !isProof && !route.readsArchive;
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
      headers: { ...height, ...cacheHeader, ...(hasProof && proofUrlHeader) },
      otherTypes: streamName === undefined ? {} : streams,
    });
    const statuses = [400, 401, 403, ...(present === undefined ? [] : [404]), 429, 500, 502, 503, 504];
    const operation = {
      operationId,
      tags: [tag],
      summary,
      description,
      security: needs('read', tokenPath),
      parameters: [
        ...describedParameters,
        ...(isProof ? [] : [...heightParameters, ...(hasProof ? [proofInQuery, ...proofParameters] : []), quorumParameter]),
      ],
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

/** The tag of the webhooks, with its description. */
export const webhookTag: readonly [string, string] = [
  'Webhooks',
  'Webhooks of the caller: each event of a subscription or live query is sent to a URL.',
];

/** Describes `/v1/webhooks`. */
export function describeWebhooks(tokenPath: string | undefined): {
  readonly paths: JsonObject;
  readonly schemas: Readonly<Record<string, Schema>>;
} {
  const [webhooksTag] = webhookTag;
  const paths: Record<string, JsonObject> = {};
  for (const { method, path, operationId, summary, description, body, query = {}, response, status = 200 } of webhookRoutes) {
    const inPath = path === '' ? [] : [parameter('path', 'id', text, { description: 'The id of a webhook of the caller.' })];
    const inQuery = Object.entries(query).map(([name, { schema, description: of }]) =>
      parameter('query', name, asJson(schema), { description: of }),
    );
    const statuses = [400, 401, 403, ...(path === '' ? [] : [404]), ...(body === undefined ? [] : [413]), 429, 500, 503];
    const operation = {
      ...{ operationId, tags: [webhooksTag], summary, description, security: needs('webhooks', tokenPath) },
      parameters: [...inPath, ...inQuery],
      ...(body !== undefined && { requestBody: { required: true, content: { 'application/json': { schema: ref(body) } } } }),
      responses: { [status]: jsonResponse('Success.', ref(response)), ...failures(statuses, ref(errorName)) },
    };
    const fullPath = `/v1/webhooks${path}`;
    paths[fullPath] = { ...paths[fullPath], [method.toLowerCase()]: operation };
  }
  const schemas = Object.entries(componentSchemas(webhookSchemas)).map(([name, schema]) => [name, asJson(schema)] as const);
  return { paths, schemas: Object.fromEntries(schemas) };
}
