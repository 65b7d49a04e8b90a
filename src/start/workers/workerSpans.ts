import { type Span, setScope, type TraceHeaders, type Tracer } from '../../chain/tracing/tracer.ts';

/** The spans of workers that the primary works for. */
export interface WorkerSpans {
  /** Makes work with this signal belong to the span of a worker. Call the result when the work has ended. */
  enter(trace: TraceHeaders | undefined, signal: AbortSignal): () => void;
}

interface Open {
  readonly span: Span;
  works: number;
}

/**
 * Creates the spans of workers. Work that belongs to the same span of a worker gets the same span here, so that calls of one operation that are
 * sent together have one batch.
 */
export function createWorkerSpans(tracer: Tracer): WorkerSpans {
  const spans = new Map<string, Open>();
  const nothing = (): void => undefined;

  function open(key: string, trace: TraceHeaders): Open | undefined {
    const span = tracer.continued(trace);
    if (span === undefined) return undefined;
    const made: Open = { span, works: 0 };
    spans.set(key, made);
    return made;
  }

  return {
    enter(trace, signal) {
      const key = trace?.traceparent;
      if (trace === undefined || key === undefined) return nothing;
      const entered = spans.get(key) ?? open(key, trace);
      if (entered === undefined) return nothing;
      entered.works += 1;
      setScope(signal, entered.span);
      return () => {
        entered.works -= 1;
        if (entered.works === 0) spans.delete(key);
      };
    },
  };
}
