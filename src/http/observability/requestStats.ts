import { createHistogram, type Histogram, type HistogramView } from '../../chain/transports/histogram.ts';

/** What of the server was asked. Never a path: a caller could make up any number of those. */
export type Surface =
  | 'graphql'
  /** A GraphQL operation over server-sent events, to the end of its stream. */
  | 'graphql-sse'
  | 'graphql-multipart'
  /** A GraphQL operation over WebSocket, to the end of its stream. */
  | 'graphql-ws'
  | 'playground'
  /** The node RPC at the root paths, and in the node's own dialect at `/comet`: over HTTP, and each call of a WebSocket. */
  | 'rpc'
  | 'comet'
  /** The application over REST: with the seed's names, and in the node's own dialect at `/rest`. */
  | 'rest'
  | 'rest-node'
  /** The aggregates at `/v1`. */
  | 'aggregates'
  /** The descriptions, and the pages that show them. */
  | 'docs'
  | 'schema'
  /** Whatever has to do with tokens. */
  | 'tokens'
  /** What there is nothing at. */
  | 'none';

/** A request that is over. */
export interface EndedRequest {
  readonly surface: Surface;
  /** `OK`, the code of its first error, `HTTP_` with its status where it has no such code, `CANCELLED` when its caller left. */
  readonly code: string;
  readonly seconds: number;
  readonly cost: number | undefined;
}

/** What was counted since the start. */
export interface RequestCounts {
  readonly codes: readonly { readonly surface: Surface; readonly code: string; readonly count: number }[];
  readonly surfaces: readonly { readonly surface: Surface; readonly times: HistogramView; readonly cost: number }[];
}

/** Counts requests. */
export interface RequestStats {
  note(request: EndedRequest): void;
  view(): RequestCounts;
}

/** Makes the counters, empty. */
export function createRequestStats(): RequestStats {
  const surfaces = new Map<Surface, { readonly codes: Map<string, number>; readonly times: Histogram; cost: number }>();
  return {
    note({ surface, code, seconds, cost = 0 }) {
      let counts = surfaces.get(surface);
      if (counts === undefined) {
        counts = { codes: new Map(), times: createHistogram(), cost: 0 };
        surfaces.set(surface, counts);
      }
      counts.codes.set(code, (counts.codes.get(code) ?? 0) + 1);
      counts.times.observe(seconds);
      counts.cost += cost;
    },
    view: () => ({
      codes: [...surfaces].flatMap(([surface, { codes }]) => [...codes].map(([code, count]) => ({ surface, code, count }))),
      surfaces: [...surfaces].map(([surface, { times, cost }]) => ({ surface, times: times.view(), cost })),
    }),
  };
}
