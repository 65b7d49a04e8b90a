/** Values that describe a span. They contain no token, no variable, no data of a response and no address of a node. */
export type Attributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** SERVER: a request that this server answers. CLIENT: a request that it sends. INTERNAL: anything between. */
export type SpanKind = 'SERVER' | 'CLIENT' | 'INTERNAL';

/** The headers that continue a trace in another process (W3C Trace Context). */
export type TraceHeaders = Readonly<Record<string, string>>;

/** Options of a span. */
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
