import { describe, expect, it } from 'vitest';
import { all, andThen, attempt, both } from '../../src/reads/pin.ts';

const broken = (): never => {
  throw new Error('broken');
};

describe('a known value', () => {
  it('is passed on without a promise', () => {
    expect(andThen(1, (one) => one + 1)).toBe(2);
    expect(both(1, 'a', (one, letter) => `${one}${letter}`)).toBe('1a');
    expect(all([1, 2])).toEqual([1, 2]);
    expect(attempt(() => 3)).toBe(3);
  });

  it('becomes a rejected promise if the function throws, so that no other promise is left without a handler', async () => {
    for (const failed of [andThen(1, broken), both(1, 2, broken), attempt(broken)]) {
      expect(failed).toBeInstanceOf(Promise);
      await expect(failed).rejects.toThrow('broken');
    }
  });
});

describe('a promise', () => {
  it('a promise is awaited before its value is used', async () => {
    expect(await andThen(Promise.resolve(1), (one) => Promise.resolve(one + 1))).toBe(2);
    expect(await both(1, Promise.resolve('a'), (one, letter) => `${one}${letter}`)).toBe('1a');
    expect(await both(Promise.resolve(1), 'a', (one, letter) => `${one}${letter}`)).toBe('1a');
    expect(await all([1, Promise.resolve(2)])).toEqual([1, 2]);
  });

  it('of two rejects the result, and the other one is handled', async () => {
    const failing = (text: string): Promise<never> => Promise.reject(new Error(text));
    await expect(both(failing('one'), failing('two'), () => 1)).rejects.toThrow('one');
    await expect(all([failing('one'), 2, failing('three')])).rejects.toThrow('one');
  });
});
