import { randomUUID } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';
import { parseTraceParent, TraceState } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { Attributes, RequestTrace, Rounds, Span, TraceHeaders, Tracer } from '../../chain/tracing/tracer.ts';
import { beginTrace, continueTrace, type SpanRecorder } from './recordedSpan.ts';
import { createSampler, type SamplerName } from './samplers.ts';
import { createSpanExport, type Protocol } from './spanExport.ts';
import { createSpanQueue, type SpanCounts } from './spanQueue.ts';
import { createTraceId } from './traceIds.ts';

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
