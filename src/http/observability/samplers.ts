import { ROOT_CONTEXT } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';

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

/** Creates a sampler of this name. `share` is the share of traces that one with a ratio records: those that every server with this ratio records. */
export function createSampler(name: SamplerName, share: number): Sampler {
  const ratio = new TraceIdRatioBasedSampler(share);
  const ofRatio = (traceId: string): boolean =>
    ratio.shouldSample(ROOT_CONTEXT, traceId).decision !== SamplingDecision.NOT_RECORD;
  switch (name) {
    case 'always_on':
      return () => true;
    case 'always_off':
      return () => false;
    case 'traceidratio':
      return ofRatio;
    case 'parentbased_always_on':
      return (_, ofCaller) => ofCaller ?? true;
    case 'parentbased_always_off':
      return (_, ofCaller) => ofCaller ?? false;
    case 'parentbased_traceidratio':
      return (traceId, ofCaller) => ofCaller ?? ofRatio(traceId);
  }
}
