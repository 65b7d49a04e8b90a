import { expect, it } from 'vitest';
import { createBoundedTable } from '../../../src/server/rateLimits/clientLimits.ts';

it('an entry is current until its value is evicted, and the shared value never is', () => {
  let isIdle = true;
  const table = createBoundedTable({ max: 2, make: () => ({ points: 5 }), isIdle: () => isIdle });
  const [first, second] = [table.entry('first'), table.entry('second')];
  expect([first.isCurrent, second.isCurrent]).toEqual([true, true]);
  expect(table.entry('first')).toBe(first);
  const third = table.entry('third');
  expect([first.isCurrent, second.isCurrent, third.isCurrent]).toEqual([false, true, true]);
  isIdle = false;
  const shared = table.entry('fourth');
  expect(shared.isCurrent).toBe(false);
  expect(table.of('fifth')).toBe(shared.value);
  isIdle = true;
  expect(table.entry('fourth').value).not.toBe(shared.value);
});
