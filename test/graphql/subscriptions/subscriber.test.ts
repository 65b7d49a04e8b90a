import { GraphQLError } from 'graphql';
import { afterEach, expect, it, vi } from 'vitest';
import { createLimits } from '../../../src/config/limits/limits.ts';
import type { EventBatch } from '../../../src/graphql/subscriptions/payload.ts';
import { createSubscriber, type Subscriber } from '../../../src/graphql/subscriptions/subscriber.ts';
import { createRates } from '../../../src/http/rateLimits/rates.ts';

const limits = { maxEvents: 4, maxBytes: 100, maxWait: 1_000 };

afterEach(() => vi.useRealTimers());

function told(height: bigint | undefined, texts: readonly string[]): EventBatch {
  const payloads = texts.map((text) => ({ json: Buffer.from(text), sse: Buffer.from(text) }));
  return { height, payloads, bytes: texts.join('').length, last: false, failed: false };
}

/** A socket of which the test says whether it takes more. */
function createSocket(options: { readonly after?: bigint; readonly position?: bigint } = {}) {
  const sent: string[] = [];
  const ends: (readonly GraphQLError[] | undefined)[] = [];
  const gone: Subscriber[] = [];
  const drained = new Set<() => void>();
  let full = false;
  let fillsWithNext = false;
  const member = createSubscriber({
    caller: createRates(createLimits()).of('a'),
    limits,
    after: options.after ?? 0n,
    tooSlow: (height) => new GraphQLError(`slow ${height}`),
    onGone: (each) => void gone.push(each),
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
  if (position !== undefined) member.source = { position: () => position, remove: () => undefined };
  return {
    member,
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

it('hands on what comes while the socket takes it, keeps the rest in order, and sends it when there is room', () => {
  const { member, sent, fill, drain, ends } = createSocket();
  member.offer(told(1n, ['a']));
  fill();
  member.offer(told(2n, ['b', 'c']));
  member.offer(told(3n, []));
  member.offer(told(4n, ['d']));
  member.end();
  expect([sent, ends]).toEqual([['a'], []]);
  drain();
  expect(sent).toEqual(['a', 'b', 'c', 'd']);
  expect(ends).toEqual([undefined]);
});

it('never tears a height apart: what the socket filled up behind goes on when it has drained', () => {
  const { member, sent, fill, fillWithNext, drain, waiting } = createSocket();
  fill();
  member.offer(told(1n, ['a', 'b']));
  member.offer(told(2n, ['c']));
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
])('is too slow over its %s, with the height below what waits; a height alone may be of any size', (_, each) => {
  const { member, sent, ends, fill, drain, gone, waiting } = createSocket();
  member.offer(told(5n, ['told']));
  fill();
  member.offer(told(7n, ['x'.repeat(200), 'x', 'x', 'x', 'x', 'x']));
  expect(ends).toEqual([]);
  drain();
  fill();
  member.offer(told(9n, each));
  member.offer(told(10n, each));
  expect(ends.map((errors) => errors?.map(({ message }) => message))).toEqual([['slow 8']]);
  expect(gone).toEqual([member]);
  expect(waiting.size).toBe(0);
  member.offer(told(11n, ['late']));
  member.end();
  drain();
  expect(sent).toHaveLength(7);
  expect(ends).toHaveLength(1);
});

it('tells no height where the state at the start was not delivered', () => {
  const { member, ends, fill } = createSocket({ after: 5n, position: 9n });
  fill();
  member.offer(told(undefined, ['x', 'x', 'x']));
  member.offer(told(6n, ['x', 'x', 'x']));
  expect(ends[0]?.[0]?.message).toBe('slow undefined');
});

it('cut with nothing waiting, it has all that was told, and never less than where it began', () => {
  for (const [after, position, expected] of [
    [5n, 9n, '9'],
    [9n, 5n, '9'],
    [5n, undefined, 'undefined'],
  ] as const) {
    const { member, ends } = createSocket({ after, ...(position !== undefined && { position }) });
    member.cut((height) => new GraphQLError(String(height)));
    expect(ends[0]?.[0]?.message).toBe(expected);
  }
});

it('wakes whoever waits for room when there is some, and when it is gone', async () => {
  const { member, fill, drain, ends, gone, waiting } = createSocket();
  expect(member.ready()).toBeUndefined();
  fill();
  const room = member.ready();
  drain();
  await room;
  fill();
  const gonePromise = member.ready();
  member.offer(told(1n, ['a']));
  member.leave();
  await gonePromise;
  expect(member.isGone()).toBe(true);
  expect(member.ready()).toBeUndefined();
  expect(waiting.size).toBe(0);
  expect([gone.length, ends]).toEqual([1, []]);
});

it('ends whoever lets the past wait too long, and nobody who reads in time', async () => {
  vi.useFakeTimers();
  const { member, fill, drain, ends, waiting } = createSocket({ after: 3n, position: 7n });
  fill();
  const first = member.ready();
  vi.advanceTimersByTime(999);
  drain();
  await first;
  vi.advanceTimersByTime(2_000);
  expect(ends).toEqual([]);
  fill();
  const second = member.ready();
  vi.advanceTimersByTime(999);
  expect(ends).toEqual([]);
  vi.advanceTimersByTime(1);
  await second;
  expect(ends).toEqual([[new GraphQLError('slow 7')]]);
  expect([member.isGone(), waiting.size]).toEqual([true, 0]);
  expect(vi.getTimerCount()).toBe(0);
});
