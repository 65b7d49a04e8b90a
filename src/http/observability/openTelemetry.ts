import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type Context,
  type Link,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator, SamplingDecision } from '@opentelemetry/sdk-trace-base';
import type { Attributes, RequestTrace, Rounds, Span, SpanOptions, Tracer } from '../../chain/tracing/tracer.ts';
import { createSampler, type SamplerName } from './samplers.ts';

/** A tracer that sends its spans to a collector. */
export interface ExportingTracer extends Tracer {
  /** Sends the spans that have not been sent, for at most `milliseconds`. Never rejects. */
  close(milliseconds: number): Promise<void>;
}

/** What the running work is part of. */
interface Scope {
  current(): Span | undefined;
}

const kinds = { SERVER: SpanKind.SERVER, CLIENT: SpanKind.CLIENT, INTERNAL: SpanKind.INTERNAL } as const;

const propagator = new W3CTraceContextPropagator();
const readHeader = {
  get: (headers: Readonly<Record<string, string | string[] | undefined>>, name: string) => headers[name],
  keys: (headers: object) => Object.keys(headers),
};
const writeHeader = {
  set(headers: Record<string, string>, name: string, value: string) {
    headers[name] = value;
  },
};

/** A trace id of 32 random hexadecimal digits, in one piece. */
const newTraceId = (): string => Buffer.from(randomUUID().replaceAll('-', ''), 'latin1').toString('latin1');

/**
 * Creates the tracer that the environment variables of OpenTelemetry describe: its sampler, its limits, its resource and its exporter over HTTP.
 * `onFailure` is called when spans could not be sent.
 */
export function createOpenTelemetry(options: {
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly sampler: SamplerName;
  /** The share of traces that a sampler with a ratio records. */
  readonly share: number;
  readonly version: string;
  readonly onFailure: (error: unknown) => void;
}): ExportingTracer {
  const { protocol, version, onFailure } = options;
  const sampler = createSampler(options.sampler, options.share);
  /** The id of the next trace, if it is decided already. */
  let nextTraceId: string | undefined;
  const random = new RandomIdGenerator();
  setGlobalErrorHandler(onFailure);
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'stele', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
    sampler,
    idGenerator: { generateSpanId: random.generateSpanId, generateTraceId: () => nextTraceId ?? random.generateTraceId() },
  });
  const tracer = provider.getTracer('stele', version);
  const running = new AsyncLocalStorage<Scope>();

  function begin(name: string, at: Context, { kind = 'INTERNAL', attributes }: SpanOptions, links: Link[] = []): OtelSpan {
    return tracer.startSpan(name, { kind: kinds[kind], attributes: { ...attributes }, links }, at);
  }

  function spanOf(made: OtelSpan): Span {
    let isOver = false;
    const scope: Scope = { current: () => (isOver ? undefined : span) };
    const inside = (): Context => trace.setSpan(ROOT_CONTEXT, made);
    const span: Span = {
      traceId: made.spanContext().traceId,
      child: (name, childOptions = {}) => spanOf(begin(name, inside(), childOptions)),
      rename: (name) => void made.updateName(name),
      set: (attributes) => void made.setAttributes({ ...attributes }),
      event: (name, attributes) => void made.addEvent(name, { ...attributes }),
      end(error) {
        if (isOver) return;
        isOver = true;
        if (error !== undefined) made.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
        made.end();
      },
      run: (work) => running.run(scope, work),
      headers() {
        const headers: Record<string, string> = {};
        propagator.inject(inside(), headers, writeHeader);
        return headers;
      },
    };
    return span;
  }

  const current = (): Span | undefined => running.getStore()?.current();

  function request(name: string, headers: Parameters<Tracer['request']>[1], spanOptions: SpanOptions = {}): RequestTrace {
    const parent = headers.traceparent === undefined ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, headers, readHeader);
    const traceId = trace.getSpanContext(parent)?.traceId ?? newTraceId();
    // Most requests are not recorded. Making a span for each would take a third of the time of a kept answer.
    const { decision } = sampler.shouldSample(parent, traceId, name, SpanKind.SERVER, {}, []);
    if (decision === SamplingDecision.NOT_RECORD) return { traceId, span: undefined };
    nextTraceId = traceId;
    const made = begin(name, parent, spanOptions);
    nextTraceId = undefined;
    return { traceId, span: spanOf(made) };
  }

  function rounds(name: string, attributes: Attributes = {}): Rounds {
    const opener = current()?.headers();
    const openedBy = opener && trace.getSpanContext(propagator.extract(ROOT_CONTEXT, opener, readHeader));
    const links: Link[] = openedBy === undefined ? [] : [{ context: openedBy }];
    /** The span of this round. `unsampled` if it is not recorded. */
    let round: Span | 'unsampled' | undefined;
    let isClosed = false;
    function now(): Span | undefined {
      if (isClosed) return undefined;
      if (round === undefined) {
        const made = begin(name, ROOT_CONTEXT, { attributes }, links);
        round = made.isRecording() ? spanOf(made) : 'unsampled';
      }
      return round === 'unsampled' ? undefined : round;
    }
    function end(found: Attributes = {}): void {
      if (round !== undefined && round !== 'unsampled') {
        round.set(found);
        round.end();
      }
      round = undefined;
    }
    const scope: Scope = { current: now };
    return {
      run: (work) => running.run(scope, work),
      begin: () => void now(),
      end,
      close() {
        end();
        isClosed = true;
      },
    };
  }

  return {
    isOn: true,
    current,
    request,
    rounds,
    async close(milliseconds) {
      const over = new Promise<void>((resolve) => setTimeout(resolve, milliseconds).unref());
      await Promise.race([provider.shutdown().catch(onFailure), over]);
    },
  };
}
