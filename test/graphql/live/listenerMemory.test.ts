import { expect, it } from 'vitest';
import { createLimits } from '../../../src/config/limits/limits.ts';
import { createLiveResult } from '../../../src/graphql/live/liveResult.ts';
import { createLiveListener, type LiveListener } from '../../../src/graphql/live/liveTopic.ts';
import type { Sink } from '../../../src/graphql/subscriptions/subscriber.ts';
import { heightPlace } from '../../../src/reads/pin.ts';
import { createRates } from '../../../src/server/rateLimits/rates.ts';
import { runsAll } from '../../support/atRandom.ts';
import { collectGarbage } from '../../support/memory.ts';

/** The sink of a client that reads at once. */
const sink: Sink = {
  send: () => undefined,
  isFull: () => false,
  onceDrained: () => () => undefined,
  copies: () => true,
  unsent: () => 0,
  onceSent: () => undefined,
  destroy: () => undefined,
  end: () => undefined,
  interrupt: () => undefined,
};

it.runIf(runsAll)('a listener whose client keeps up takes little memory', () => {
  const caller = createRates(createLimits()).of('a');
  const result = createLiveResult(JSON.stringify({ data: null, extensions: { height: heightPlace.toString() } }));
  const listeners: LiveListener[] = [];
  const catchUp = (): void => undefined;
  function add(count: number): number {
    for (let added = 0; added < count; added += 1) {
      const listener = createLiveListener({
        caller,
        from: 1n,
        sink,
        wantsPatch: false,
        covered: () => 1n,
        catchUp,
        onGone: catchUp,
      });
      listener.offer({ result, height: 1n, previous: undefined });
      listeners.push(listener);
    }
    collectGarbage();
    return process.memoryUsage().heapUsed;
  }
  const before = add(5_000);
  expect((add(5_000) - before) / 5_000).toBeLessThan(400);
});
