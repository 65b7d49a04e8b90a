import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSession } from '../../../src/server/auth/auth.ts';

const day = 24 * 3600_000;
const viewer = { subject: 'somebody', clientId: 'somebody', scopes: ['read'] } as const;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it('ends when its token expires, also if that exceeds the longest timer', async () => {
  const session = createSession({
    viewer: { ...viewer, expiresAt: Date.now() + 60 * day },
    now: Date.now,
    isOver: async () => false,
  });
  const ended = vi.fn();
  session.onEnd(ended);
  await vi.advanceTimersByTimeAsync(60 * day - 1);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toHaveBeenCalledTimes(1);
});

it('ends within five minutes after its key is removed, for all listeners, and stops its checks', async () => {
  let revoked = false;
  const isOver = vi.fn(async () => revoked);
  const session = createSession({ viewer: { ...viewer, expiresAt: Date.now() + day }, now: Date.now, isOver });
  const ended = vi.fn();
  for (let count = 0; count < 3; count += 1) session.onEnd(ended);
  await vi.advanceTimersByTimeAsync(12 * 60_000);
  expect([isOver.mock.calls.length, ended.mock.calls.length]).toEqual([2, 0]);
  revoked = true;
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect([isOver.mock.calls.length, ended.mock.calls.length]).toEqual([3, 3]);
  expect(vi.getTimerCount()).toBe(0);
});

it('has no timer without listeners', () => {
  const session = createSession({
    viewer: { ...viewer, expiresAt: Date.now() + day },
    now: Date.now,
    isOver: async () => false,
  });
  const stop = [session.onEnd(() => undefined), session.onEnd(() => undefined)];
  expect(vi.getTimerCount()).toBe(1);
  for (const each of stop) each();
  expect(vi.getTimerCount()).toBe(0);
});
