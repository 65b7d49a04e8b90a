import type { JsonObject } from '../../../chain/wire/json.ts';
import type { RestRoute } from '../../rest/routes/routeTable.ts';
import { fieldWords, operationWords } from '../nodeRpc/documentedTexts.ts';
import { type Examples, heightParameters, knownParameter, needs, parameter } from '../parts/document.ts';
import { etagHeader, failures, heightHeader, jsonResponse, keptHeader } from '../parts/responses.ts';
import { anyObject, list, object, ref, type Schema, smallInteger, text } from '../parts/schemaParts.ts';
import { createProtoSchemas, documentedProto, nodeProto, type ProtoDialect, type ProtoSchemas } from './protoSchemas.ts';
import { describeSending } from './restSending.ts';

/** One way of speaking REST, as far as a description tells it apart. */
interface RestDialect {
  readonly base: '' | '/rest';
  readonly prefix: '' | 'rest_';
  readonly proto: ProtoDialect;
  readonly tagged: (name: string) => string;
  /** The headers that tell the height: of failures, and of answers at a height. */
  readonly heightHeader: JsonObject;
  readonly heightHeaders: JsonObject;
  /** Whether parameters have the names of the seed. */
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

/** The name of a path's variable in a description: linters take no dots there. */
function variableOf(name: string): string {
  return name.replaceAll('.', '_');
}

/** A template as OpenAPI has it: a variable with slashes is one as all others. undefined for one with a wildcard that has no name. */
export function describedPath(template: string): string | undefined {
  const path = template.replace(/\{([\w.]+)(=[^}]+)?\}/g, (_, name: string) => `{${variableOf(name)}}`);
  return path.includes('*') ? undefined : path;
}

/** A service without its `Query`: `cosmos.group.v1`. */
function tagOf({ call }: RestRoute): string {
  return call.parent.typeName.replace(/\.[^.]+$/, '');
}

function operationOf(route: RestRoute, schemas: ProtoSchemas, dialect: RestDialect, options: Described): JsonObject {
  const { call, parameters, hasBody, isLive } = route;
  const path = `${dialect.base}${describedPath(route.template.text)}`;
  const example = options.examples[path];
  // What is of no height is told with that of the newest block by the node's own REST alone.
  const isTold = !(isLive && dialect.isDocumented);
  const ofHeight = isTold ? dialect.heightHeaders : {};
  const isGet = route.httpMethod === 'GET';
  const words = operationWords[`${call.parent.typeName}.${call.name}`];
  const told = parameters.map(({ name, documentedName, where, required, field }) => {
    const own = where === 'path' ? variableOf(name) : dialect.isDocumented ? documentedName : name;
    return parameter(where, own, schemas.parameter(field), {
      required,
      description: fieldWords[own] ?? fieldWords[name] ?? `\`${field.name}\` of ${field.parent.typeName}.`,
      given: example?.parameters[own],
    });
  });
  return {
    tags: [dialect.tagged(tagOf(route))],
    summary: words?.summary ?? call.name,
    description: words?.description ?? `The method ${call.name} of ${call.parent.typeName}.`,
    security: needs('read', options.tokenPath),
    parameters: [...told, ...(isLive ? [] : heightParameters), ...(isGet ? [knownParameter] : [])],
    ...(hasBody && { requestBody: { required: true, content: { 'application/json': { schema: schemas.request(call) } } } }),
    responses: {
      200: jsonResponse('The answer.', schemas.answer(call.output), {
        example: example?.body,
        headers: { ...ofHeight, ...keptHeader, ...etagHeader },
      }),
      ...(isGet && {
        304: { description: 'The caller has the answer already.', headers: { ...ofHeight, ...keptHeader, ...etagHeader } },
      }),
      ...failures([400, 401, 403, 404, 429, 500, 502, 503, 504], ref(failureName), isTold ? dialect.heightHeader : {}),
    },
  };
}

const failureName = 'GatewayError';

/** The shape of every failure of REST, in either dialect: that of gRPC-gateway. */
const failureSchema: Schema = object(
  { code: { ...smallInteger, description: 'The code of gRPC.' }, message: text, details: list(anyObject) },
  {},
  'Why there is no answer.',
);

interface Described {
  readonly examples: Examples;
  readonly tokenPath: string | undefined;
}

/** What the routes of a chain add to a description. */
export interface RestParts {
  readonly paths: JsonObject;
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly tags: readonly (readonly [string, string])[];
}

/** Describes the routes of a chain in both dialects. Of routes that OpenAPI cannot tell apart the first stays. */
export function describeRest(routes: readonly RestRoute[], options: Described): RestParts {
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
      shapes.add(shape);
      const tag = tagOf(route);
      tags.set(dialect.tagged(tag), `Queries of ${tag}${dialect.isDocumented ? '' : ', in the dialect of the node'}.`);
      // Generators name types after operations, with `Params`, `Request` or `Response` at the end. The HTTP method keeps them apart from messages.
      const name = `${method}_${dialect.prefix}${tag}.${route.call.name}`.replaceAll('.', '_');
      // A method of the chain can have several paths.
      const count = (ids.get(name) ?? 0) + 1;
      ids.set(name, count);
      const operationId = count === 1 ? name : `${name}_${count}`;
      const place = `${dialect.base}${path}`;
      paths[place] = { ...paths[place], [method]: { operationId, ...operationOf(route, own, dialect, options) } };
    }
    // Its own REST is where a node takes transactions; under the seed's names the node RPC does.
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
