import { describe, expect, it, vi } from 'vitest';
import { ReadOnce } from '../../src/reads/pin.ts';
import { runsAll } from '../support/atRandom.ts';
import { usedMemory } from '../support/memory.ts';

describe('a loader', () => {
  it('returns a value at once if the read does, and reads each key once', () => {
    const read = vi.fn((id: number) => `value ${id}`);
    const loader = new ReadOnce(read);
    expect([loader.load(1), loader.load(2), loader.load(1)]).toEqual(['value 1', 'value 2', 'value 1']);
    expect(read.mock.calls).toEqual([[1], [2]]);
  });

  it.runIf(runsAll)('takes little memory before its first read, because a pin has many loaders', async () => {
    const read = (id: number) => id;
    const before = await usedMemory();
    const loaders = Array.from({ length: 20_000 }, () => new ReadOnce(read));
    expect(((await usedMemory()) - before) / loaders.length).toBeLessThan(150);
  });

  it('returns a promise while a read is in progress, and the value at once afterwards', async () => {
    const read = vi.fn((id: number) => Promise.resolve(`value ${id}`));
    const loader = new ReadOnce(read);
    const [first, second] = [loader.load(1), loader.load(1)];
    expect(first).toBeInstanceOf(Promise);
    expect(await Promise.all([first, second])).toEqual(['value 1', 'value 1']);
    expect(loader.load(1)).toBe('value 1');
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('keeps a failed read for its key, and never throws', async () => {
    const read = vi.fn((id: number): string => {
      throw new Error(`no ${id}`);
    });
    const loader = new ReadOnce(read);
    await expect(loader.load(1)).rejects.toThrow('no 1');
    await expect(loader.load(1)).rejects.toThrow('no 1');
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('does not read a primed value, and does not replace a value that is present', () => {
    const read = vi.fn((id: number) => ({ id, from: 'read' }));
    const loader = new ReadOnce(read);
    loader.load(1);
    const keyOf = vi.fn(({ id }: { readonly id: number }) => id);
    loader.prime(
      [1, 2].map((id) => ({ id, from: 'list' })),
      keyOf,
    );
    expect(keyOf).not.toHaveBeenCalled();
    expect([loader.load(1), loader.load(2)]).toEqual([
      { id: 1, from: 'read' },
      { id: 2, from: 'list' },
    ]);
    expect(read).toHaveBeenCalledTimes(1);
  });
});
