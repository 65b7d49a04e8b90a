import { codeOf, type Span, spanOf, type Tracer } from '../tracing/tracer.ts';
import type { JsonObject } from '../wire/json.ts';
import { type CallOptions, type Transport, withCalls } from './transport.ts';

/** The calls that one operation makes in one turn of the event loop. */
interface Wave {
  readonly span: Span;
  readonly reads: Set<string>;
  calls: number;
  pending: number;
  error: string | undefined;
}

const readsMax = 16;

/** What a call reads: the path of an ABCI query, else the method. */
function nameOf(method: string, { path }: JsonObject): string {
  return method === 'abci_query' && typeof path === 'string' ? path : method;
}

/**
 * Records the calls of a transport. The calls that an operation makes in one turn of the event loop are a wave, because they go to the
 * nodes together. Without a tracer that is on, it is the transport itself.
 */
export function traced(transport: Transport, tracer: Tracer): Transport {
  if (!tracer.isOn) return transport;
  const waves = new Map<Span, Wave>();

  function waveOf(parent: Span): Wave {
    const existing = waves.get(parent);
    if (existing !== undefined) return existing;
    const wave: Wave = { span: parent.child('reads'), reads: new Set(), calls: 0, pending: 0, error: undefined };
    waves.set(parent, wave);
    // The transport to a node sends its calls after the same two steps.
    Promise.resolve().then(() => process.nextTick(() => waves.delete(parent)));
    return wave;
  }

  function endCall(wave: Wave, error?: string): void {
    wave.pending -= 1;
    wave.error ??= error;
    if (wave.pending > 0) return;
    wave.span.set({ 'stele.calls': wave.calls, 'stele.reads': [...wave.reads] });
    wave.span.end(wave.error);
  }

  async function inWave<T>(method: string, params: JsonObject, call: CallOptions<T>, run: TransportCall): Promise<T> {
    const parent = call.span === undefined ? spanOf(call.signal) : undefined;
    if (parent === undefined) return run(method, params, call);
    const wave = waveOf(parent);
    wave.calls += 1;
    wave.pending += 1;
    if (wave.reads.size < readsMax) wave.reads.add(nameOf(method, params));
    if (call.height !== undefined) wave.span.set({ 'stele.height': Number(call.height) });
    try {
      const result = await run(method, params, { ...call, span: wave.span });
      endCall(wave);
      return result;
    } catch (error) {
      endCall(wave, codeOf(error));
      throw error;
    }
  }

  return withCalls(transport, (call) => (method, params, options) => inWave(method, params, options, call));
}

type TransportCall = Transport['call'];
