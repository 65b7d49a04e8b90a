import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { servedServices } from '../../modules/any/module.ts';
import type { Route } from '../aggregates/route.ts';
import type { Dispatch } from '../nodeRpc/dispatch.ts';
import type { RestRoute, RouteTable } from '../rest/routes/routeTable.ts';
import type { RouteTables } from '../rest/routes/routeTables.ts';
import { findSamples } from './chainSamples.ts';
import { createProbe, type Probe } from './exampleProbe.ts';
import { aggregateRequests, nodeRequests, type Parameters, restRequests } from './exampleRequests.ts';
import type { Example, Examples } from './parts/document.ts';

/** The examples of both OpenAPI descriptions. */
export interface AllExamples {
  readonly node: Examples;
  readonly application: Examples;
}

/** What the descriptions contain about the connected chain. */
export interface ChainView {
  /** The routes of the services that the chain implements. */
  readonly rest: readonly RestRoute[];
  readonly aggregates: readonly Route[];
  /** Requests to which this chain responded with status 200. */
  readonly examples: AllExamples;
}

/** Options of {@link createChainView}. */
export interface ChainViewOptions {
  readonly client: Client;
  readonly tables: Pick<RouteTables, 'table'>;
  readonly dispatch: Dispatch;
  readonly limits: Limits;
  /** All routes of the aggregates. */
  readonly aggregates: readonly Route[];
  /** The examples that are bundled with the server, and the id of the chain on which they were recorded. */
  readonly recorded: AllExamples & { readonly chainId: string };
}

/** How long a view is used before the chain is read again, in ms. The old view stays in use until the new one is ready. */
const lifetime = 60_000;

/** Longest duration of one search, in ms. */
const searchMax = 20_000;

/** How long a request waits for the first view, in ms. */
const firstWait = 2_000;

/** How many example requests run concurrently. */
const atOnce = 8;

const noExamples: AllExamples = { node: {}, application: {} };

/** Returns the first candidate to which the chain responds with 200. */
async function chosen(path: string, candidates: readonly (Example | undefined)[], probe: Probe): Promise<Example | undefined> {
  for (const candidate of candidates) {
    if (candidate !== undefined && (await probe(path, candidate.parameters))) return candidate;
  }
  return undefined;
}

/** Finds an example for each path. Tries the examples of `sources` in order. */
async function examplesOf(paths: readonly string[], sources: readonly Examples[], probe: Probe): Promise<Examples> {
  const found: [string, Example][] = [];
  for (let start = 0; start < paths.length; start += atOnce) {
    const tried = paths.slice(start, start + atOnce).map(async (path) => {
      const example = await chosen(
        path,
        sources.map((source) => source[path]),
        probe,
      );
      return example === undefined ? [] : [[path, example] as [string, Example]];
    });
    found.push(...(await Promise.all(tried)).flat());
  }
  return Object.fromEntries(found);
}

/** Returns the result, or `otherwise` if it fails or takes longer than {@link firstWait}. */
async function within<T>(result: Promise<T>, otherwise: T): Promise<T> {
  const over = new AbortController();
  const waited = pause(firstWait, otherwise, { signal: over.signal }).catch(() => otherwise);
  try {
    return await Promise.race([result, waited]);
  } catch {
    return otherwise;
  } finally {
    over.abort();
  }
}

/** Selects the examples of broadcasts. Stele never sends them. */
function sending(examples: Examples): Examples {
  return Object.fromEntries(Object.entries(examples).filter(([path]) => path.includes('/broadcast_')));
}

/** Converts requests to examples without a response body. */
function withoutBody(requests: Readonly<Record<string, Parameters>>): Examples {
  return Object.fromEntries(Object.entries(requests).map(([path, parameters]) => [path, { parameters }]));
}

/**
 * Creates the view of the connected chain. The chain is read when a description is requested, and at most once in {@link
 * lifetime}. While it is read again, the previous view stays in use. If no node responds, or the first search takes longer than
 * {@link firstWait}, the view has no examples.
 */
export function createChainView({ client, tables, dispatch, limits, aggregates, recorded }: ChainViewOptions): {
  /** Returns the view for the current descriptors of the chain. Rejects as {@link RouteTables.table} does. */
  current(): Promise<ChainView>;
  /** Returns the examples of the node RPC, which need no descriptors of the chain. Empty if no node responds. */
  nodeExamples(): Promise<Examples>;
} {
  let known: { readonly table: RouteTable; readonly view: ChainView; readonly until: number } | undefined;
  let search: { readonly table: RouteTable; readonly view: Promise<ChainView> } | undefined;
  client.head.onRewind(({ kind }) => {
    if (kind === 'RESET') known = undefined;
  });

  /** Returns the previous view if `view` equals it, so that files prepared from it are reused. */
  function orPrevious(table: RouteTable, view: ChainView): ChainView {
    if (known?.table !== table) return view;
    const contentOf = ({ rest, aggregates: routes, examples }: ChainView): string =>
      JSON.stringify([rest.length, routes.map(({ path }) => path), examples]);
    return contentOf(known.view) === contentOf(view) ? known.view : view;
  }

  async function read(table: RouteTable): Promise<ChainView> {
    const signal = AbortSignal.timeout(searchMax);
    const { height, chainId } = await client.head.ready({ milliseconds: firstWait, signal });
    const [served, samples] = await Promise.all([
      servedServices(client, table.registry, [...new Set(table.routes.map(({ call }) => call.parent))], signal),
      findSamples(client, height, signal),
    ]);
    const rest = table.routes.filter(({ call }) => served.has(call.parent.typeName));
    const answered = aggregates.filter(({ services }) => services.every((service) => served.has(service)));
    const probe = createProbe({ client, dispatch, limits, table, aggregates: answered, height, signal });
    const isRecorded = chainId === recorded.chainId;
    const own = isRecorded ? recorded : noExamples;
    const before = known?.table === table ? known.view.examples : noExamples;
    const requests = {
      node: withoutBody(nodeRequests(samples)),
      application: withoutBody({ ...restRequests(samples), ...aggregateRequests(samples) }),
    };
    const pathsOf = (part: keyof AllExamples): string[] =>
      Object.keys({ ...recorded[part], ...requests[part] }).filter((path) => !path.includes('/broadcast_'));
    const paths = { node: pathsOf('node'), application: pathsOf('application') };
    const node = await examplesOf(paths.node, [own.node, before.node, requests.node], probe);
    const application = await examplesOf(paths.application, [own.application, before.application, requests.application], probe);
    return { rest, aggregates: answered, examples: { node: { ...node, ...sending(own.node) }, application } };
  }

  async function current(): Promise<ChainView> {
    const table = await tables.table();
    const isKnown = known?.table === table;
    if (search?.table !== table && !(isKnown && known !== undefined && performance.now() < known.until)) {
      const begun = { table, view: read(table).then((view) => orPrevious(table, view)) };
      search = begun;
      begun.view
        .then((view) => {
          known = { table, view, until: performance.now() + lifetime };
        })
        .catch(() => undefined)
        .finally(() => {
          if (search === begun) search = undefined;
        });
    }
    if (isKnown && known !== undefined) return known.view;
    const withoutExamples = { rest: table.routes, aggregates, examples: noExamples };
    return search === undefined ? withoutExamples : within(search.view, withoutExamples);
  }

  return {
    current,
    nodeExamples: () =>
      within(
        current().then(({ examples }) => examples.node),
        noExamples.node,
      ),
  };
}
