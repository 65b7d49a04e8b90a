import type { Client } from '../../src/chain/client.ts';
import { isRpcMethod } from '../../src/chain/rpc/methods.ts';
import type { JsonObject } from '../../src/chain/wire/json.ts';
import { createLimits } from '../../src/config/limits/limits.ts';
import { boundsOf } from '../../src/graphql/operation/context.ts';
import { matchRoute } from '../../src/http/aggregates/match.ts';
import { createRouteTable as createAggregateTable } from '../../src/http/aggregates/routeTable.ts';
import { applicationDescription, nodeDescription } from '../../src/http/openapi/descriptions.ts';
import { describedPath } from '../../src/http/openapi/rest/restPaths.ts';
import { createRouteTable } from '../../src/http/rest/routes/routeTable.ts';
import { createSchemaCheck, type SchemaCheck } from './schemaCheck.ts';

/** One answer over HTTP, with what was asked. */
export interface Exchange {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** What was sent. */
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

/** What a description says of the answers at its paths. */
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

/** The text of an integer beyond what JSON.parse keeps is exact in the answer; as a number it is an integer all the same. */
function schemaAt(described: Described, path: string, method: string, status: number): JsonObject | undefined {
  return responseAt(described, path, method, status)?.content?.['application/json']?.schema;
}

function responseAt({ document }: Described, path: string, method: string, status: number): Response | undefined {
  const responses = document.paths[path]?.[method.toLowerCase()]?.responses;
  const told = responses?.[String(status)] ?? responses?.default;
  return told !== undefined && '$ref' in told
    ? document.components.responses[told.$ref.slice('#/components/responses/'.length)]
    : told;
}

/** Headers that tell a caller something: each is to be described where it comes. */
const tellingHeaders =
  /^(x-cosmos-block-height|grpc-metadata-x-cosmos-block-height|etag|retry-after|ratelimit-.*|www-authenticate|upgrade)$/;

function isTelling([name, value]: readonly [name: string, value: string]): boolean {
  return tellingHeaders.test(name) || (name === 'cache-control' && value.includes('max-age'));
}

/** The headers of an answer that its description does not speak of. */
function undescribed(described: Described, path: string, { method, status, headers }: Exchange): readonly string[] {
  const response = responseAt(described, path, method, status);
  if (response === undefined) return [];
  const known = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
  return headers.filter((header) => isTelling(header) && !known.has(header[0])).map(([name]) => `the header ${name}`);
}

/** The results within the answers to JSON-RPC calls, with the method of each. Calls may share an id: they are answered in their order. */
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

/** Says what of an answer is not as the descriptions have it: none of one that they do not speak of. */
export type AnswerCheck = (exchange: Exchange) => Promise<readonly string[]>;

/** The description of the node RPC. It is compiled once for all servers. */
let node: Described | undefined;

const aggregates = createAggregateTable(boundsOf(createLimits()));
let ofAggregates: Described | undefined;

/** The REST routes of each chain with their description, by the types of the chain. */
const restOfChains = new WeakMap<object, ReturnType<typeof restOf>>();

async function restOf(pool: NonNullable<ReturnType<Client['descriptors']['loaded']>>) {
  const table = await createRouteTable(pool);
  return {
    table,
    described: describedBy(applicationDescription({ rest: table.routes, aggregates: [], examples: {} }, undefined)),
  };
}

/** Creates the check of a server's responses. It sends no request: the REST routes are those that the client has learned. */
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
    const rest = restOfChains.get(pool) ?? restOf(pool);
    restOfChains.set(pool, rest);
    const { table, described } = await rest;
    const base = path.startsWith('/rest/') ? '/rest' : '';
    const segments = path.slice(base.length + 1).split('/');
    const route = table.find(segments)?.get(exchange.method);
    // What sends is no route of the chain's own description.
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
      const route = matchRoute(aggregates, path)?.route;
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

/** Throws when an answer of a server that is checked is not as its descriptions have it. */
export async function expectDescribed(url: string, exchange: Omit<Exchange, 'target'>): Promise<void> {
  const { origin, pathname, search } = new URL(url);
  const wrong = (await checks.get(origin)?.({ ...exchange, target: `${pathname}${search}` })) ?? [];
  if (wrong.length === 0) return;
  const told = wrong.slice(0, 10).join('\n');
  throw new Error(
    `${exchange.method} ${url} (${exchange.status}) is not as it is described:\n${told}\n${exchange.body.slice(0, 500)}`,
  );
}

/** From here on every answer of this server that a test gets by `fetch` or `send` is held to its description. Returns the way to end that. */
export function holdToDescriptions(url: string, client: Pick<Client, 'descriptors'>): () => void {
  checks.set(url, createAnswerCheck(client));
  if (!wrapped) {
    wrapped = true;
    const original = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const response = await original(input, init);
      const asked = new URL(input instanceof Request ? input.url : input);
      const headers = [...response.headers];
      const isJson = headers.some(([name, value]) => name === 'content-type' && value.startsWith('application/json'));
      if (!checks.has(asked.origin) || !isJson || asked.pathname === '/graphql') return response;
      const request = typeof init?.body === 'string' ? init.body : undefined;
      const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
      // Of a caller that leaves in the middle there is nothing to be checked.
      const body = await response
        .clone()
        .text()
        .catch(() => undefined);
      if (body !== undefined) await expectDescribed(asked.href, { method, request, status: response.status, headers, body });
      return response;
    };
  }
  return () => void checks.delete(url);
}
