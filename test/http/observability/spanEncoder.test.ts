import { type Attributes, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { TraceState } from '@opentelemetry/core';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { createProtobufEncoder } from '../../../src/server/observability/spanEncoder.ts';
import { beginTrace } from '../../../src/server/observability/spans.ts';
import { anyText, fc, rounds, runsAll } from '../../support/atRandom.ts';

const resource = resourceFromAttributes({ 'service.name': 'stele', 'process.pid': 7, list: ['a', 'ü'] });
const scope = { name: 'stele', version: '1.0.0' };
const encoder = createProtobufEncoder(resource, scope);

const context = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: TraceFlags.SAMPLED };

const plain: ReadableSpan = {
  name: 'POST graphql',
  kind: SpanKind.SERVER,
  spanContext: () => context,
  startTime: [1_767_225_600, 1],
  endTime: [1_767_225_600, 999_999_999],
  duration: [0, 999_999_998],
  status: { code: SpanStatusCode.UNSET },
  attributes: {},
  links: [],
  events: [],
  ended: true,
  resource,
  instrumentationScope: scope,
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
};

/** The request of the encoder, beside that of OpenTelemetry's own serializer. */
function encoded(spans: readonly ReadableSpan[]): { readonly own: Buffer; readonly library: Buffer } {
  for (const span of spans) encoder.add(span);
  return { own: Buffer.from(encoder.take()), library: Buffer.from(ProtobufTraceSerializer.serializeRequest([...spans])!) };
}

function expectEqual(spans: readonly ReadableSpan[]): void {
  const { own, library } = encoded(spans);
  // Not `toEqual`, which compares large buffers byte by byte.
  if (!own.equals(library)) expect(own.toString('hex')).toBe(library.toString('hex'));
}

const texts = [
  '',
  'a',
  'grün',
  '\u{1f600}',
  '\ud800',
  '\u0000',
  'x'.repeat(127),
  'x'.repeat(128),
  'ü'.repeat(64),
  'x'.repeat(20_000),
];

const numbers = [
  ...[0, -0, 1, -1, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -(2 ** 31), Number.MAX_SAFE_INTEGER, 2 ** 62],
  ...[-(2 ** 63), 2 ** 63, 0.5, -1e-300, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY],
];

describe('a request of spans in protobuf', () => {
  it('has the same bytes as that of the serializer of OpenTelemetry, at the edges of each value', () => {
    const remote = { ...context, isRemote: true, traceState: new TraceState('vendor=1,other=2') };
    const variants: Partial<ReadableSpan>[] = [
      {},
      ...texts.map((name) => ({ name })),
      ...texts.map((text) => ({ attributes: { [text]: text, list: [text, text] } })),
      ...numbers.map((number) => ({ attributes: { number, list: [number, number] } })),
      { attributes: { yes: true, no: false, both: [true, false], none: [], gaps: ['a', null, undefined], missing: undefined } },
      ...[SpanKind.INTERNAL, SpanKind.SERVER, SpanKind.CLIENT].map((kind) => ({ kind })),
      { parentSpanContext: context },
      { parentSpanContext: remote },
      { spanContext: () => remote },
      { status: { code: SpanStatusCode.ERROR } },
      { status: { code: SpanStatusCode.ERROR, message: 'it failed' } },
      { links: [{ context }, { context: remote, attributes: { of: 'a link' }, droppedAttributesCount: 3 }] },
      {
        events: [
          { name: 'CHECKED', time: [1_767_225_600, 5] },
          { name: 'grün', time: [0, 0], attributes: { 'stele.height': 2 ** 40 }, droppedAttributesCount: 300 },
        ],
      },
      { droppedAttributesCount: 1, droppedEventsCount: 200, droppedLinksCount: 2 ** 20 },
      ...[0, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 18_446_744_073].map(
        (seconds): Partial<ReadableSpan> => ({ startTime: [seconds, 0], endTime: [seconds, 709_551_615] }),
      ),
    ];
    for (const variant of variants) expectEqual([{ ...plain, ...variant }]);
    expectEqual(variants.map((variant) => ({ ...plain, ...variant })));
  });

  it('has the same bytes for any attributes', () => {
    const value = fc.oneof(
      anyText(200),
      fc.double(),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.array(anyText(20), { maxLength: 20 }),
    );
    const attributes = fc.dictionary(anyText(60), value, { maxKeys: 12 });
    const spans = fc.array(attributes, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(spans, (all) => expectEqual(all.map((attributes: Attributes) => ({ ...plain, attributes })))),
      { numRuns: rounds(200) },
    );
  });

  it('has the same bytes at each length that takes one more byte, and for many spans', () => {
    for (const length of [127, 128, 2 ** 14 - 1, 2 ** 14, ...(runsAll ? [2 ** 21 - 1, 2 ** 21] : [])])
      for (let less = 0; less < 40; less += length > 2 ** 20 ? 13 : 1)
        expectEqual([{ ...plain, attributes: { text: 'x'.repeat(length - less) } }]);
    expectEqual(Array.from({ length: runsAll ? 65_536 : 2_048 }, (_, index) => ({ ...plain, attributes: { index } })));
  });
});

it('a span does not change after its end', () => {
  const ended: Buffer[] = [];
  const onEnd = (span: ReadableSpan): void => void ended.push(encoded([span]).own);
  const span = beginTrace('POST graphql', context.traceId, { recorder: { resource, scope, onEnd } });
  span.end('NODE_TIMEOUT');
  span.rename('other');
  span.set({ 'stele.code': 'OK' });
  span.event('CHECKED');
  span.end();
  expect(ended).toEqual([encoded([span]).own]);
});
