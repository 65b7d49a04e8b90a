import { randomUUID } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';
import {
  ExportResultCode,
  getNumberFromEnv,
  type InstrumentationScope,
  parseTraceParent,
  TraceState,
} from '@opentelemetry/core';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { defaultResource, detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Attributes, RequestTrace, Rounds, Span, TraceHeaders, Tracer } from '../../chain/tracing/tracer.ts';
import { createJsonEncoder, createProtobufEncoder, type SpanEncoder } from './spanEncoder.ts';
import { beginTrace, continueTrace, createSampler, createTraceId, type SamplerName, type SpanRecorder } from './spans.ts';

/** How spans are sent, in OTLP over HTTP. */
type Protocol = 'http/protobuf' | 'http/json';

/** Encodes spans and sends them to the collector. */
interface SpanExport {
  readonly encoder: SpanEncoder;
  /** Sends a request of the encoder. Rejects if the collector has not accepted it, also when it was sent again. */
  send(request: Uint8Array): Promise<void>;
}

/**
 * Creates what sends spans as the variables `OTEL_EXPORTER_OTLP_…` say. OpenTelemetry's exporter reads them, and does the rest: it compresses, times out and
 * sends again.
 */
function createSpanExport(protocol: Protocol, resource: Resource, scope: InstrumentationScope): SpanExport {
  const { encoder, contentType, serializer } =
    protocol === 'http/json'
      ? { encoder: createJsonEncoder(), contentType: 'application/json', serializer: JsonTraceSerializer }
      : {
          encoder: createProtobufEncoder(resource, scope),
          contentType: 'application/x-protobuf',
          serializer: ProtobufTraceSerializer,
        };
  const exporter = createOtlpHttpExportDelegate(
    // The exporters of OpenTelemetry are made of the same two functions.
    convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', { 'Content-Type': contentType }),
    {
      serializeRequest: (request: Uint8Array) => request,
      deserializeResponse: (response) => serializer.deserializeResponse(response),
    },
  );
  return {
    encoder,
    send: (request) =>
      new Promise((resolve, reject) =>
        exporter.export(request, ({ code, error }) => (code === ExportResultCode.SUCCESS ? resolve() : reject(error))),
      ),
  };
}

/** How spans that have ended left the queue, since the start. */
export interface SpanCounts {
  /** The collector has accepted them. */
  readonly sent: number;
  /** The collector has not accepted them. */
  readonly failed: number;
  /** Too many spans waited. */
  readonly dropped: number;
}

/** Spans that wait to be sent. */
export interface SpanQueue {
  /** Adds a span that has ended. It is dropped if too many wait. */
  add(span: ReadableSpan): void;
  /** Sends what waits, and adds nothing more. Never rejects. */
  close(): Promise<void>;
  counts(): SpanCounts;
}

/** Encoded spans that are sent together. */
interface Batch {
  readonly request: Uint8Array;
  /** Their number. */
  readonly spans: number;
}

/**
 * Creates a queue that sends spans in batches, one after the other, as the variables `OTEL_BSP_…` say. `send` sends a request that the encoder made.
 * `onFailure` is called when it rejects.
 */
export function createSpanQueue(options: {
  readonly encoder: SpanEncoder;
  readonly send: (request: Uint8Array) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}): SpanQueue {
  const { encoder, send, onFailure } = options;
  const queueMax = getNumberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE') ?? 2_048;
  const batchMax = Math.min(getNumberFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE') ?? 512, queueMax);
  const delay = getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY') ?? 5_000;
  const timeout = getNumberFromEnv('OTEL_BSP_EXPORT_TIMEOUT') ?? 30_000;
  /** Batches that are full. */
  const full: Batch[] = [];
  /** Spans of the batch that is not full. */
  let added = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let isClosed = false;
  const counts = { sent: 0, failed: 0, dropped: 0 };

  function taken(): Batch {
    const spans = added;
    added = 0;
    return { request: encoder.take(), spans };
  }

  function sendNext(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending = sendWithin(full.shift() ?? taken());
    return sending;
  }

  async function sendWithin({ request, spans }: Batch): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      limit = setTimeout(() => reject(new Error('Timeout')), timeout);
    });
    try {
      await Promise.race([send(request), over]);
      counts.sent += spans;
    } catch (error) {
      counts.failed += spans;
      onFailure(error);
    }
    clearTimeout(limit);
    sending = undefined;
    schedule();
  }

  /** Sends a batch that is full now, and one that is not after the delay. */
  function schedule(): void {
    if (sending !== undefined) return;
    if (full.length > 0) void sendNext();
    else if (added > 0) timer ??= setTimeout(sendNext, delay).unref();
  }

  return {
    add(span) {
      if (isClosed || full.length * batchMax + added >= queueMax) {
        counts.dropped += 1;
        return;
      }
      encoder.add(span);
      added += 1;
      if (added >= batchMax) full.push(taken());
      schedule();
    },
    async close() {
      isClosed = true;
      while (sending !== undefined || full.length + added > 0) await (sending ?? sendNext());
    },
    counts: () => ({ ...counts }),
  };
}

