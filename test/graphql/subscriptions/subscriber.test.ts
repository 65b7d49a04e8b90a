import { GraphQLError } from 'graphql';
import { afterEach, expect, it, vi } from 'vitest';
import { createLimits } from '../../../src/config/limits/limits.ts';
import type { EventBatch } from '../../../src/graphql/subscriptions/payload.ts';
import { createSubscriber, type Subscriber } from '../../../src/graphql/subscriptions/subscriber.ts';
import { createRates } from '../../../src/server/rateLimits/rates.ts';

const limits = { maxEvents: 4, maxBytes: 100, maxWait: 1_000 };

afterEach(() => vi.useRealTimers());

function batch(height: bigint | undefined, texts: readonly string[]): EventBatch {
  const payloads = texts.map((text) => ({ json: Buffer.from(text), sse: Buffer.from(text) }));
  return { height, payloads, bytes: texts.join('').length, last: false, failed: false };
}

/** A subscriber over a fake socket. The test decides when the buffer of the socket is full. */
function createSocket(options: { readonly after?: bigint; readonly position?: bigint } = {}) {
  const sent: string[] = [];
  const ends: (readonly GraphQLError[] | undefined)[] = [];
  const gone: Subscriber[] = [];
  const drained = new Set<() => void>();
  let full = false;
  let fillsWithNext = false;
  const subscriber = createSubscriber({
    caller: createRates(createLimits()).of('a'),
    rules: { limits, tooSlow: (height) => new GraphQLError(`slow ${height}`) },
    after: options.after ?? 0n,
    onGone: (left) => void gone.push(left),
    sink: {
      send({ json }) {
        sent.push(json.toString());
        if (fillsWithNext) full = true;
      },
      isFull: () => full,
      onceDrained(wake) {
        drained.add(wake);
        return () => drained.delete(wake);
      },
      copies: () => false,
      unsent: () => (full ? 1 : 0),
      onceSent: () => undefined,
      destroy: () => undefined,
      interrupt: () => undefined,
      end: (errors) => void ends.push(errors),
    },
  });
  const { position } = options;
  if (position !== undefined) subscriber.source = { position: () => position, remove: () => undefined };
  return {
    subscriber,
    sent,
    ends,
    gone,
    waiting: drained,
    fill() {
      full = true;
    },
    fillWithNext() {
      fillsWithNext = true;
    },
    drain() {
      full = false;
      const waiting = [...drained];
      drained.clear();
      for (const wake of waiting) wake();
    },
  };
}

it('sends events while the socket accepts them, queues the rest in order, and sends the queue when the socket drains', () => {
  const { subscriber, sent, fill, drain, ends } = createSocket();
  subscriber.offer(batch(1n, ['a']));
  fill();
  subscriber.offer(batch(2n, ['b', 'c']));
  subscriber.offer(batch(3n, []));
  subscriber.offer(batch(4n, ['d']));
  subscriber.end();
  expect([sent, ends]).toEqual([['a'], []]);
  drain();
  expect(sent).toEqual(['a', 'b', 'c', 'd']);
  expect(ends).toEqual([undefined]);
});

it('sends all events of a height together, even if the socket fills up between them', () => {
  const { subscriber, sent, fill, fillWithNext, drain, waiting } = createSocket();
  fill();
  subscriber.offer(batch(1n, ['a', 'b']));
  subscriber.offer(batch(2n, ['c']));
  fillWithNext();
  drain();
  expect(sent).toEqual(['a', 'b']);
  expect(waiting.size).toBe(1);
  drain();
  expect(sent).toEqual(['a', 'b', 'c']);
});

it.each([
  ['events', ['x', 'x', 'x']],
  ['bytes', ['x'.repeat(60)]],
])(
  'ends when the queue exceeds its maximum of %s, with the height before the queue; one height alone may exceed it',
  (_, texts) => {
    const { subscriber, sent, ends, fill, drain, gone, waiting } = createSocket();
    subscriber.offer(batch(5n, ['sent']));
    fill();
    subscriber.offer(batch(7n, ['x'.repeat(200), 'x', 'x', 'x', 'x', 'x']));
    expect(ends).toEqual([]);
    drain();
    fill();
    subscriber.offer(batch(9n, texts));
    subscriber.offer(batch(10n, texts));
    expect(ends.map((errors) => errors?.map(({ message }) => message))).toEqual([['slow 8']]);
    expect(gone).toEqual([subscriber]);
    expect(waiting.size).toBe(0);
    subscriber.offer(batch(11n, ['late']));
    subscriber.end();
    drain();
    expect(sent).toHaveLength(7);
    expect(ends).toHaveLength(1);
  },
);

it('reports no height if the initial state was not delivered', () => {
  const { subscriber, ends, fill } = createSocket({ after: 5n, position: 9n });
  fill();
  subscriber.offer(batch(undefined, ['x', 'x', 'x']));
  subscriber.offer(batch(6n, ['x', 'x', 'x']));
  expect(ends[0]?.[0]?.message).toBe('slow undefined');
});

it('when cut with an empty queue, reports the position of the source, or its own start if that is later', () => {
  for (const [after, position, expected] of [
    [5n, 9n, '9'],
    [9n, 5n, '9'],
    [5n, undefined, 'undefined'],
  ] as const) {
    const { subscriber, ends } = createSocket({ after, ...(position !== undefined && { position }) });
    subscriber.cut((height) => new GraphQLError(String(height)));
    expect(ends[0]?.[0]?.message).toBe(expected);
  }
});

it('resolves ready() when the socket drains, and when the subscriber leaves', async () => {
  const { subscriber, fill, drain, ends, gone, waiting } = createSocket();
  expect(subscriber.ready()).toBeUndefined();
  fill();
  const room = subscriber.ready();
  drain();
  await room;
  fill();
  const gonePromise = subscriber.ready();
  subscriber.offer(batch(1n, ['a']));
  subscriber.leave();
  await gonePromise;
  expect(subscriber.isGone()).toBe(true);
  expect(subscriber.ready()).toBeUndefined();
  expect(waiting.size).toBe(0);
  expect([gone.length, ends]).toEqual([1, []]);
});

it('ends a subscriber that blocks the replay for longer than maxWait, and none that reads in time', async () => {
  vi.useFakeTimers();
  const { subscriber, fill, drain, ends, waiting } = createSocket({ after: 3n, position: 7n });
  fill();
  const first = subscriber.ready();
  vi.advanceTimersByTime(999);
  drain();
  await first;
  vi.advanceTimersByTime(2_000);
  expect(ends).toEqual([]);
  fill();
  const second = subscriber.ready();
  vi.advanceTimersByTime(999);
  expect(ends).toEqual([]);
  vi.advanceTimersByTime(1);
  await second;
  expect(ends).toEqual([[new GraphQLError('slow 7')]]);
  expect([subscriber.isGone(), waiting.size]).toEqual([true, 0]);
  expect(vi.getTimerCount()).toBe(0);
});
