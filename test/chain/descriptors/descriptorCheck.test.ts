import { expect, it } from 'vitest';
import { createDescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import { createDescriptorCheck } from '../../../src/chain/descriptors/descriptors.ts';
import { readDescriptors } from '../../recordings/recordings.ts';

/** Makes a check that counts decodings. */
function counted(): { check: ReturnType<typeof createDescriptorCheck>; decoded: () => number } {
  let decodings = 0;
  const check = createDescriptorCheck((bytes) => {
    const pool = createDescriptorPool(bytes);
    return {
      ...pool,
      check() {
        decodings += 1;
        return pool.check();
      },
    };
  });
  return { check, decoded: () => decodings };
}

it('equal descriptors are decoded once and share a pool', async () => {
  const { check, decoded } = counted();
  const pools = await Promise.all([1, 2, 3].map(() => check(Buffer.from(readDescriptors()))));
  expect(new Set(pools).size).toBe(1);
  expect(await check(readDescriptors())).toBe(pools[0]);
  expect(decoded()).toBe(1);
});

it('invalid descriptors are rejected without being decoded again, and valid ones stay', async () => {
  const { check, decoded } = counted();
  // Adds an unknown field at the end of the last file, with a length beyond the bytes of that file.
  const name = Buffer.from('\n\u0006a.file\u0022\u0004\u0012\u0002\u0008\u007f', 'latin1');
  const corrupt = Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  corrupt[corrupt.length - 2] = 0x0a;
  const good = await check(readDescriptors());
  for (let time = 0; time < 3; time += 1) {
    await expect(check(Buffer.from(corrupt))).rejects.toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
  }
  expect(decoded()).toBe(2);
  expect(await check(readDescriptors())).toBe(good);
  expect(decoded()).toBe(2);
});

it('decoding the descriptors of a chain yields to other work', async () => {
  const pool = createDescriptorPool(readDescriptors());
  let turns = 0;
  let over = false;
  const turn = (): void => {
    turns += 1;
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  await pool.check();
  over = true;
  // Without a yield, the check would end before the first iteration of the event loop.
  expect(turns).toBeGreaterThan(0);
});
