import { describe, expect, it } from 'vitest';
import { ChainError } from '../../src/chain/base/errors.ts';
import { RequestError } from '../../src/reads/errors.ts';
import { withRetries } from '../../src/reads/stream.ts';

/** Work that fails `failures` times, and the number of its calls. */
function createWork(error: Error, failures: number) {
  const counts = { begun: 0 };
  return {
    counts,
    async work(): Promise<string> {
      counts.begun += 1;
      if (counts.begun <= failures) throw error;
      return 'done';
    },
  };
}

const { signal } = new AbortController();
// The first wait is 0.1 µs and doubles: the tenth is 0.1 ms.
const backoff = 0.0001;

describe('withRetries', () => {
  it.each([
    new ChainError('NODE_UNREACHABLE', 'no', {}),
    new ChainError('NODE_TIMEOUT', 'no', { milliseconds: 1 }),
    new ChainError('HEIGHT_NOT_YET_AVAILABLE', 'no', { height: 1n }),
  ])('retries until a node responds: $code', async (error) => {
    const { work, counts } = createWork(error, 12);
    expect(await withRetries(work, { signal, backoff })).toBe('done');
    expect(counts.begun).toBe(13);
  });

  it.each([
    new ChainError('NODE_INVALID_RESPONSE', 'no', {}),
    new ChainError('ABCI_QUERY_FAILED', 'no', { abciCode: 6, codespace: 'sdk', log: 'no' }),
  ])('tries five times if waiting does not help: $code', async (error) => {
    const cured = createWork(error, 4);
    expect(await withRetries(cured.work, { signal, backoff })).toBe('done');
    const { work, counts } = createWork(error, 5);
    await expect(withRetries(work, { signal, backoff })).rejects.toBe(error);
    expect(counts.begun).toBe(5);
  });

  it.each([
    new ChainError('HEIGHT_PRUNED', 'no', { height: 1n }),
    new RequestError('BAD_USER_INPUT', 'no', {}),
    new TypeError('no'),
  ])('tries once if the error is final: $name', async (error) => {
    const { work, counts } = createWork(error, 1);
    await expect(withRetries(work, { signal, backoff })).rejects.toBe(error);
    expect(counts.begun).toBe(1);
  });

  it.each(['signal', 'readSignal'])('does not retry after %s is aborted', async (which) => {
    const controller = new AbortController();
    const left = new ChainError('NODE_UNREACHABLE', 'left', {});
    const { work, counts } = createWork(left, 99);
    const failing = (): Promise<string> => {
      if (counts.begun === 2) controller.abort(left);
      return work();
    };
    await expect(withRetries(failing, { signal, backoff, [which]: controller.signal })).rejects.toBe(left);
    expect(counts.begun).toBe(3);
  });
});
