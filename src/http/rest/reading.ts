import type { Client } from '../../chain/client.ts';
import { malformed } from '../../chain/wire/decode.ts';
import type { JsonObject } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { Caller } from '../../graphql/request/caller.ts';
import { encodeRequest } from '../../modules/any/moduleRequest.ts';
import { queryLatest } from '../../reads/query.ts';
import type { RequestContext } from '../handlers/handler.ts';
import type { Dialect } from './dialect.ts';
import { countsPlaces, placePage } from './placePages.ts';
import { createPrinter, type Printer } from './printing/printer.ts';
import { checkOperation, factorOf } from './requests/documentedOperations.ts';
import { readJsonBody } from './requests/jsonBody.ts';
import { knownFields } from './requests/knownFields.ts';
import { boundPage, type PageAsked } from './requests/pageRequest.ts';
import { requestJson } from './requests/requestJson.ts';
import type { RequestText } from './requests/requestText.ts';
import type { RestRoute, RouteTable } from './routes/routeTable.ts';

/** What is asked of the chain, held to the limits. */
export interface Question {
  readonly route: RestRoute;
  readonly table: RouteTable;
  /** Path of the method for `abci_query`. */
  readonly path: string;
  readonly json: JsonObject;
  /** The same in protobuf. */
  readonly request: Uint8Array;
  readonly page: PageAsked | undefined;
  /** What it costs beside the point that every request does, where it is not in memory. */
  readonly points: number;
}

/** Reads what is asked of a route, and answers it. */
export interface Reading {
  /** Throws a {@link ParameterError} or BAD_USER_INPUT for what the route does not take. Nothing is asked of a node. */
  question(
    found: { readonly route: RestRoute; readonly table: RouteTable; readonly text: RequestText },
    context: RequestContext,
  ): Promise<Question>;
  /** The answer at a height, as JSON text; of what is live, as it is now. */
  answer(question: Question, height: bigint, signal: AbortSignal, caller: Caller): Promise<string>;
}

/** What counting a list costs, as in the graph. */
const countPoints = 50;

/** Makes what reads in one dialect. */
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

  function printerOf(table: RouteTable): Printer {
    const known = printers.get(table);
    if (known !== undefined) return known;
    const made = createPrinter(dialect.printing, table.registry);
    printers.set(table, made);
    return made;
  }

  return {
    async question({ route, table, text }, context) {
      const { call, hasBody } = route;
      const asked = requestJson(route, text, dialect.parameters);
      const { asGo } = dialect.parameters;
      const body = hasBody ? await readJsonBody(context, route.template.text, limits, asGo) : {};
      const json = { ...(asGo ? knownFields(table.registry, call.input, body) : body), ...asked };
      const bounded = hasBody ? undefined : boundPage(call.input, json, limits, dialect.keepsPageRules);
      const page = bounded && { ...bounded, counts: bounded.counts || (dialect.keepsPageRules && countsPlaces(route, json)) };
      const checked = dialect.keepsPageRules ? checkOperation(route, json) : json;
      const bytes = encodeRequest(table.registry, call.input, 'request', checked);
      const items = page === undefined ? 0 : page.items * factorOf(route) + (page.counts ? countPoints : 0);
      const path = `/${call.parent.typeName}/${call.name}`;
      return { route, table, path, json: checked, request: bytes, page, points: items };
    },

    async answer({ route, table, path, json, request, page }, height, signal, caller) {
      const { call } = route;
      const ask = (bytes: Uint8Array): Promise<Uint8Array> =>
        route.isLive ? queryLatest({ client, signal }, path, bytes) : client.at(height, signal).query(path, bytes);
      const askJson = (part: JsonObject): Promise<Uint8Array> =>
        ask(encodeRequest(table.registry, call.input, 'request', part));
      const endTurn = page?.counts === true ? await caller.counting(signal) : undefined;
      let bytes: Uint8Array;
      try {
        bytes = await ((dialect.keepsPageRules ? placePage(route, json, askJson) : undefined) ?? ask(request));
      } finally {
        endTurn?.();
      }
      try {
        return printerOf(table)(call.output, bytes);
      } catch {
        throw malformed(`${path} is not the protobuf of its method`);
      }
    },
  };
}
