import { randomFillSync } from 'node:crypto';
import {
  type HrTime,
  type Link,
  type Attributes as OtelAttributes,
  type SpanContext,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Attributes, Scope, Span, SpanOptions, TraceHeaders } from '../../chain/tracing/tracer.ts';

/** Random bytes for the next ids. */
const random = Buffer.allocUnsafeSlow(8 * 1024);
let usedBytes = random.length;

function randomHex(bytes: number): string {
  if (usedBytes + bytes > random.length) {
    randomFillSync(random);
    usedBytes = 0;
  }
  usedBytes += bytes;
  return random.toString('hex', usedBytes - bytes, usedBytes);
}

export const createTraceId = (): string => randomHex(16);

const createSpanId = (): string => randomHex(8);

/** Returns the value of a hexadecimal digit of an id. It has no branch, which a processor could not predict for random digits. */
export function digitOf(id: string, index: number): number {
  const code = id.charCodeAt(index);
  return (code & 15) + (code >> 6) * 9;
}

/** What all spans of a process have in common. */
export interface SpanRecorder {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** Encodes and queues a span that has ended. */
  readonly onEnd: (span: ReadableSpan) => void;
}

const kinds = { SERVER: SpanKind.SERVER, CLIENT: SpanKind.CLIENT, INTERNAL: SpanKind.INTERNAL } as const;

const noOptions: SpanOptions = {};
const noAttributes: Attributes = {};
const noLinks: Link[] = [];
const noEvents: ReadableSpan['events'] = [];
const unset: SpanStatus = { code: SpanStatusCode.UNSET };
const failed: SpanStatus = { code: SpanStatusCode.ERROR };

/** Milliseconds since 1970 as seconds and nanoseconds. */
function hrTimeOf(milliseconds: number): HrTime {
  const seconds = Math.trunc(milliseconds / 1_000);
  return [seconds, Math.round((milliseconds - seconds * 1_000) * 1e6)];
}

/** The headers that continue the trace below this span. */
function headersOf({ traceId, spanId, traceState }: SpanContext): TraceHeaders {
  const traceparent = `00-${traceId}-${spanId}-01`;
  return traceState === undefined ? { traceparent } : { traceparent, tracestate: traceState.serialize() };
}

/** What the spans of a trace in this process have in common. */
interface TraceOfSpans {
  readonly recorder: SpanRecorder;
  readonly traceId: string;
  readonly traceState: SpanContext['traceState'];
  /** The system clock minus the monotonic clock, in ms. It is one for all spans, so that their times are in order. */
  readonly clock: number;
}

function traceIn(recorder: SpanRecorder, traceId: string, parent: SpanContext | undefined): TraceOfSpans {
  return { recorder, traceId, traceState: parent?.traceState, clock: Date.now() - performance.now() };
}

/**
 * A span. It is only its values until it is encoded, and does not change after its end. The span of OpenTelemetry's SDK took as long as a third of a request
 * whose answer is in memory. It is a class because each recorded request has one.
 */
class RecordedSpan implements Span, ReadableSpan {
  name: string;
  readonly kind: SpanKind;
  readonly parentSpanContext?: SpanContext;
  readonly links: Link[];
  readonly droppedAttributesCount = 0;
  readonly droppedEventsCount = 0;
  readonly droppedLinksCount = 0;
  status = unset;
  events = noEvents;
  ended = false;
  readonly #trace: TraceOfSpans;
  readonly #context: SpanContext;
  readonly #above: Scope | undefined;
  readonly #begun = performance.now();
  #over = 0;
  #attributes: Attributes;

  /** `parent` is the span of the caller in another process, or that of `above`. */
  constructor(
    name: string,
    trace: TraceOfSpans,
    { kind, attributes }: SpanOptions,
    parent: SpanContext | undefined,
    above: Scope | undefined,
    links: Link[],
  ) {
    const { traceId, traceState } = trace;
    const ids = { traceId, spanId: createSpanId(), traceFlags: TraceFlags.SAMPLED };
    this.name = name;
    this.kind = kind === undefined ? SpanKind.INTERNAL : kinds[kind];
    if (parent !== undefined) this.parentSpanContext = parent;
    this.links = links;
    this.#trace = trace;
    this.#context = traceState === undefined ? ids : { ...ids, traceState };
    this.#above = above;
    this.#attributes = attributes ?? noAttributes;
  }

