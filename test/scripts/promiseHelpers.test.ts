import { fakePromise, fakeRejectPromise, handleMaybePromise as original } from '@whatwg-node/promise-helpers';
import { describe, expect, it, vi } from 'vitest';
import { handleMaybePromise } from '../../scripts/promiseHelpers.ts';

type Handle = typeof handleMaybePromise<unknown, unknown>;
type Handler = (value: unknown) => unknown;

const refuse = (): never => {
  throw new Error('refused');
};

const works: Readonly<Record<string, () => unknown>> = {
  'a value': () => 1,
  undefined: () => undefined,
  null: () => null,
  'an error': refuse,
  'a promise': () => Promise.resolve(1),
  'a promise that rejects': () => Promise.reject(new Error('refused')),
  // biome-ignore lint/suspicious/noThenProperty: such objects are what is tested.
  'an object with then': () => ({ then: (resolve: (value: number) => unknown) => Promise.resolve(resolve(1)) }),
  'a value of the library': () => fakePromise(1),
  'an error of the library': () => fakeRejectPromise(new Error('refused')),
};

const handlers: Readonly<Record<string, Handler>> = {
  'a value': (value) => `handled ${value}`,
  'an error': refuse,
  'a promise': (value) => Promise.resolve(`handled ${value}`),
  'a promise that rejects': () => Promise.reject(new Error('refused again')),
  'a value of the library': (value) => fakePromise(`handled ${value}`),
};

/** What a call returns or throws, whether later, and which of its handlers it called. */
async function outcomeOf(
  handle: Handle,
  work: () => unknown,
  onValue: Handler,
  onError: Handler | undefined,
  onEnd: (() => undefined) | undefined,
): Promise<object> {
  const calls: string[] = [];
  const noted = (name: string, handler: Handler): Handler => {
    return (value) => {
      calls.push(`${name} ${value}`);
      return handler(value);
    };
  };
  let isLater = false;
  try {
    const failing = onError && noted('error', onError);
    const ending = onEnd && (() => void calls.push('end'));
    const result = handle(work, noted('value', onValue), failing, ending);
    isLater = result instanceof Promise;
    return { result: await result, isLater, calls };
  } catch (error) {
    return { error: String(error), isLater, calls };
  }
}

describe('handleMaybePromise does what the library does', () => {
  for (const [of, work] of Object.entries(works))
    for (const [to, onValue] of Object.entries(handlers))
      it.each([
        ['without further handlers', undefined, undefined],
        ['with one for errors', handlers['a value'], undefined],
        ['with one for errors that throws', refuse, undefined],
        ['with one for errors and one for the end', handlers['a value'], () => undefined],
      ])(`from ${of} to ${to}, %s`, async (_, onError, onEnd) => {
        const expected = await outcomeOf(original, work, onValue, onError, onEnd);
        expect(await outcomeOf(handleMaybePromise, work, onValue, onError, onEnd)).toEqual(expected);
      });
});

it('makes no promise where nothing is waited for', () => {
  const onValue = vi.fn((value: number) => value + 1);
  expect(handleMaybePromise(() => 1, onValue)).toBe(2);
  expect(onValue).toHaveBeenCalledOnce();
});
