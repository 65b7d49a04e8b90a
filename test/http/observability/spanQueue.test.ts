import { resourceFromAttributes } from '@opentelemetry/resources';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSpanQueue, type SpanQueue } from '../../../src/server/observability/openTelemetry.ts';
import { beginTrace, createTraceId, type SpanRecorder } from '../../../src/server/observability/spans.ts';

/** A request that was sent: the names of its spans, and how it ends. */
interface Sent {
  readonly names: string;
  readonly succeed: () => void;
  readonly fail: (error: unknown) => void;
}

let sent: Sent[];
let failures: unknown[];
let queue: SpanQueue;

/** Starts a queue with these values of the variables `OTEL_BSP_…`. */
function start(variables: Record<string, number>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(`OTEL_BSP_${name}`, String(value));
  sent = [];
  failures = [];
  let names: string[] = [];
  queue = createSpanQueue({
    encoder: {
      add: ({ name }) => void names.push(name),
      take() {
        const text = names.join(' ');
        names = [];
        return Buffer.from(text);
      },
    },
    send: (request) =>
      new Promise((succeed, fail) => void sent.push({ names: Buffer.from(request).toString(), succeed, fail })),
    onFailure: (error) => failures.push(error),
  });
}

/** Ends a span of each name. */
function add(...names: readonly string[]): void {
  const recorder: SpanRecorder = {
    resource: resourceFromAttributes({}),
    scope: { name: 'test' },
    onEnd: queue.add,
  };
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

it('reports a failure and a timeout, and sends the next batch', async () => {
  start({ MAX_EXPORT_BATCH_SIZE: 1, EXPORT_TIMEOUT: 100 });
  add('a', 'b', 'c');
  sent[0]!.fail('refused');
  await settle();
  expect(names()).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(100);
  expect(names()).toEqual(['a', 'b', 'c']);
  expect(failures).toEqual(['refused', new Error('Timeout')]);
  expect(queue.counts()).toEqual({ sent: 0, failed: 2, dropped: 0 });
});

it('sends what waits when it is closed, and nothing that comes later', async () => {
  start({ MAX_EXPORT_BATCH_SIZE: 2 });
  add('a', 'b', 'c', 'd', 'e');
  const closed = queue.close();
  add('late');
  for (let index = 0; index < 3; index += 1) {
    sent[index]!.succeed();
    await settle();
  }
  await closed;
  expect(names()).toEqual(['a b', 'c d', 'e']);
  expect(vi.getTimerCount()).toBe(0);
});