/** A tracer that sends its spans to a collector. */
export interface ExportingTracer extends Tracer {
  /** Sends the spans that have not been sent, for at most `milliseconds`. Never rejects. */
  close(milliseconds: number): Promise<void>;
  /** What has become of its spans. Absent if nothing is recorded. */
  readonly spans?: () => SpanCounts;
}

/** The span of the caller that a header names. */
function callerIn(traceparent: string | string[] | undefined): SpanContext | undefined {
  return typeof traceparent === 'string' ? (parseTraceParent(traceparent) ?? undefined) : undefined;
}

/** The context of a span in another process, with the trace state of its headers. */
function contextOf(span: SpanContext, tracestate: string | string[] | undefined): SpanContext {
  const state = tracestate === undefined ? undefined : { traceState: new TraceState(String(tracestate)) };
  return { ...span, isRemote: true, ...state };
}

/**
 * Creates the tracer that the environment variables of OpenTelemetry describe: its sampler, its resource, its queue and its exporter over HTTP.
 * `onFailure` is called when spans could not be sent.
 */
export function createOpenTelemetry(options: {
  readonly protocol: Protocol;
  readonly sampler: SamplerName;
  /** The share of traces that a sampler with a ratio records. */
  readonly share: number;
  readonly version: string;
  readonly onFailure: (error: unknown) => void;
}): ExportingTracer {
  const { protocol, version, onFailure } = options;
  const isSampled = createSampler(options.sampler, options.share);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'stele', 'service.version': version }))
    // Each worker is an instance of its own. The variables may name one instance for all of them.
    .merge(resourceFromAttributes({ 'service.instance.id': randomUUID(), 'process.pid': process.pid }))
    .merge(detectResources({ detectors: [envDetector] }));
  const scope = { name: 'stele', version };
  const queue = createSpanQueue({ ...createSpanExport(protocol, resource, scope), onFailure });
  const recorder: SpanRecorder = { resource, scope, onEnd: queue.add };

  function request(name: string, headers: Parameters<Tracer['request']>[1]): RequestTrace {
    const { traceparent } = headers;
    const caller = traceparent === undefined ? undefined : callerIn(traceparent);
    const traceId = caller?.traceId ?? createTraceId();
    // Most requests are not recorded.
    if (!isSampled(traceId, caller && (caller.traceFlags & 1) === 1)) return { traceId, span: undefined };
    const parent = caller && contextOf(caller, headers.tracestate);
    return { traceId, span: beginTrace(name, traceId, { recorder, kind: 'SERVER', parent }) };
  }

  function continued({ traceparent, tracestate }: TraceHeaders): Span | undefined {
    const span = callerIn(traceparent);
    return span && continueTrace(contextOf(span, tracestate), recorder);
  }

  function rounds(name: string, opener: Span | undefined, attributes: Attributes = {}): Rounds {
    const openedBy = callerIn(opener?.headers().traceparent);
    const links = openedBy && [{ context: openedBy }];
    /** The span of this round. `unsampled` if it is not recorded. */
    let round: Span | 'unsampled' | undefined;
    let isClosed = false;
    function current(): Span | undefined {
      if (isClosed) return undefined;
      if (round === undefined) {
        const traceId = createTraceId();
        round = isSampled(traceId, undefined) ? beginTrace(name, traceId, { recorder, attributes, links }) : 'unsampled';
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
    return {
      current,
      begin: () => void current(),
      end,
      close() {
        end();
        isClosed = true;
      },
    };
  }

  return {
    isOn: true,
    request,
    continued,
    rounds,
    spans: queue.counts,
    async close(milliseconds) {
      const over = new Promise<void>((resolve) => setTimeout(resolve, milliseconds).unref());
      await Promise.race([queue.close(), over]);
    },
  };
}
