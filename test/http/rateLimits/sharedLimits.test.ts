import { describe, expect, it } from 'vitest';
import type { Refused } from '../../../src/answers/caller.ts';
import { createLimits, type Limits } from '../../../src/config/limits/limits.ts';
import { createSharedCounters } from '../../../src/server/rateLimits/counters.ts';
import { createRates, type Rates } from '../../../src/server/rateLimits/rates.ts';
import { createTurns } from '../../../src/server/rateLimits/turns.ts';
import { createLocalStore } from '../../../src/shared/localStore.ts';
import { type SharedStore, storeWaits } from '../../../src/shared/sharedStore.ts';
import { runsAll } from '../../support/atRandom.ts';

/** The limits of several processes that share a store. Time stands still. */
function startProcesses(count: number, changed: Partial<Limits>, change = (store: SharedStore): SharedStore => store): Rates[] {
  const limits = { ...createLimits(), 'shared.wait': 10_000, ...changed };
  const store = createLocalStore({ maxBytes: 1_000, maxValue: 100, now: () => 0 });
  return Array.from({ length: count }, (_, index) => {
    const sharing = createSharedCounters(change(store.of(`process ${index}`)), { waits: storeWaits(limits), now: () => 0 });
    return createRates(limits, () => 0, createTurns(), sharing);
  });
}

/** Requests of one caller that arrive at all processes in one turn of the event loop. Returns how many pass, and the limits that refuse the others. */
async function burst(processes: readonly Rates[], requests: number, points: number, broadcasts: number) {
  const refusals = await Promise.all(
    Array.from({ length: requests }, async (_, index): Promise<Refused | undefined> => {
      const caller = processes[index % processes.length]!.of('subject somebody');
      await caller.fresh();
      return caller.take(points, broadcasts);
    }),
  );
  const refused = refusals.filter((each) => each !== undefined);
  return { passed: requests - refused.length, limits: [...new Set(refused.map(({ limit }) => limit))] };
}

describe('a burst of one caller at several processes, before any has heard of the others', () => {
  it.each([1, 2, 3, 10])('passes exactly rate.broadcasts broadcasts (%i processes)', async (count) => {
    const processes = startProcesses(count, { 'rate.broadcasts': 30 });
    expect(await burst(processes, 80, 2, 1)).toEqual({ passed: 30, limits: ['rate.broadcasts'] });
  });

  it.runIf(runsAll).each([
    [1, 1],
    [3, 1],
    [3, 7],
    [3, 400],
    [10, 1],
    [10, 50],
  ])('passes rate.burst points within 10 % (%i processes, requests of %i points)', async (count, points) => {
    const processes = startProcesses(count, { 'rate.burst': 10_000, 'rate.points': 10_000 });
    const { passed, limits } = await burst(processes, Math.ceil(30_000 / points), points, 0);
    expect(limits).toEqual(['rate.points']);
    expect((passed * points) / 10_000).toBeGreaterThan(0.9);
    expect((passed * points) / 10_000).toBeLessThanOrEqual(1.1);
  });

  it('takes no broadcast whose points are refused', async () => {
    const processes = startProcesses(2, { 'rate.broadcasts': 30, 'rate.burst': 100, 'rate.points': 100 });
    expect(await burst(processes, 20, 10, 1)).toEqual({ passed: 10, limits: ['rate.points'] });
    expect(await burst(processes, 80, 0, 1)).toEqual({ passed: 20, limits: ['rate.broadcasts'] });
  });

  it('passes the limit in each process while the store cannot be used, or does not answer', async () => {
    const lost = startProcesses(2, { 'rate.broadcasts': 30 }, (store) => ({ ...store, isUsable: () => false }));
    expect(await burst(lost, 80, 0, 1)).toEqual({ passed: 60, limits: ['rate.broadcasts'] });
    const failing = startProcesses(2, { 'rate.broadcasts': 30 }, (store) => ({ ...store, count: async () => undefined }));
    expect(await burst(failing, 80, 0, 1)).toEqual({ passed: 60, limits: ['rate.broadcasts'] });
    let asked = 0;
    const silent = startProcesses(2, { 'rate.broadcasts': 30, 'shared.wait': 20 }, (store) => ({
      ...store,
      count: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
    }));
    expect(await burst(silent, 80, 0, 1)).toEqual({ passed: 60, limits: ['rate.broadcasts'] });
    // Nobody waits for it again.
    const before = asked;
    expect(await burst(silent, 20, 0, 1)).toEqual({ passed: 0, limits: ['rate.broadcasts'] });
    expect(asked).toBe(before);
  });
});

describe('the limits of a client', () => {
  const viewer = (subject: string, clientId: string) => ({
    subject,
    clientId,
    scopes: [],
    expiresAt: Number.POSITIVE_INFINITY,
  });
  const limits = {
    'client.points': 1_000,
    'client.broadcasts': 5,
    'client.streams': 3,
    'rate.burst': 800,
    'rate.points': 800,
    'rate.broadcasts': 4,
  };

  it.each([1, 2])('hold for all of its subjects together, besides those of each subject (%i processes)', async (count) => {
    const processes = startProcesses(count, limits);
    const of = (subject: string, index: number, client = 'app') => processes[index % count]!.ofSubject(viewer(subject, client));
    expect(await of('one', 0).take(800)).toBeUndefined();
    expect(await of('one', 1).take(100)).toMatchObject({ limit: 'rate.points', max: 800 });
    expect(await of('two', 1).take(200)).toBeUndefined();
    expect(await of('two', 0).take(200)).toMatchObject({ limit: 'client.points', max: 1_000, remaining: 0 });
    // Another client has its own.
    expect(await of('two', 0, 'other').take(200)).toBeUndefined();

    for (let sent = 0; sent < 4; sent += 1) expect(await of('three', sent).take(0, 1)).toBeUndefined();
    expect(await of('three', 0).take(0, 1)).toMatchObject({ limit: 'rate.broadcasts', max: 4 });
    expect(await of('four', 1).take(0, 1)).toBeUndefined();
    expect(await of('four', 0).take(0, 1)).toMatchObject({ limit: 'client.broadcasts', max: 5 });
  });

  it('count its streams', () => {
    const [process] = startProcesses(1, limits);
    const streams = ['one', 'two', 'three'].map((subject) => process!.ofSubject(viewer(subject, 'app')).openStream());
    expect(streams.every((stream) => 'end' in stream)).toBe(true);
    expect(process!.ofSubject(viewer('four', 'app')).openStream()).toMatchObject({ limit: 'client.streams', max: 3 });
    const [first] = streams;
    if ('end' in first!) first.end();
    expect(process!.ofSubject(viewer('four', 'app')).openStream()).toHaveProperty('end');
  });

  it('are off by default', async () => {
    const [process] = startProcesses(1, {});
    for (let subject = 0; subject < 200; subject += 1) {
      expect(await process!.ofSubject(viewer(`${subject}`, 'app')).take(100_000, 60)).toBeUndefined();
    }
  });
});
