import { type Span, setScope, type Tracer } from '../../chain/tracing/tracer.ts';
import type { OpenSource } from './source.ts';

/** What the traces of a source need. */
export interface SourceTraces {
  /** The name of its operation. */
  readonly name: string | undefined;
  /** The signal of its reads. */
  readonly signal: AbortSignal;
  /** The span of the operation that opened it. */
  readonly opener: Span | undefined;
  readonly tracer: Tracer;
}

/**
 * Records each block of a source in a trace of its own: the reads that find its events, and their execution. Without a tracer that is on, it is
 * the source itself.
 */
export function traced(source: OpenSource, { name, signal, opener, tracer }: SourceTraces): OpenSource {
  const rounds = tracer.rounds(name === undefined ? 'block of a subscription' : `block of ${name}`, opener, {
    'graphql.operation.type': 'subscription',
    ...(name !== undefined && { 'graphql.operation.name': name }),
  });
  if (rounds === undefined) return source;
  setScope(signal, rounds);
  return {
    ...source,
    async render(block) {
      if (block.events.length > 0) rounds.begin();
      try {
        return await source.render(block);
      } finally {
        rounds.end({ 'stele.height': Number(block.height), 'stele.events': block.events.length });
      }
    },
    async renderPresent(present) {
      rounds.begin();
      try {
        return await source.renderPresent(present);
      } finally {
        rounds.end({ 'stele.height': Number(present.height), 'stele.events': present.events.length });
      }
    },
    close() {
      rounds.close();
      source.close();
    },
  };
}
