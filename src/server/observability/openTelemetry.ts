import { randomUUID } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';
import { ExportResultCode, getNumberFromEnv, parseTraceParent, TraceState } from '@opentelemetry/core';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Attributes, RequestTrace, Rounds, Span, TraceHeaders, Tracer } from '../../chain/tracing/tracer.ts';
import { beginTrace, continueTrace, createSampler, createTraceId, type SamplerName, type SpanRecorder } from './spans.ts';

/** How spans are sent, in OTLP over HTTP. */
type Protocol = 'http/protobuf' | 'http/json';

/** Creates the exporter that the variables `OTEL_EXPORTER_OTLP_…` describe. It encodes, compresses, times out and sends again. */
function createExporter(protocol: Protocol): SpanExporter {
  const [contentType, serializer] =
    protocol === 'http/json' ? ['application/json', JsonTraceSerializer] : ['application/x-protobuf', ProtobufTraceSerializer];
  // The exporters of OpenTelemetry are made of the same two functions. At the end, all batches that wait are sent at once.
  const options = { concurrencyLimit: Number.MAX_SAFE_INTEGER };
  return createOtlpHttpExportDelegate(
    convertLegacyHttpOptions(options, 'TRACES', 'v1/traces', { 'Content-Type': contentType }),
    serializer,
  );
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

/**
 * Creates the queue of spans that have ended. OpenTelemetry's processor sends them in batches, one after the other, as the variables
 * `OTEL_BSP_…` say. It does not say how many it drops, so the spans that wait are counted here. `onFailure` is called for each batch
 * that the collector has not accepted.
 */
export function createSpanQueue(exporter: SpanExporter, onFailure: (error: unknown) => void) {
  const maxWaiting = getNumberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE') ?? 2_048;
  const counts = { sent: 0, failed: 0, dropped: 0 };
  let waiting = 0;
  let isClosed = false;
  const processor = new BatchSpanProcessor({
    export(spans, done) {
      waiting -= spans.length;
      exporter.export(spans, (result) => {
        const isSent = result.code === ExportResultCode.SUCCESS;
        counts[isSent ? 'sent' : 'failed'] += spans.length;
        if (!isSent) onFailure(result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  });
  return {
    /** Adds a span that has ended. It is dropped if too many wait. */
    add(span: ReadableSpan): void {
      if (isClosed || waiting >= maxWaiting) {
        counts.dropped += 1;
        return;
      }
      waiting += 1;
      processor.onEnd(span);
    },
    /** Sends what waits, and adds nothing more. Never rejects. */
    async close(): Promise<void> {
      isClosed = true;
      await processor.shutdown().catch(() => undefined);
    },
    counts: (): SpanCounts => ({ ...counts }),
  };
}

/** A tracer that sends its spans to a collector. */
export interface ExportingTracer extends Tracer {
  /** Sends the spans that have not been sent, for at most `milliseconds`. Never rejects. */
  close(milliseconds: number): Promise<void>;
  /** What has become of its spans. Absent if nothing is recorded. */
  readonly spans?: () => SpanCounts;
}

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
  const queue = createSpanQueue(createExporter(protocol), onFailure);
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
    function end(endAttributes: Attributes = {}): void {
      if (round !== undefined && round !== 'unsampled') {
        round.set(endAttributes);
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
