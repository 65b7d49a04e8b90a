import { isChainError } from '../base/errors.ts';
import type { Span } from './tracer.ts';

/** A call to a node, as far as its spans need it. */
export interface TracedCall {
  readonly method: string;
  /** The span that the call belongs to. undefined if it is not recorded. */
  readonly span: Span | undefined;
  /** The spans of the batch that carries the call, which are made when it is first sent. */
  batch: Batch | undefined;
}

/** The spans of one batch: one in each trace that has a call in it. */
export interface Batch {
  readonly spans: readonly Span[];
  /** Called when a call of the batch has settled. The spans end with the last one. */
  settled(): void;
}

/** The spans of one HTTP request to a node. */
export interface Post {
  /** Headers that continue the trace of the first call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the spans with the status of the response, and the failure if there is one. */
  end(status: number | undefined, error: unknown): void;
}

const distinct = <T>(values: readonly (T | undefined)[]): readonly T[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];

/** Begins the spans of calls that are sent together, unless no call is recorded. Calls that are sent again stay in their batch. */
export function beginBatch(calls: readonly TracedCall[]): void {
  const parents = distinct(calls.map(({ span }) => span));
  if (parents.length === 0 || calls.some(({ batch }) => batch !== undefined)) return;
  const methods = distinct(calls.map(({ method }) => method));
  const [first = 'batch'] = methods;
  const spans = parents.map((parent) =>
    parent.child(methods.length === 1 ? first : 'batch', {
      attributes: { 'rpc.system': 'jsonrpc', 'rpc.method': methods.join(' '), 'stele.batch.calls': calls.length },
    }),
  );
  let open = calls.length;
  const batch: Batch = {
    spans,
    settled() {
      open -= 1;
      if (open === 0) for (const span of spans) span.end();
    },
  };
  for (const call of calls) call.batch = batch;
}

/** Begins the spans of an HTTP request that carries these calls. undefined if none is recorded. */
export function beginPost(calls: readonly TracedCall[], node: string | undefined): Post | undefined {
  const batches = distinct(calls.map(({ batch }) => batch));
  if (batches.length === 0) return undefined;
  const attributes = { 'http.request.method': 'POST', ...(node !== undefined && { 'stele.node': node }) };
  const spans = batches.flatMap((batch) => batch.spans).map((span) => span.child('POST', { kind: 'CLIENT', attributes }));
  return {
    headers: spans[0]?.headers() ?? {},
    end(status, error) {
      for (const span of spans) {
        if (status !== undefined) span.set({ 'http.response.status_code': status });
        span.end(error === undefined ? undefined : isChainError(error) ? error.code : 'CANCELLED');
      }
    },
  };
}
