import { isChainError } from '../base/errors.ts';

/** Values that describe a span. They contain no token, no variable, no data of a response and no address of a node. */
export type Attributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** SERVER: a request that this server answers. CLIENT: a request that it sends. INTERNAL: anything between. */
type SpanKind = 'SERVER' | 'CLIENT' | 'INTERNAL';

/** The headers that continue a trace in another process (W3C Trace Context). */
export type TraceHeaders = Readonly<Record<string, string>>;

export interface SpanOptions {
  /** Default INTERNAL. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

/** What calls to nodes belong to: a span, or the rounds of a stream. */
export interface Scope {
  /** The span that a new one begins below. undefined if nothing is recorded now. */
  current(): Span | undefined;
}

/**
 * A piece of work in a trace that is recorded. Its {@link Scope.current} is the span itself, and after its end the nearest one above it that is open. After its
 * end it does not change any more.
 */
export interface Span extends Scope {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Begins a span below this one. */
  child(name: string, options?: SpanOptions): Span;
  rename(name: string): void;
  /** Adds attributes. The object must not be changed afterwards. */
  set(attributes: Attributes): void;
  /** Notes that something happened now. */
  event(name: string, attributes?: Attributes): void;
  /** Ends the span. `error` is the code of its failure. May be called several times. */
  end(error?: string): void;
  /** The headers that continue the trace in a request to another server. */
  headers(): TraceHeaders;
}

/** The trace of a request. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** undefined if the request is not sampled. */
  readonly span: Span | undefined;
}

/**
 * Work that is done again and again for a stream, such as at each block. Each time has a trace of its own, which links to the request that
 * opened the stream. The first call to {@link Scope.current} begins the span of the round.
 */
export interface Rounds extends Scope {
  /** Begins the span of the current round, if it has not begun. */
  begin(): void;
  /** Ends the current round. */
  end(attributes?: Attributes): void;
  /** Ends the last round. Nothing is recorded after that. */
  close(): void;
}

/** Records what the server does, for OpenTelemetry. */
export interface Tracer {
  /** Whether anything is recorded. */
  readonly isOn: boolean;
  /** Begins the trace of a request, or continues that of the caller, which is in these headers. undefined if nothing is recorded. */
  request(name: string, headers: Readonly<Record<string, string | string[] | undefined>>): RequestTrace | undefined;
  /** The span of another process of this server, which these headers name. Spans can begin below it. undefined if nothing is recorded. */
  continued(headers: TraceHeaders): Span | undefined;
  /** Prepares the traces of repeated work. They link to the span that opened it. undefined if nothing is recorded. */
  rounds(name: string, opener: Span | undefined, attributes?: Attributes): Rounds | undefined;
}

/** Records nothing. */
export const noTracer: Tracer = {
  isOn: false,
  request: () => undefined,
  continued: () => undefined,
  rounds: () => undefined,
};

/** Runs work in a span below another one, which ends with the work. Without a span above it, the work is not recorded. */
export async function inSpan<T>(
  parent: Span | undefined,
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const span = parent?.child(name, options);
  if (span === undefined) return work(undefined);
  try {
    const result = await work(span);
    span.end();
    return result;
  } catch (error) {
    span.end(codeOf(error));
    throw error;
  }
}

/** The code of a failure, for the end of a span. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'INTERNAL_SERVER_ERROR';
}

// All calls to nodes have the signal of the work that they are made for, so the signal also names the span of that work. AsyncLocalStorage would name it,
// too, but Node.js before 24 then calls a function for each promise of the process, also for those of requests that are not recorded.
const scopes = new WeakMap<AbortSignal, Scope>();

/** What calls with this signal belong to. undefined if they are not recorded. */
export function scopeOf(signal: AbortSignal | undefined): Scope | undefined {
  return signal && scopes.get(signal);
}

/** The span that a call with this signal begins below. undefined if it is not recorded. */
export function spanOf(signal: AbortSignal | undefined): Span | undefined {
  return scopeOf(signal)?.current();
}

/** Makes calls with this signal belong to a scope from now on. Without a scope, nothing changes. */
export function setScope(signal: AbortSignal, scope: Scope | undefined): void {
  if (scope !== undefined) scopes.set(signal, scope);
}

/** Makes calls with the signal `to` belong to the scope of those with the signal `from`. */
export function shareScope(from: AbortSignal | undefined, to: AbortSignal): void {
  const scope = from && scopes.get(from);
  if (scope !== undefined) scopes.set(to, scope);
}

/** A call to a node, as far as its spans need it. */
export interface TracedCall {
  readonly method: string;
  /** The span that the call belongs to. undefined if it is not recorded. */
  readonly span: Span | undefined;
  /** The spans of the batch that carries the call, which are made when it is first sent. */
  batch: Batch | undefined;
}

/** The spans of one batch: one in each trace that has a call in it. */
interface Batch {
  readonly spans: readonly Span[];
  /** Called when a call of the batch has settled. The spans end with the last one. */
  settled(): void;
}

/** Begins the spans of calls that are sent together, unless no call is recorded. Calls that are sent again stay in their batch. */
export function beginBatch(calls: readonly TracedCall[]): void {
  const parents = new Set<Span>();
  for (const { span, batch } of calls) {
    if (batch !== undefined) return;
    if (span !== undefined) parents.add(span);
  }
  if (parents.size === 0) return;
  const methods = [...new Set(calls.map(({ method }) => method))];
  const [first = 'batch'] = methods;
  const spans = [...parents].map((parent) =>
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
export function beginPost(calls: readonly TracedCall[], node: string | undefined) {
  const batches = new Set<Batch>();
  for (const { batch } of calls) if (batch !== undefined) batches.add(batch);
  if (batches.size === 0) return undefined;
  const attributes = { 'http.request.method': 'POST', ...(node !== undefined && { 'stele.node': node }) };
  const spans = [...batches].flatMap((batch) => batch.spans).map((span) => span.child('POST', { kind: 'CLIENT', attributes }));
  return {
    /** Headers that continue the trace of the first call. */
    headers: spans[0]?.headers() ?? {},
    /** Ends the spans with the status of the response, and the failure if there is one. */
    end(status: number | undefined, error: unknown): void {
      for (const span of spans) {
        if (status !== undefined) span.set({ 'http.response.status_code': status });
        span.end(error === undefined ? undefined : isChainError(error) ? error.code : 'CANCELLED');
      }
    },
  };
}
