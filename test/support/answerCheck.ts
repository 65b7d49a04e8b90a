import type { Client } from '../../src/chain/client.ts';
import { isRpcMethod } from '../../src/chain/rpc/methods.ts';
import type { JsonObject } from '../../src/chain/wire/json.ts';
import { boundsOf, createLimits } from '../../src/config/limits/limits.ts';
import { createRouteMatcher } from '../../src/surfaces/aggregates/route.ts';
import { createRouteTable as createAggregateTable } from '../../src/surfaces/aggregates/routeTable.ts';
import { applicationDescription } from '../../src/surfaces/openapi/descriptionHandler.ts';
import { nodeDescription } from '../../src/surfaces/openapi/nodeRpcDescription.ts';
import { describedPath } from '../../src/surfaces/openapi/restDescription.ts';
import { createRouteTable } from '../../src/surfaces/rest/routes.ts';
import { createSchemaCheck, type SchemaCheck } from './schemaCheck.ts';

/** One HTTP request and its response. */
export interface Exchange {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The request body. */
  readonly request: string | undefined;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

interface Response {
  readonly headers?: JsonObject;
  readonly content?: Readonly<Record<string, { readonly schema: JsonObject }>>;
}

interface Responses {
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

/** An OpenAPI description, with the check of values against its schemas. */
interface Described {
  readonly document: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Responses>>>>;
    readonly components: {
      readonly responses: Readonly<Record<string, Response>>;
      readonly schemas: Readonly<Record<string, JsonObject>>;
    };
  };
  readonly check: SchemaCheck;
}

function describedBy(document: JsonObject): Described {
  return { document: document as never, check: createSchemaCheck(document as never) };
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** The schema of a JSON response. undefined if the description has none. */
function schemaAt(described: Described, path: string, method: string, status: number): JsonObject | undefined {
  return responseAt(described, path, method, status)?.content?.['application/json']?.schema;
}

function responseAt({ document }: Described, path: string, method: string, status: number): Response | undefined {
  const responses = document.paths[path]?.[method.toLowerCase()]?.responses;
  const response = responses?.[String(status)] ?? responses?.default;
  return response !== undefined && '$ref' in response
    ? document.components.responses[response.$ref.slice('#/components/responses/'.length)]
    : response;
}

/** Headers that must be in the description of each response that has them. */
const describedHeaders =
  /^(x-cosmos-block-height|grpc-metadata-x-cosmos-block-height|etag|retry-after|ratelimit-.*|www-authenticate|upgrade)$/;

function mustBeDescribed([name, value]: readonly [name: string, value: string]): boolean {
  return describedHeaders.test(name) || (name === 'cache-control' && value.includes('max-age'));
}

/** The headers of a response that are missing from its description. */
function undescribed(described: Described, path: string, { method, status, headers }: Exchange): readonly string[] {
  const response = responseAt(described, path, method, status);
  if (response === undefined) return [];
  const known = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
  return headers.filter((header) => mustBeDescribed(header) && !known.has(header[0])).map(([name]) => `the header ${name}`);
}

/** The results of JSON-RPC calls, each with its method. Responses to calls with the same id are in the order of the calls. */
function resultsOf({ request, body }: Exchange): readonly { method: string; result: unknown }[] {
  const many = (text: string | undefined) =>
    [parse(text)].flat() as ({ id?: unknown; method?: string; result?: unknown } | undefined)[];
  const waiting = many(request);
  return many(body).flatMap((answer) => {
    const place = waiting.findIndex((call) => call?.id === answer?.id);
    const [call] = place < 0 ? [] : waiting.splice(place, 1);
    const method = call?.method;
    return method !== undefined && isRpcMethod(method) && answer?.result !== undefined
      ? [{ method, result: answer.result }]
      : [];
  });
}

/** Returns the differences between a response and its description. Empty if the response has no description. */
export type AnswerCheck = (exchange: Exchange) => Promise<readonly string[]>;

/** The description of the node RPC. It is compiled once for all servers. */
let node: Described | undefined;

const aggregates = createAggregateTable(boundsOf(createLimits()));
const matchAggregate = createRouteMatcher(aggregates);
let ofAggregates: Described | undefined;

type Pool = NonNullable<ReturnType<Client['descriptors']['loaded']>>;

/**
 * The REST routes and their description, by the descriptors of the chain. Servers read them from different chains, but most
 * have the same: equal size and services.
 */
const restOfChains = new Map<string, ReturnType<typeof restOf>>();

async function restOf(pool: Pool) {
  const table = await createRouteTable(pool);
  return {
    table,
    described: describedBy(applicationDescription({ rest: table.routes, aggregates: [], examples: {} }, undefined)),
  };
}

/**
 * Creates the check of a server's responses. It sends no request: the REST routes come from the descriptors that the client has
 * loaded.
 */
export function createAnswerCheck(client: Pick<Client, 'descriptors'>): AnswerCheck {
  function checkNode(exchange: Exchange, path: string): readonly string[] {
    node ??= describedBy(nodeDescription({}, undefined));
    const { method, status, body } = exchange;
    const schema = schemaAt(node, path, method, status);
    if (schema === undefined || body === '') return [];
    const base = path.startsWith('/comet') ? '/comet' : '';
    const { check, document } = node;
    const results = method === 'POST' ? resultsOf(exchange) : [];
    const ofResults = results.flatMap(({ method: called, result }) => {
      const answer = String(schemaAt(node as Described, `${base}/${called}`, 'GET', 200)?.$ref);
      const { properties = {} } = document.components.schemas[answer.slice('#/components/schemas/'.length)] ?? {};
      return check((properties as JsonObject).result as JsonObject, result).map((line) => `${called}: ${line}`);
    });
    return [...check(schema, parse(body)), ...ofResults, ...undescribed(node, path, exchange)];
  }

  async function checkRest(exchange: Exchange, path: string): Promise<readonly string[]> {
    const pool = client.descriptors.loaded();
    if (pool === undefined) return [];
    const name = `${pool.size} ${pool.services.join()}`;
    const rest = restOfChains.get(name) ?? restOf(pool);
    restOfChains.set(name, rest);
    const { table, described } = await rest;
    const base = path.startsWith('/rest/') ? '/rest' : '';
    const segments = path.slice(base.length + 1).split('/');
    const route = table.find(segments)?.get(exchange.method);
    // Routes that send transactions are not in the route table.
    const place = route === undefined ? path.slice(base.length) : describedPath(route.template.text);
    if (place === undefined) return [];
    const schema = schemaAt(described, `${base}${place}`, exchange.method, exchange.status);
    const wrong = schema ? described.check(schema, parse(exchange.body)) : [];
    return [...wrong, ...undescribed(described, `${base}${place}`, exchange)];
  }

  return async (exchange) => {
    const { method, target, status, headers, body } = exchange;
    const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
    const [path = ''] = target.split('?');
    if (!type.startsWith('application/json') || status === 304) return [];
    if (path.startsWith('/v1/')) {
      const route = matchAggregate(path)?.route;
      ofAggregates ??= describedBy(applicationDescription({ rest: [], aggregates, examples: {} }, undefined));
      const schema = route && schemaAt(ofAggregates, route.path, method, status);
      if (schema === undefined) return [];
      return [...ofAggregates.check(schema, parse(body)), ...undescribed(ofAggregates, route?.path ?? '', exchange)];
    }
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (/^(\/comet)?\/?$/.test(path)) return checkNode(exchange, path === '/comet/' ? '/comet' : path || '/');
    if (/^(\/comet)?\/[a-z_]+$/.test(path) && isRpcMethod(name)) return checkNode(exchange, path);
    return checkRest(exchange, path);
  };
}

const checks = new Map<string, AnswerCheck>();
let wrapped = false;

/** Throws if a response of a registered server does not match its description. */
export async function expectDescribed(url: string, exchange: Omit<Exchange, 'target'>): Promise<void> {
  const { origin, pathname, search } = new URL(url);
  const wrong = (await checks.get(origin)?.({ ...exchange, target: `${pathname}${search}` })) ?? [];
  if (wrong.length === 0) return;
  const differences = wrong.slice(0, 10).join('\n');
  throw new Error(
    `${exchange.method} ${url} (${exchange.status}) does not match its description:\n${differences}\n${exchange.body.slice(0, 500)}`,
  );
}

/**
 * Registers a server: responses that tests receive through `fetch` or `send` must match its descriptions. Returns a function
 * that unregisters it.
 */
export function holdToDescriptions(url: string, client: Pick<Client, 'descriptors'>): () => void {
  checks.set(url, createAnswerCheck(client));
  if (!wrapped) {
    wrapped = true;
    const original = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const response = await original(input, init);
      const requested = new URL(input instanceof Request ? input.url : input);
      const headers = [...response.headers];
      const isJson = headers.some(([name, value]) => name === 'content-type' && value.startsWith('application/json'));
      if (!checks.has(requested.origin) || !isJson || requested.pathname === '/graphql') return response;
      const request = typeof init?.body === 'string' ? init.body : undefined;
      const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
      // The body cannot be read if the test aborts the request.
      const body = await response
        .clone()
        .text()
        .catch(() => undefined);
      if (body !== undefined)
        await expectDescribed(requested.href, { method, request, status: response.status, headers, body });
      return response;
    };
  }
  return () => void checks.delete(url);
}
