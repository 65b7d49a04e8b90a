import { expect, it } from 'vitest';
import { createRequestId } from '../../../src/server/observability/requestLog.ts';

it('request ids are distinct UUIDs of version 4, with every digit at every place that is random', () => {
  const ids = Array.from({ length: 2_000 }, createRequestId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const counts = Array.from({ length: 36 }, (_, place) => new Set(ids.map((id) => id[place])).size);
  expect(counts.map((count, place) => (count === 16 ? '' : `${place}:${count}`)).filter(Boolean)).toEqual([
    '8:1',
    '13:1',
    '14:1',
    '18:1',
    '19:4',
    '23:1',
  ]);
});
