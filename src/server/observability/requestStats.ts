import { createHistogram, type Histogram, type HistogramView } from '../../chain/transports/histogram.ts';

/** The surface that a request was for. Never a path, because callers could create any number of paths. */
export type Surface =
  | 'graphql'
  /** A GraphQL subscription over server-sent events, until the stream ends. */
  | 'graphql-sse'
  | 'graphql-multipart'
  /** A GraphQL operation over WebSocket, until it is complete. */
  | 'graphql-ws'
  | 'playground'
  | 'dashboard'
  /**
   * The node RPC in the documented dialect at the root paths, and in the node's dialect at `/comet`: HTTP requests, and calls
   * on a WebSocket.
   */
  | 'rpc'
  | 'comet'
  /** The application over REST: in the documented dialect, and in the node's dialect at `/rest`. */
  | 'rest'
  | 'rest-node'
  /** The aggregates at `/v1`. */
  | 'aggregates'
  /** The API descriptions and the pages that show them. */
  | 'docs'
  | 'schema'
  /** The embedded issuer: tokens, keys and metadata. */
  | 'tokens'
  /** Paths without a handler. */
  | 'none';

/** A completed request. */
export interface EndedRequest {
  readonly surface: Surface;
  /** `OK`, the code of its first error, `HTTP_` and its status if it has no code, or `CANCELLED` if the client disconnected. */
  readonly code: string;
  readonly seconds: number;
  readonly cost: number | undefined;
}

/** The counters since the start. */
export interface RequestCounts {
  readonly codes: readonly { readonly surface: Surface; readonly code: string; readonly count: number }[];
  readonly surfaces: readonly { readonly surface: Surface; readonly times: HistogramView; readonly cost: number }[];
}

/** Counts requests. */
export interface RequestStats {
  note(request: EndedRequest): void;
  view(): RequestCounts;
}

/** Creates the counters, empty. */
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
