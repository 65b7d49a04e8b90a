import { digitOf } from './traceIds.ts';

/** The values of `OTEL_TRACES_SAMPLER`. */
export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

/** Whether a trace is recorded. `ofCaller` is what its caller has decided, if it has one. */
export type Sampler = (traceId: string, ofCaller: boolean | undefined) => boolean;

/**
 * Chooses the traces that `TraceIdRatioBasedSampler` of OpenTelemetry's SDK chooses: the exclusive or of the four parts of their ids is below the share. That
 * sampler takes five times as long, and decides about every request.
 */
function createRatioSampler(share: number): (traceId: string) => boolean {
  const bound = Math.floor(share * 0xffffffff);
  return (traceId) => {
    let parts = 0;
    for (let index = 0; index < 8; index += 1) {
      const digit =
        digitOf(traceId, index) ^ digitOf(traceId, index + 8) ^ digitOf(traceId, index + 16) ^ digitOf(traceId, index + 24);
      parts = (parts << 4) | digit;
    }
    return parts >>> 0 < bound;
  };
}

/** Creates a sampler of this name. `share` is the share of traces that one with a ratio records: those that every server with this ratio records. */
export function createSampler(name: SamplerName, share: number): Sampler {
  const isChosen = createRatioSampler(share);
  switch (name) {
    case 'always_on':
      return () => true;
    case 'always_off':
      return () => false;
    case 'traceidratio':
      return isChosen;
    case 'parentbased_always_on':
      return (_, ofCaller) => ofCaller ?? true;
    case 'parentbased_always_off':
      return (_, ofCaller) => ofCaller ?? false;
    case 'parentbased_traceidratio':
      return (traceId, ofCaller) => ofCaller ?? isChosen(traceId);
  }
}
