import { noTracer, type Tracer } from '../src/chain/tracing/tracer.ts';
import { createTracing } from '../src/start/starting.ts';
import type { Command } from './child.ts';

/** The shares of the requests that can be traced, in percent. */
export const shares = [0, 10, 100] as const;

/**
 * Creates a tracer whose share of recorded requests can be changed while the server runs. Two processes of the same server differ by several percent, so only
 * the shares within one process can be compared. It sends to the collector that the variables of OpenTelemetry name; without one, it records nothing.
 */
export async function createTracers(report: (error: unknown) => void): Promise<{
  readonly tracer: Tracer;
  readonly commands: Readonly<Record<string, Command>>;
}> {
  if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return { tracer: noTracer, commands: {} };
  const tracers = new Map<number, Tracer>([[0, noTracer]]);
  for (const share of shares.slice(1)) {
    const sampler = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: String(share / 100) };
    tracers.set(share, await createTracing({ ...process.env, ...sampler }, report));
  }
  let current: Tracer = noTracer;
  return {
    tracer: {
      get isOn() {
        return current.isOn;
      },
      request: (name, headers) => current.request(name, headers),
      continued: (headers) => current.continued(headers),
      rounds: (name, opener, attributes) => current.rounds(name, opener, attributes),
    },
    commands: {
      /** Traces this share of the requests from now on, in percent. */
      trace(share) {
        const chosen = tracers.get(Number(share));
        if (chosen === undefined) throw new Error(`no tracer for ${share} %`);
        current = chosen;
        return 0;
      },
    },
  };
}
