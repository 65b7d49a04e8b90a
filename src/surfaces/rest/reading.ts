import type { Caller } from '../../answers/caller.ts';
import type { Client } from '../../chain/client.ts';
import type { Dependencies } from '../../chain/state/dependencies.ts';
import { type JsonObject, malformed } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { checkAccounts } from '../../modules/account/query.ts';
import { encodeRequest } from '../../modules/any/module.ts';
import { createPin } from '../../reads/pin.ts';
import { queryLatest } from '../../reads/query.ts';
import { maySimulate, type Viewer } from '../../reads/viewer.ts';
import type { RequestContext } from '../../server/handlers/handler.ts';
import type { Dialect } from './dialect.ts';
import { cutGroupsPage, groupListPage, itemsIn, needsTotal } from './groupListPages.ts';
import { createPrinter, type Printer } from './printing/printer.ts';
import { accountsIn, checkOperation, factorOf } from './requests/documentedOperations.ts';
import { readJsonBody } from './requests/jsonBody.ts';
import { knownFields } from './requests/knownFields.ts';
import { boundPage, type PageAsked } from './requests/pageRequest.ts';
import { requestJson } from './requests/requestJson.ts';
import type { RequestText } from './requests/requestText.ts';
import type { RestRoute, RouteTable } from './routes/routeTable.ts';

/** A decoded request that was checked against the limits. */
export interface ReadRequest {
  readonly route: RestRoute;
  readonly table: RouteTable;
  /** Path of the method in `abci_query`. */
  readonly path: string;
  readonly json: JsonObject;
  /** The request in protobuf. */
  readonly request: Buffer;
  readonly page: PageAsked | undefined;
  /** Price in points, in addition to the one point of every request, if the response is not cached. */
  readonly points: number;
}

/** What the execution of a request needs. */
export interface ReadingOptions {
  readonly signal: AbortSignal;
  readonly caller: Caller;
  /** Charges points for items that were read beyond those that the price contains. */
  charge(points: number): void;
  /** Notes what is read. */
  readonly dependencies: Dependencies;
  readonly viewer: Viewer;
}

/** Decodes and executes the requests of routes. */
export interface Reading {
  /** Decodes a request without querying a node. Throws a {@link ParameterError} or BAD_USER_INPUT if it is invalid. */
  decode(
    found: { readonly route: RestRoute; readonly table: RouteTable; readonly text: RequestText },
    context: RequestContext,
  ): Promise<ReadRequest>;
  /** Executes a request at a height, or at the current state for a live route. Returns JSON text. */
  answer(request: ReadRequest, height: bigint, options: ReadingOptions): Promise<string>;
}

/** Price of counting a list, as in GraphQL. */
const countPoints = 50;

/** Creates the reader of one dialect. */
export function createReading({
  client,
  limits,
  dialect,
}: {
  readonly client: Client;
  readonly limits: Limits;
  readonly dialect: Dialect;
}): Reading {
  const printers = new WeakMap<RouteTable, Printer>();
  /** Most items that are paid before they are read. Further ones are paid when they have been read, because most lists are shorter. */
  const paidMost = limits['rest.page.max'];

  function printerOf(table: RouteTable): Printer {
    const known = printers.get(table);
    if (known !== undefined) return known;
    const created = createPrinter(dialect.printing, table.registry);
    printers.set(table, created);
    return created;
  }

  return {
    async decode({ route, table, text }, context) {
      const { call, hasBody } = route;
      const parameters = requestJson(route, text, dialect.parameters);
      const { asGo } = dialect.parameters;
      const body = hasBody ? await readJsonBody(context, route.template.text, limits, asGo) : {};
      const json = { ...(asGo ? knownFields(table.registry, call.input, body) : body), ...parameters };
      const bounded = hasBody ? undefined : boundPage(call.input, json, limits, dialect.enforcesPageRules);
      const page = bounded && { ...bounded, counts: bounded.counts || (dialect.enforcesPageRules && needsTotal(route, json)) };
      const checked = dialect.enforcesPageRules ? checkOperation(route, json) : json;
      const bytes = encodeRequest(table.registry, call.input, 'request', checked);
      const items = page === undefined ? 0 : Math.min(page.items, paidMost) * factorOf(route) + (page.counts ? countPoints : 0);
      const path = `/${call.parent.typeName}/${call.name}`;
      const request = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return { route, table, path, json: checked, request, page, points: items };
    },

    async answer({ route, table, path, json, request, page }, height, { signal, caller, charge, dependencies, viewer }) {
      const { call } = route;
      const query = (bytes: Uint8Array): Promise<Uint8Array> =>
        route.isLive
          ? queryLatest({ client, signal, maySimulate: maySimulate(viewer) }, path, bytes)
          : client.at(height, signal, dependencies).query(path, bytes);
      const queryJson = (part: JsonObject): Promise<Uint8Array> =>
        query(encodeRequest(table.registry, call.input, 'request', part));
      if (dialect.enforcesPageRules)
        await checkAccounts(createPin(client, height, { signal, dependencies }), accountsIn(route, json));
      const endTurn = page?.counts === true ? await caller.counting(signal) : undefined;
      let bytes: Uint8Array;
      try {
        const own = dialect.enforcesPageRules
          ? groupListPage(route, json, queryJson)
          : cutGroupsPage(route, json, page?.isCut === true, queryJson);
        bytes = await (own ?? query(request));
      } finally {
        endTurn?.();
      }
      try {
        if (page !== undefined && page.items > paidMost)
          charge(Math.max(0, itemsIn(call.output, bytes) - paidMost) * factorOf(route));
        return printerOf(table)(call.output, bytes);
      } catch {
        throw malformed(`the response to ${path} is not the protobuf of its method`);
      }
    },
  };
}
