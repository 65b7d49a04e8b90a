/** Values that describe a span. They contain no token, no variable, no data of a response and no address of a node. */
export type Attributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** SERVER: a request that this server answers. CLIENT: a request that it sends. INTERNAL: anything between. */
export type SpanKind = 'SERVER' | 'CLIENT' | 'INTERNAL';

/** Options of a span. */
export interface SpanOptions {
  /** Default INTERNAL. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

/** A piece of work in a trace that is recorded. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Begins a span below this one. */
  child(name: string, options?: SpanOptions): Span;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Notes that something happened now. */
  event(name: string, attributes?: Attributes): void;
  /** Ends the span. `error` is the code of its failure. May be called several times. */
  end(error?: string): void;
  /** Runs work with this span as {@link Tracer.current}, until the span has ended. */
  run<T>(work: () => T): T;
  /** The headers that continue the trace in a request to another server (W3C Trace Context). */
  headers(): Readonly<Record<string, string>>;
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
 * opened the stream.
 */
export interface Rounds {
  /** Runs work of the current round. Its trace begins with the first span below it. */
  run<T>(work: () => T): T;
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
  /** The span of the running work. undefined if it is not recorded. */
  current(): Span | undefined;
  /** Begins the trace of a request, or continues that of the caller, which is in these headers. undefined if nothing is recorded. */
  request(
    name: string,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    options?: SpanOptions,
  ): RequestTrace | undefined;
  /** Prepares the traces of repeated work. They link to the current span. undefined if nothing is recorded. */
  rounds(name: string, attributes?: Attributes): Rounds | undefined;
}

/** Records nothing. */
export const noTracer: Tracer = {
  isOn: false,
  current: () => undefined,
  request: () => undefined,
  rounds: () => undefined,
};

/** Runs work in the span of a request, if the request is recorded. */
export function within<T>(trace: RequestTrace | undefined, work: () => T): T {
  return trace?.span === undefined ? work() : trace.span.run(work);
}

/** Runs work in a span below the current one, which ends with the work. `codeOf` returns the code of a failure. */
export async function inSpan<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const span = tracer.current()?.child(name, options);
  if (span === undefined) return work(undefined);
  try {
    const result = await span.run(() => work(span));
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