  get traceId(): string {
    return this.#context.traceId;
  }

  current(): Span | undefined {
    return this.ended ? this.#above?.current() : this;
  }

  child(name: string, options: SpanOptions = noOptions): Span {
    return new RecordedSpan(name, this.#trace, options, this.#context, this, noLinks);
  }

  rename(name: string): void {
    if (!this.ended) this.name = name;
  }

  set(attributes: Attributes): void {
    if (this.ended) return;
    this.#attributes = this.#attributes === noAttributes ? attributes : { ...this.#attributes, ...attributes };
  }

  event(name: string, attributes: Attributes = noAttributes): void {
    if (this.ended) return;
    if (this.events === noEvents) this.events = [];
    this.events.push({ name, attributes: { ...attributes }, time: hrTimeOf(this.#trace.clock + performance.now()) });
  }

  end(error?: string): void {
    if (this.ended) return;
    if (error !== undefined) {
      this.set({ 'error.type': error });
      this.status = failed;
    }
    this.ended = true;
    this.#over = performance.now();
    this.#trace.recorder.onEnd(this);
  }

  headers(): TraceHeaders {
    return headersOf(this.#context);
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  get startTime(): HrTime {
    return hrTimeOf(this.#trace.clock + this.#begun);
  }

  get endTime(): HrTime {
    return hrTimeOf(this.#trace.clock + this.#over);
  }

  get duration(): HrTime {
    return hrTimeOf(this.#over - this.#begun);
  }

  get attributes(): OtelAttributes {
    return this.#attributes;
  }

  get resource(): Resource {
    return this.#trace.recorder.resource;
  }

  get instrumentationScope(): InstrumentationScope {
    return this.#trace.recorder.scope;
  }
}

/** A span as the chain's code and the exporter see it. */
type ExportedSpan = Span & ReadableSpan;

/** Begins the first span of a trace in this process. `parent` is the span of the caller. */
export function beginTrace(
  name: string,
  traceId: string,
  options: SpanOptions & {
    readonly recorder: SpanRecorder;
    readonly parent?: SpanContext | undefined;
    readonly links?: Link[] | undefined;
  },
): ExportedSpan {
  const { recorder, parent, links = noLinks } = options;
  return new RecordedSpan(name, traceIn(recorder, traceId, parent), options, parent, undefined, links);
}

/** The span of another process of this server. Spans can begin below it; everything else about it is recorded there. */
export function continueTrace(context: SpanContext, recorder: SpanRecorder): Span {
  const trace = traceIn(recorder, context.traceId, context);
  const span: Span = {
    traceId: context.traceId,
    current: () => span,
    child: (name, options = noOptions) => new RecordedSpan(name, trace, options, context, span, noLinks),
    rename: () => undefined,
    set: () => undefined,
    event: () => undefined,
    end: () => undefined,
    headers: () => headersOf(context),
  };
  return span;
}

/** The values of `OTEL_TRACES_SAMPLER`. */
export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

/** Whether a trace is recorded. `ofCaller` is what its caller has decided, if it has one. */
type Sampler = (traceId: string, ofCaller: boolean | undefined) => boolean;

/**
 * Chooses the traces that `TraceIdRatioBasedSampler` of OpenTelemetry's SDK chooses: the exclusive or of the four parts of their ids is below the share. That
 * sampler takes five times as long, and decides about every request.
 */
function createRatioSampler(share: number): (traceId: string) => boolean {
  const bound = Math.floor(share * 0xffffffff);
  return (traceId) => {
    let parts = 0;
    for (let index = 0; index < 8; index += 1) {
      const digit =
        digitOf(traceId, index) ^ digitOf(traceId, index + 8) ^ digitOf(traceId, index + 16) ^ digitOf(traceId, index + 24);
      parts = (parts << 4) | digit;
    }
    return parts >>> 0 < bound;
  };
}

/** Creates a sampler of this name. `share` is the share of traces that one with a ratio records: those that every server with this ratio records. */
export function createSampler(name: SamplerName, share: number): Sampler {
  const isChosen = name.endsWith('traceidratio') ? createRatioSampler(share) : () => name.endsWith('always_on');
  return name.startsWith('parentbased_') ? (traceId, ofCaller) => ofCaller ?? isChosen(traceId) : isChosen;
}
