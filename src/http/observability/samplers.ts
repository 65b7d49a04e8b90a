import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';

const own = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (share: number) => new TraceIdRatioBasedSampler(share),
} as const;

const ofParent = {
  parentbased_always_on: own.always_on,
  parentbased_always_off: own.always_off,
  parentbased_traceidratio: own.traceidratio,
} as const;

/** The values of `OTEL_TRACES_SAMPLER`. */
export type SamplerName = keyof typeof own | keyof typeof ofParent;

/** Creates a sampler of this name. `share` is the share of traces that one with a ratio records. */
export function createSampler(name: SamplerName, share: number): Sampler {
  switch (name) {
    case 'always_on':
    case 'always_off':
    case 'traceidratio':
      return own[name](share);
    default:
      return new ParentBasedSampler({ root: ofParent[name](share) });
  }
}
