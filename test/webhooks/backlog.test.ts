import { expect, it } from 'vitest';
import { createBacklog } from '../../src/webhooks/backlog.ts';

const event = (height: bigint, bytes: number) => ({ height, position: 0, members: '', bytes });

it('counts an event that waits in several queues once, until the last of them lets it go', () => {
  const backlog = createBacklog(100);
  const [shared, own] = [event(1n, 80), event(2n, 30)];
  for (let queue = 0; queue < 1_000; queue += 1) backlog.hold(shared);
  expect([backlog.bytes(), backlog.isFull()]).toEqual([80, false]);
  backlog.hold(own);
  expect([backlog.bytes(), backlog.isFull()]).toEqual([110, true]);
  for (let queue = 0; queue < 999; queue += 1) backlog.release(shared);
  expect(backlog.bytes()).toBe(110);
  backlog.release(shared);
  backlog.release(shared);
  expect([backlog.bytes(), backlog.isFull()]).toEqual([30, false]);
  backlog.release(own);
  expect(backlog.bytes()).toBe(0);
});
