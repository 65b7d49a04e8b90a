import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonBoundsOf, jsonExcess } from '../../answers/errors.ts';
import type { Client } from '../../chain/client.ts';
import { JsonBoundError, type JsonValue, parseBoundedJson } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { webhooksOf } from '../../modules/webhooks/schema.ts';
import { badInput } from '../../reads/errors.ts';
import { refusalResponse } from '../../server/auth/bearer.ts';
import { type ErrorResponse, errorResponse, failureResponse, notFound, sendError } from '../../server/messages/errors.ts';
import { mediaTypeOf } from '../../server/messages/requestHeaders.ts';
import { bodyTooLarge } from '../../server/requestChecks.ts';
import type { Handler, RequestContext } from '../../server/router.ts';
import { aggregatesShape } from './route.ts';
import { type WebhookRoute, webhookRoutes } from './webhooks.ts';

const root = '/v1/webhooks';

/** The routes of a path, and the id in it; empty if it has none. */
function routesAt(path: string): { readonly routes: readonly WebhookRoute[]; readonly id: string } {
  const match = /^(?:\/([\w-]+)(\/\w+)?)?$/.exec(path.slice(root.length));
  if (match === null) return { routes: [], id: '' };
  const [, id = '', action = ''] = match;
  const template = id === '' ? action : `/{id}${action}`;
  return { routes: webhookRoutes.filter((route) => route.path === template), id };
}

/** Checks that a request has only the parameters of its route. Throws BAD_USER_INPUT. */
function queryOf(url: string, { query = {} }: WebhookRoute): URLSearchParams {
  const { searchParams } = new URL(url, 'http://localhost');
  for (const [name, text] of searchParams) {
    if (!Object.hasOwn(query, name)) throw badInput(name, text, 'absent: this path has no such parameter');
    if (searchParams.getAll(name).length > 1) throw badInput(name, text, 'given once');
  }
  return searchParams;
}

/** Creates the handler of `/v1/webhooks`: the webhooks of the caller, as GraphQL has them. Nothing is cached. */
export function createWebhooksHandler({ client, limits }: { readonly client: Client; readonly limits: Limits }): Handler {
  const bounds = jsonBoundsOf(limits);

  /** The JSON of a body. An empty one is an empty object. Throws BAD_USER_INPUT. */
  function jsonIn(bytes: Buffer, request: IncomingMessage): JsonValue {
    if (bytes.length === 0) return {};
    if (mediaTypeOf(request) !== 'application/json') throw badInput('content-type', '', '`application/json`');
    try {
      return parseBoundedJson(bytes, bounds);
    } catch (error) {
      if (error instanceof JsonBoundError) throw jsonExcess(error);
      throw badInput('body', '', 'a JSON object');
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    const { method = '', url = '/' } = request;
    const { record, session, path } = context;
    const { viewer } = session;
    const refuse = (refusal: ErrorResponse): void => sendError(response, refusal, record, aggregatesShape);
    const { routes, id } = routesAt(path);
    if (routes.length === 0) return refuse(notFound);
    const route = routes.find((each) => each.method === (method === 'HEAD' ? 'GET' : method));
    if (route === undefined) {
      const allow = routes.map((each) => each.method).join(', ');
      return refuse(errorResponse(405, 'BAD_USER_INPUT', `Use ${allow}.`, {}, { allow }));
    }
    record.operation = route.operationId;
    if (!viewer.scopes.includes('webhooks')) return refuse(refusalResponse({ reason: 'noScope', scope: 'webhooks' }));
    try {
      const query = queryOf(url, route);
      const bytes = route.body === undefined ? Buffer.alloc(0) : await context.body(limits['http.otherBody']);
      if (bytes === null) return refuse(bodyTooLarge(limits));
      const body = jsonIn(bytes, request);
      const webhooks = webhooksOf(client);
      const webhook = id === '' ? undefined : await webhooks.find(viewer, id);
      if (webhook === null) {
        const facts = { argument: 'id', bound: 'the id of a webhook of yours' };
        return refuse(errorResponse(404, 'NOT_FOUND', `Nothing was found: \`id\` must be ${facts.bound}.`, facts));
      }
      const newest = client.head.current()?.height;
      const answer = JSON.stringify(await route.answer({ webhooks, viewer, newest, id, webhook, body, query }));
      if (response.closed) return;
      response
        .writeHead(route.status ?? 200, {
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'no-store',
          vary: 'Authorization, Origin',
          'content-length': Buffer.byteLength(answer),
        })
        .end(method === 'HEAD' ? undefined : answer);
    } catch (error) {
      const failure = failureResponse(error);
      if (failure === undefined) throw error;
      refuse(failure);
    }
  }

  return {
    surface: 'aggregates',
    shape: aggregatesShape,
    paths: ['/v1/*'],
    accepts: (_, path) => path === root || path.startsWith(`${root}/`),
    handle,
  };
}
