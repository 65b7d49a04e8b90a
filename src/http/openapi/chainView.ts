import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { Route } from '../aggregates/route.ts';
import type { Dispatch } from '../nodeRpc/dispatch.ts';
import type { RestRoute, RouteTable } from '../rest/routes/routeTable.ts';
import type { RouteTables } from '../rest/routes/routeTables.ts';
import { findSamples } from './chainSamples.ts';
import { createProbe, type Probe } from './exampleProbe.ts';
import { aggregateRequests, nodeRequests, type Parameters, restRequests } from './exampleRequests.ts';
import type { Example, Examples } from './parts/document.ts';
import { createServedServices } from './rest/servedServices.ts';

/** The examples of the descriptions. */
export interface AllExamples {
  readonly node: Examples;
  readonly application: Examples;
}

/** What the descriptions say about the connected chain. */
export interface ChainView {
  /** The routes of the services that the chain implements. */
  readonly rest: readonly RestRoute[];
  readonly aggregates: readonly Route[];
  /** Requests that this chain answered with status 200. */
  readonly examples: AllExamples;
}

/** What the view of a chain is made from. */
export interface ChainViewOptions {
  readonly client: Client;
  readonly tables: Pick<RouteTables, 'table'>;
  readonly dispatch: Dispatch;
  readonly limits: Limits;
  /** All routes of the aggregates. */
  readonly aggregates: readonly Route[];
  /** The examples that come with the server, and the chain that they are from. */
  readonly recorded: AllExamples & { readonly chainId: string };
}

/** How long a view is used before the chain is read again, ms. The old one serves meanwhile. */
const lifetime = 60_000;

/** How long one search may take, ms. */
const searchMax = 20_000;

/** How long a request waits for the first view, ms. */
const firstWait = 2_000;

/** Requests tried at once. */
const atOnce = 8;

const noExamples: AllExamples = { node: {}, application: {} };

/** The example for a path: the first of these that the chain answers. */
async function chosen(path: string, candidates: readonly (Example | undefined)[], probe: Probe): Promise<Example | undefined> {
  for (const candidate of candidates) {
    if (candidate !== undefined && (await probe(path, candidate.parameters))) return candidate;
  }
  return undefined;
}

/** The examples among `paths`, with those of `sources` tried in order. */
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

/** The result if it comes within {@link firstWait}; else, and if it fails, `otherwise`. */
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

/** The examples of requests that send, which are not tried. */
function sending(examples: Examples): Examples {
  return Object.fromEntries(Object.entries(examples).filter(([path]) => path.includes('/broadcast_')));
}

/** Requests as examples without an answer. */
function withoutBody(requests: Readonly<Record<string, Parameters>>): Examples {
  return Object.fromEntries(Object.entries(requests).map(([path, parameters]) => [path, { parameters }]));
}

/**
 * Makes the view of the connected chain: one, and the one before it while the chain is read again. Reads happen at most once in {@link lifetime}, and only
 * when somebody asks for a description. While no node answers, and when the first search takes longer than {@link firstWait}, the view has no examples.
 */
export function createChainView({ client, tables, dispatch, limits, aggregates, recorded }: ChainViewOptions): {
  /** The view of the chain as it describes itself now. Fails as {@link RouteTables.table} does. */
  current(): Promise<ChainView>;
  /** The examples of the node RPC, which need no description of the chain; none while no node answers. */
  nodeExamples(): Promise<Examples>;
} {
  const servedServices = createServedServices(client);
  let known: { readonly table: RouteTable; readonly view: ChainView; readonly until: number } | undefined;
  let search: { readonly table: RouteTable; readonly view: Promise<ChainView> } | undefined;
  client.head.onRewind(({ kind }) => {
    if (kind === 'RESET') known = undefined;
  });

  /** The view before if nothing differs: what was prepared from it is then not prepared again. */
  function orEarlier(table: RouteTable, view: ChainView): ChainView {
    if (known?.table !== table) return view;
    const told = ({ rest, aggregates: routes, examples }: ChainView): string =>
      JSON.stringify([rest.length, routes.map(({ path }) => path), examples]);
    return told(known.view) === told(view) ? known.view : view;
  }

  async function read(table: RouteTable): Promise<ChainView> {
    const signal = AbortSignal.timeout(searchMax);
    const { height, chainId } = await client.head.ready({ milliseconds: firstWait, signal });
    const [served, samples] = await Promise.all([servedServices(table, signal), findSamples(client, height, signal)]);
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
      const begun = { table, view: read(table).then((view) => orEarlier(table, view)) };
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
