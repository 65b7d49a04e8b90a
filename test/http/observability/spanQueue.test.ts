import { ExportResultCode } from '@opentelemetry/core';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSpanQueue } from '../../../src/server/observability/openTelemetry.ts';
import { beginTrace, createTraceId, type SpanRecorder } from '../../../src/server/observability/spans.ts';

/** A request that was sent: the names of its spans, and how it ends. */
interface Sent {
  readonly names: string;
  readonly succeed: () => void;
  readonly fail: (error: Error) => void;
}

let sent: Sent[];
let failures: unknown[];
let queue: ReturnType<typeof createSpanQueue>;

/** Starts a queue with these values of the variables `OTEL_BSP_…`. */
function start(variables: Record<string, number>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(`OTEL_BSP_${name}`, String(value));
  sent = [];
  failures = [];
  queue = createSpanQueue(
    {
      export: (spans, done) =>
        void sent.push({
          names: spans.map(({ name }) => name).join(' '),
          succeed: () => done({ code: ExportResultCode.SUCCESS }),
          fail: (error) => done({ code: ExportResultCode.FAILED, error }),
        }),
      shutdown: async () => undefined,
    },
    (error) => failures.push(error),
  );
}

const resource = resourceFromAttributes({});

/** Ends a span of each name. */
function add(...names: readonly string[]): void {
  const recorder: SpanRecorder = { resource, scope: { name: 'test' }, onEnd: queue.add };
  for (const name of names) beginTrace(name, createTraceId(), { recorder }).end();
}

const names = (): readonly string[] => sent.map((each) => each.names);
/** Lets the queue notice how a request has ended. */
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it('sends a full batch at once, and another one after the delay', async () => {
  start({ MAX_EXPORT_BATCH_SIZE: 2, SCHEDULE_DELAY: 1_000 });
  add('a', 'b', 'c');
  expect(names()).toEqual(['a b']);
  sent[0]!.succeed();
  await vi.advanceTimersByTimeAsync(999);
  expect(names()).toEqual(['a b']);
  add('d');
  expect(names()).toEqual(['a b', 'c d']);
  sent[1]!.succeed();
  await settle();
  add('e');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(names()).toEqual(['a b', 'c d', 'e']);
});

it('sends one batch after the other, and drops spans while too many wait', async () => {
  start({ MAX_EXPORT_BATCH_SIZE: 2, MAX_QUEUE_SIZE: 5 });
  add('a', 'b');
  add('c', 'd', 'e', 'f', 'g', 'dropped', 'dropped');
  expect(names()).toEqual(['a b']);
  sent[0]!.succeed();
  await settle();
  add('h', 'i', 'dropped');
  sent[1]!.succeed();
  await settle();
  sent[2]!.succeed();
  await settle();
  expect(names()).toEqual(['a b', 'c d', 'e f', 'g h']);
  expect(queue.counts()).toEqual({ sent: 6, failed: 0, dropped: 3 });
});

it('reports a failure, and sends the next batch after it and after a timeout', async () => {
  start({ MAX_EXPORT_BATCH_SIZE: 1, EXPORT_TIMEOUT: 100 });
  add('a', 'b', 'c');
  const refused = new Error('refused');
  sent[0]!.fail(refused);
  await settle();
  expect(names()).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(100);
  expect(names()).toEqual(['a', 'b', 'c']);
  const late = new Error('timeout of the exporter');
  sent[1]!.fail(late);
  expect(failures).toEqual([refused, late]);
  expect(queue.counts()).toEqual({ sent: 0, failed: 2, dropped: 0 });
});

it('sends what waits when it is closed, and nothing that comes later', async () => {
  start({ MAX_EXPORT_BATCH_SIZE: 2 });
  add('a', 'b', 'c', 'd', 'e');
  const closed = queue.close();
  add('late');
  await settle();
  for (const { succeed } of sent) succeed();
  await closed;
  expect(names()).toEqual(['a b', 'c d', 'e']);
  expect(queue.counts()).toEqual({ sent: 5, failed: 0, dropped: 1 });
  expect(vi.getTimerCount()).toBe(0);
});

it('does not reject when it is closed and the collector refuses what waits', async () => {
  start({});
  add('a');
  const closed = queue.close();
  await settle();
  sent[0]!.fail(new Error('refused'));
  await closed;
  expect(queue.counts()).toEqual({ sent: 0, failed: 1, dropped: 0 });
});

it('a span does not change after its end', () => {
  const requests: Buffer[] = [];
  const encoded = (span: ReadableSpan) => Buffer.from(ProtobufTraceSerializer.serializeRequest([span])!);
  const onEnd = (span: ReadableSpan): void => void requests.push(encoded(span));
  const span = beginTrace('POST graphql', createTraceId(), { recorder: { resource, scope: { name: 'test' }, onEnd } });
  span.end('NODE_TIMEOUT');
  span.rename('other');
  span.set({ 'stele.code': 'OK' });
  span.event('CHECKED');
  span.end();
  expect(requests).toEqual([encoded(span)]);
});
