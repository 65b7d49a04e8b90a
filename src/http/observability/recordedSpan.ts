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
import type { Attributes, Span, SpanOptions } from '../../chain/tracing/tracer.ts';
import { createSpanId } from './traceIds.ts';

/** What all spans of a process have in common. */
export interface SpanRecorder {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** Queues a span that has ended. */
  readonly onEnd: (span: ReadableSpan) => void;
}

const kinds = { SERVER: SpanKind.SERVER, CLIENT: SpanKind.CLIENT, INTERNAL: SpanKind.INTERNAL } as const;

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

/** What a span begins with. */
interface Beginning extends SpanOptions {
  readonly recorder: SpanRecorder;
  readonly context: SpanContext;
  /** The caller of the process in another one, or the span above. */
  readonly parent?: SpanContext | undefined;
  readonly above?: RecordedSpan | undefined;
  readonly links?: Link[] | undefined;
  /** The system clock minus the monotonic clock, in ms. It is the same for all spans of a trace, so that their times are in order. */
  readonly clock: number;
}

/**
 * A span. The exporter reads it when its batch is sent: until then it is only its values. The span of OpenTelemetry's SDK took as long as a third of a
 * request whose answer is in memory. It is a class because each recorded request has one.
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
  readonly #recorder: SpanRecorder;
  readonly #context: SpanContext;
  readonly #above: RecordedSpan | undefined;
  readonly #clock: number;
  readonly #begun = performance.now();
  #over = 0;
  #attributes: Attributes;

  constructor(name: string, { recorder, context, parent, above, links, clock, kind = 'INTERNAL', attributes }: Beginning) {
    this.name = name;
    this.kind = kinds[kind];
    if (parent !== undefined) this.parentSpanContext = parent;
    this.links = links ?? noLinks;
    this.#recorder = recorder;
    this.#context = context;
    this.#above = above;
    this.#clock = clock;
    this.#attributes = attributes ?? noAttributes;
  }

  get traceId(): string {
    return this.#context.traceId;
  }

  current(): Span | undefined {
    return this.ended ? this.#above?.current() : this;
  }

  child(name: string, options?: SpanOptions): Span {
    const context = { ...this.#context, spanId: createSpanId() };
    const [recorder, clock] = [this.#recorder, this.#clock];
    return new RecordedSpan(name, { ...options, recorder, context, parent: this.#context, above: this, clock });
  }

  rename(name: string): void {
    this.name = name;
  }

  set(attributes: Attributes): void {
    this.#attributes = this.#attributes === noAttributes ? attributes : { ...this.#attributes, ...attributes };
  }

  event(name: string, attributes: Attributes = noAttributes): void {
    if (this.events === noEvents) this.events = [];
    this.events.push({ name, attributes: { ...attributes }, time: hrTimeOf(this.#clock + performance.now()) });
  }

  end(error?: string): void {
    if (this.ended) return;
    this.ended = true;
    this.#over = performance.now();
    if (error !== undefined) {
      this.set({ 'error.type': error });
      this.status = failed;
    }
    this.#recorder.onEnd(this);
  }

  headers(): Readonly<Record<string, string>> {
    const { traceId, spanId, traceState } = this.#context;
    const traceparent = `00-${traceId}-${spanId}-01`;
    return traceState === undefined ? { traceparent } : { traceparent, tracestate: traceState.serialize() };
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  get startTime(): HrTime {
    return hrTimeOf(this.#clock + this.#begun);
  }

  get endTime(): HrTime {
    return hrTimeOf(this.#clock + this.#over);
  }

  get duration(): HrTime {
    return hrTimeOf(this.#over - this.#begun);
  }

  get attributes(): OtelAttributes {
    return this.#attributes;
  }

  get resource(): Resource {
    return this.#recorder.resource;
  }

  get instrumentationScope(): InstrumentationScope {
    return this.#recorder.scope;
  }
}

/** A span as the chain's code and the exporter see it. */
export type ExportedSpan = Span & ReadableSpan;

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
  const traceState = options.parent?.traceState;
  const context = { traceId, spanId: createSpanId(), traceFlags: TraceFlags.SAMPLED, ...(traceState && { traceState }) };
  return new RecordedSpan(name, { ...options, context, clock: Date.now() - performance.now() });
}
