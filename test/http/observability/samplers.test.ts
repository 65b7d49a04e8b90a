import { ROOT_CONTEXT } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { createSampler, createTraceId } from '../../../src/server/observability/spans.ts';

describe('a sampler with a ratio', () => {
  it('records the traces that the sampler of OpenTelemetry records', () => {
    const fixed = [
      '0'.repeat(31),
      'f'.repeat(31),
      '7fffffff'.padEnd(31, '0'),
      '80000000'.padEnd(31, '0'),
      '1999999'.padEnd(31, '0'),
    ];
    const ids = [
      ...Array.from({ length: 2_000 }, createTraceId),
      ...fixed.flatMap((digits) => [`${digits}1`, `${digits}9`, `${digits}a`, `${digits}f`]),
    ];
    for (const share of [0, 1e-9, 0.001, 0.1, 0.5, 0.999, 1]) {
      const isSampled = createSampler('traceidratio', share);
      const other = new TraceIdRatioBasedSampler(share);
      const expected = ids.filter((id) => other.shouldSample(ROOT_CONTEXT, id).decision !== SamplingDecision.NOT_RECORD);
      expect(ids.filter((id) => isSampled(id, undefined))).toEqual(expected);
    }
  });

  it('follows the caller only if its name says so', () => {
    const id = '0af7651916cd43dd8448eb211c80319c';
    expect([0, 1].map((share) => createSampler('traceidratio', share)(id, share === 0))).toEqual([false, true]);
    expect([0, 1].map((share) => createSampler('parentbased_traceidratio', share)(id, share === 0))).toEqual([true, false]);
  });
});
