import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Lifetime } from '../../../src/server/lifetime.ts';
import { listen } from '../../../src/server/messages/listen.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a lifetime', () => {
  it('ends at its deadline, counted from its start, whenever the signal is first read', () => {
    vi.useFakeTimers();
    const [early, late, tooLate] = [
      new Lifetime({ milliseconds: 1_000 }),
      new Lifetime({ milliseconds: 1_000 }),
      new Lifetime({ milliseconds: 1_000 }),
    ];
    const { signal } = early;
    vi.advanceTimersByTime(999);
    expect([signal.aborted, late.signal.aborted]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([signal.reason, late.signal.reason]).toMatchObject([{ code: 'NODE_TIMEOUT' }, { code: 'NODE_TIMEOUT' }]);
    expect(late.signal.reason.message).toBe('The response was not ready within 1000 ms.');
    vi.advanceTimersByTime(1_000);
    const last = tooLate.signal;
    vi.advanceTimersByTime(1);
    expect(last.reason).toMatchObject({ code: 'NODE_TIMEOUT' });
  });

  it('has no timer before the signal is read, and none after its end', () => {
    vi.useFakeTimers();
    const [unasked, ended, left] = [
      new Lifetime({ milliseconds: 1_000 }),
      new Lifetime({ milliseconds: 1_000 }),
      new Lifetime({ milliseconds: 1_000 }),
    ];
    expect(vi.getTimerCount()).toBe(0);
    const { signal } = ended;
    expect(left.signal.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(2);
    for (const lifetime of [unasked, ended]) lifetime.end();
    left.cancel();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(5_000);
    expect([signal.aborted, unasked.signal.aborted]).toEqual([false, false]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('tells whether its signal is aborted without making it', () => {
    vi.useFakeTimers();
    const [unasked, left, late] = [
      new Lifetime({ milliseconds: 1_000 }),
      new Lifetime({ milliseconds: 1_000 }),
      new Lifetime({ milliseconds: 1_000 }),
    ];
    left.cancel();
    expect([unasked.aborted, left.aborted, left.signal.aborted]).toEqual([false, true, true]);
    expect(vi.getTimerCount()).toBe(0);
    expect(late.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect([late.aborted, unasked.aborted]).toEqual([true, false]);
  });

  it('ends when the caller disconnects, before or after the signal is read, but not after the response', () => {
    const [asked, unasked, answered] = [
      new Lifetime({ milliseconds: 60_000 }),
      new Lifetime({ milliseconds: 60_000 }),
      new Lifetime({ milliseconds: 60_000 }),
    ];
    const { signal } = asked;
    answered.end();
    for (const lifetime of [asked, unasked, answered]) lifetime.cancel();
    expect([signal.aborted, unasked.signal.aborted, answered.signal.aborted]).toEqual([true, true, false]);
    expect(asked.signal).toBe(signal);
  });
});

describe('the lifetime of a request', () => {
  /** A response whose client is connected. `leave` disconnects it. */
  async function ask(): Promise<{ response: ServerResponse; leave: () => void; close: () => Promise<unknown> }> {
    const server = createServer();
    const url = await listen(server, { host: '127.0.0.1', port: 0, audience: 'public' });
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    const [, response] = await once(server, 'request');
    return { response, leave: () => socket.destroy(), close: () => new Promise((resolve) => server.close(resolve)) };
  }

  it.each(['before', 'after'])('ends when the connection closes, %s the signal is read', async (when) => {
    const { response, leave, close } = await ask();
    const lifetime = new Lifetime({ response, milliseconds: 60_000 });
    const early = when === 'after' ? lifetime.signal : undefined;
    const closed = once(response, 'close');
    leave();
    await closed;
    expect(early?.aborted).toBe(when === 'after' ? true : undefined);
    expect(lifetime.signal.aborted).toBe(true);
    await close();
  });

  it.each(['before', 'after'])('is not aborted by its response, %s the signal is read', async (when) => {
    const { response, leave, close } = await ask();
    const lifetime = new Lifetime({ response, milliseconds: 60_000 });
    const early = when === 'after' ? lifetime.signal : undefined;
    const closed = once(response, 'close');
    response.end('x');
    await closed;
    expect(early?.aborted ?? false).toBe(false);
    expect(lifetime.signal.aborted).toBe(false);
    leave();
    await close();
  });
});
