import { expect, it } from 'vitest';
import { createTurns, type Turns } from '../../../src/server/rateLimits/turns.ts';

/** Turns in a simulated event loop: each iteration runs the deferred functions in order. */
function createLoop(): {
  readonly turns: Turns;
  /** Requests a turn for a caller whose work takes this long. */
  ask(caller: string, name: string, milliseconds: number, delay?: number): { cancel(): void } | undefined;
  /** The work that has begun. */
  readonly begun: string[];
  iterate(): Promise<void>;
} {
  let time = 0;
  let deferred: (() => void)[] = [];
  const begun: string[] = [];
  let idle = 0;
  const turns = createTurns({
    now: () => time,
    idle: () => idle,
    defer: (work) => void deferred.push(work),
  });
  return {
    turns,
    begun,
    ask(caller, name, milliseconds, delay) {
      const work = (): void => {
        begun.push(name);
        time += milliseconds;
      };
      const turn = turns.take(caller, delay);
      if (turn === undefined) work();
      else void turn.begun.then(work);
      return turn;
    },
    async iterate() {
      const now = deferred;
      if (now.length === 0) idle += 1;
      deferred = [];
      for (const work of now) {
        work();
        await new Promise(setImmediate);
      }
    },
  };
}

const [hostile, honest, other] = ['hostile', 'honest', 'other'];

it('while no request waits, a request begins at once, and so does the next one while little time is used', async () => {
  const { ask, begun, iterate, turns } = createLoop();
  for (let index = 0; index < 5; index += 1) expect(ask(honest, `${index}`, 0.5)).toBeUndefined();
  expect(begun).toEqual(['0', '1', '2', '3', '4']);
  await iterate();
  expect(turns.waiting()).toBe(0);
});

it('after long work, a request waits until pending I/O is handled', async () => {
  const { ask, begun, iterate } = createLoop();
  expect(ask(hostile, 'long', 25)).toBeUndefined();
  expect(ask(honest, 'short', 0.1)).toBeDefined();
  expect(begun).toEqual(['long']);
  await iterate();
  await iterate();
  expect(begun).toEqual(['long', 'short']);
});

it('a caller waits for one request of another caller, however many that one has', async () => {
  const { ask, begun, iterate } = createLoop();
  for (let index = 0; index < 100; index += 1) ask(hostile, `hostile ${index}`, 25);
  await iterate();
  for (let round = 0; round < 10; round += 1) {
    const before = begun.length;
    ask(honest, `honest ${round}`, 0.1);
    await iterate();
    await iterate();
    const order = begun.slice(before);
    expect(order).toContain(`honest ${round}`);
    expect(order.indexOf(`honest ${round}`)).toBeLessThanOrEqual(1);
  }
});

it('while connections are accepted, no waiting request begins, for a bounded time', async () => {
  const { ask, begun, iterate, turns } = createLoop();
  for (const name of ['first', 'second', 'third']) ask(hostile, name, 25);
  for (let count = 0; count < 10; count += 1) {
    turns.accepted();
    await iterate();
  }
  expect(begun.length).toBeLessThanOrEqual(2);
  for (let count = 0; count < 300; count += 1) {
    turns.accepted();
    await iterate();
  }
  expect(begun).toEqual(['first', 'second', 'third']);
});

it('two waiting callers share the time equally, not the number of requests', async () => {
  const { ask, begun, iterate } = createLoop();
  ask(other, 'first', 5);
  for (let index = 0; index < 400; index += 1) {
    ask(hostile, 'hostile', 20);
    ask(honest, 'honest', 1);
  }
  while (begun.filter((name) => name === 'honest').length < 200) await iterate();
  const time = begun.filter((name) => name === 'hostile').length * 20;
  expect(time).toBeGreaterThan(100);
  expect(time).toBeLessThan(400);
});

it('short work passes the longer work of its caller', async () => {
  const { ask, begun, iterate, turns } = createLoop();
  ask(honest, 'first', 25);
  for (let index = 0; index < 3; index += 1) ask(honest, `long ${index}`, 1, 100);
  for (let index = 0; index < 3; index += 1) ask(honest, `short ${index}`, 1);
  while (turns.waiting() > 0) await iterate();
  expect(begun).toEqual(['first', 'short 0', 'short 1', 'short 2', 'long 0', 'long 1', 'long 2']);
});

it('long work that has waited for its delay is not passed any more', async () => {
  const { ask, begun, iterate, turns } = createLoop();
  ask(honest, 'first', 25);
  ask(honest, 'long', 1, 100);
  ask(honest, 'before', 150);
  while (begun.length < 2) await iterate();
  ask(honest, 'after', 1);
  while (turns.waiting() > 0) await iterate();
  expect(begun).toEqual(['first', 'before', 'long', 'after']);
});

it('a request whose client disconnects gives up its turn', async () => {
  const { ask, begun, iterate, turns } = createLoop();
  ask(hostile, 'first', 25);
  const left = ask(hostile, 'left', 25);
  ask(hostile, 'last', 25);
  left?.cancel();
  left?.cancel();
  expect(turns.waiting()).toBe(1);
  for (let index = 0; index < 4; index += 1) await iterate();
  expect(begun).toEqual(['first', 'last']);
  expect(turns.waiting()).toBe(0);
});
