import { describe, expect, test } from 'vitest';
import { backoff } from '../../src/chain/base/time.ts';

describe('The waits between tries', () => {
  test('double after each failure, up to the largest', () => {
    const waitAfter = backoff({ first: 100, max: 1_000 });
    expect([1, 2, 3, 4, 5, 50, 5_000].map(waitAfter)).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000]);
  });

  test('are never shorter than their fixed part, and never longer than without jitter', () => {
    const [full, half] = [backoff({ first: 100, jitter: 1 }), backoff({ first: 100, jitter: 0.5 })];
    const waits = Array.from({ length: 500 }, () => [full(2), half(2)] as const);
    const fullWaits = waits.map(([wait]) => wait);
    const halfWaits = waits.map(([, wait]) => wait);
    expect(Math.min(...fullWaits)).toBeLessThan(40);
    expect(Math.max(...fullWaits)).toBeGreaterThan(160);
    expect(Math.max(...fullWaits)).toBeLessThanOrEqual(200);
    expect(Math.min(...halfWaits)).toBeGreaterThanOrEqual(100);
    expect(Math.min(...halfWaits)).toBeLessThan(120);
    expect(Math.max(...halfWaits)).toBeGreaterThan(180);
    expect(Math.max(...halfWaits)).toBeLessThanOrEqual(200);
  });
});
