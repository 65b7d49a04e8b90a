import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRounds } from '../../../src/chain/base/rounds.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('each member is visited once in every interval, whenever it was added', () => {
  const visits = new Map<string, number>();
  const rounds = createRounds<string>(1_600, (name) => visits.set(name, (visits.get(name) ?? 0) + 1));
  for (const name of ['a', 'b', 'c']) {
    rounds.add(name);
    vi.advanceTimersByTime(250);
  }
  vi.advanceTimersByTime(800);
  expect(visits).toEqual(new Map());
  vi.advanceTimersByTime(1_600);
  expect(visits).toEqual(new Map([...'abc'].map((name) => [name, 1])));
  vi.advanceTimersByTime(16_000);
  expect(visits).toEqual(new Map([...'abc'].map((name) => [name, 11])));
});

it('one timer serves all members and stops with the last one', () => {
  const visited: number[] = [];
  const rounds = createRounds<number>(1_600, (member) => {
    visited.push(member);
    rounds.delete(member);
  });
  for (let member = 0; member < 1_000; member += 1) rounds.add(member);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1_700);
  expect(visited).toHaveLength(1_000);
  expect(vi.getTimerCount()).toBe(0);
  rounds.add(1);
  expect(vi.getTimerCount()).toBe(1);
});
