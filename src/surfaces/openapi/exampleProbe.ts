import type { Client } from '../../chain/client.ts';
import { boundsOf, type Limits } from '../../config/limits/limits.ts';
import { encodeRequest } from '../../modules/any/module.ts';
import { createPin } from '../../reads/pin.ts';
import { queryLatest } from '../../reads/query.ts';
import { openSession } from '../../reads/viewer.ts';
import { matchRoute, parameterTexts } from '../aggregates/match.ts';
import type { Route } from '../aggregates/route.ts';
import { cometDialect, documentedDialect } from '../nodeRpc/dialects.ts';
import type { Dispatch } from '../nodeRpc/dispatch.ts';
import { documentedDialect as documentedRest, nodeDialect as nodeRest } from '../rest/dialect.ts';
import { boundPage } from '../rest/requests/pageRequest.ts';
import { requestJson } from '../rest/requests/requestJson.ts';
import { readRequestText } from '../rest/requests/requestText.ts';
import type { RouteTable } from '../rest/routes/routeTable.ts';
import { type Parameters, targetOf } from './exampleRequests.ts';

/** Options of {@link createProbe}. */
export interface ProbeOptions {
  readonly client: Client;
  readonly dispatch: Dispatch;
  readonly limits: Limits;
  readonly table: RouteTable;
  readonly aggregates: readonly Route[];
  /** The height at which requests without a height read. */
  readonly height: bigint;
  readonly signal: AbortSignal;
}

/** Returns whether the response to a GET request of the descriptions has status 200. Rejects only if the search was aborted. */
export type Probe = (path: string, parameters: Parameters) => Promise<boolean>;

/** Creates the probe of one search. It executes requests without HTTP and without charging them. */
export function createProbe({ client, dispatch, limits, table, aggregates, height: newest, signal }: ProbeOptions): Probe {
  const bounds = boundsOf(limits);

  async function ofNode(path: string, query: string): Promise<boolean> {
    const isComet = path.startsWith('/comet/');
    const method = path.slice(isComet ? '/comet/'.length : 1);
    const context = { viewer: openSession.viewer, requestId: '', lifetime: { signal } };
    const params = new URLSearchParams(query);
    return (await dispatch.answerUri(isComet ? cometDialect : documentedDialect, method, params, context)).error === undefined;
  }

  async function ofRest(path: string, query: string, height: bigint): Promise<boolean> {
    const isNode = path.startsWith('/rest/');
    const dialect = isNode ? nodeRest : documentedRest;
    const text = readRequestText(isNode ? path.slice('/rest'.length) : path, query);
    const route = table.find(text.segments)?.get('GET');
    if (route === undefined) return false;
    const { call, isLive } = route;
    const json = requestJson(route, text, dialect.parameters);
    boundPage(call.input, json, limits, dialect.enforcesPageRules);
    const request = encodeRequest(table.registry, call.input, 'request', json);
    const method = `/${call.parent.typeName}/${call.name}`;
    await (isLive ? queryLatest({ client, signal }, method, request) : client.at(height, signal).query(method, request));
    return true;
  }

  async function ofAggregate(path: string, query: string, height: bigint): Promise<boolean> {
    const match = matchRoute(aggregates, path);
    if (match === undefined) return false;
    const decoded = match.route.decode(parameterTexts(match, new URLSearchParams(query)));
    return (await decoded.answer(createPin(client, height, { signal, bounds }))) !== null;
  }

  return async (template, parameters) => {
    const { path, query } = targetOf(template, parameters);
    const named = parameters['x-cosmos-block-height'];
    const height = named === undefined ? newest : BigInt(named);
    try {
      if (path.startsWith('/v1/')) return await ofAggregate(path, query, height);
      const isOfNode = path.startsWith('/comet/') || path.split('/').length === 2;
      return await (isOfNode ? ofNode(path, query) : ofRest(path, query, height));
    } catch {
      signal.throwIfAborted();
      return false;
    }
  };
}
