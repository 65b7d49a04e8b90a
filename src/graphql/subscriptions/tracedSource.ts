import type { Tracer } from '../../chain/tracing/tracer.ts';
import type { OpenSource } from './source.ts';

/**
 * Records each block of a source in a trace of its own: the reads that find its events, and their execution. Without a tracer that is on, it is
 * the source itself.
 */
export function traced(source: OpenSource, name: string | undefined, tracer: Tracer): OpenSource {
  const attributes = {
    'graphql.operation.type': 'subscription',
    ...(name !== undefined && { 'graphql.operation.name': name }),
  };
  const rounds = tracer.rounds(name === undefined ? 'block of a subscription' : `block of ${name}`, attributes);
  if (rounds === undefined) return source;
  const { stream } = source;
  return {
    ...source,
    stream: Object.assign(Object.create(stream), {
      present: () => rounds.run(() => stream.present()),
      nextBlock: () => rounds.run(() => stream.nextBlock()),
    }),
    async render(block) {
      if (block.events.length > 0) rounds.begin();
      try {
        return await rounds.run(() => source.render(block));
      } finally {
        rounds.end({ 'stele.height': Number(block.height), 'stele.events': block.events.length });
      }
    },
    async renderPresent(present) {
      rounds.begin();
      try {
        return await rounds.run(() => source.renderPresent(present));
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
