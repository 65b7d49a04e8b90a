import { GraphQLError } from 'graphql';
import { expect, it } from 'vitest';
import { leftError } from '../../../src/answers/errors.ts';
import type { HeadBlock } from '../../../src/chain/blocks/head.ts';
import { createMemoryBudget } from '../../../src/chain/memory/memoryBudget.ts';
import { createLimits } from '../../../src/config/limits/limits.ts';
import { createLiveResult, type Executed, sizeOfResult } from '../../../src/graphql/live/liveResult.ts';
import { createLiveListener, createLiveTopic, type LiveListener } from '../../../src/graphql/live/liveTopic.ts';
import { heightPlace } from '../../../src/reads/pin.ts';
import { createRates } from '../../../src/server/rateLimits/rates.ts';

/** A promise that the test resolves. */
function createGate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A topic over a chain whose blocks, roots and executions the test controls. */
function createWorld({ memory = 1_000_000_000 } = {}) {
  const blocks = new Set<(block: HeadBlock) => void>();
  let height = 10n;
  const block = (): HeadBlock => ({ height }) as HeadBlock;
  /** The content of the only store by height; by default that of the height before it. */
  const content = new Map<bigint, string>([[10n, 'a']]);
  const contentAt = (at: bigint): string => content.get(at) ?? contentAt(at - 1n);
  const learning = new Map<bigint, ReturnType<typeof createGate>>();
  const unknown = new Set<bigint>();
  const executed: bigint[] = [];
  const held = new Map<bigint, ReturnType<typeof createGate>>();
  const counts = { executions: 0, unchanged: 0 };
  const results = createMemoryBudget({ bytes: memory }).cache('answers', 'live', sizeOfResult);
  const world = {
    /** Errors of the nodes, while set. */
    isFailing: false,
    /** Whether a result depends on its height. */
    isOfHeight: false,
    ended: 0,
  };
  const topic = createLiveTopic({
    key: 'key',
    head: {
      current: block,
      onBlock(listener) {
        blocks.add(listener);
        return () => blocks.delete(listener);
      },
    },
    roots: {
      keyAt: (at) => (unknown.has(at) || learning.has(at) ? undefined : contentAt(at)),
      areSame: () => false,
      timeAt: (at) => at,
      settled: (at) => learning.get(at)?.promise,
    },
    async execute(at, signal): Promise<Executed> {
      executed.push(at);
      const text = world.isFailing ? 'failed' : contentAt(at);
      await held.get(at)?.promise;
      signal.throwIfAborted();
      const carried = world.isFailing || world.isOfHeight ? undefined : { stores: [], validUntil: null, reads: 1, named: [] };
      const json = JSON.stringify({ data: text, extensions: { height: heightPlace.toString() } });
      return { result: createLiveResult(json), carried, isFailed: world.isFailing, points: 1, lacking: [], failure: undefined };
    },
    results,
    chain: () => '',
    refuse: (listener) => listener.cut(new GraphQLError('refused')),
    mask: (error) => new GraphQLError(String(error)),
    counts,
    left: leftError(),
    onEmpty: () => {
      world.ended += 1;
    },
  });
  const rates = createRates(createLimits());

  function listen(from = height) {
    const sent: string[] = [];
    const drained = new Set<() => void>();
    const socket = { sent, isFull: false, ends: [] as string[] };
    const listener: LiveListener = createLiveListener({
      caller: rates.of('a'),
      from,
      wantsPatch: false,
      covered: () => undefined,
      catchUp: topic.catchUp,
      onGone: topic.remove,
      sink: {
        send({ json }) {
          const { data, extensions } = JSON.parse(String(json));
          sent.push(`${data}@${extensions.height}`);
        },
        isFull: () => socket.isFull,
        onceDrained(wake) {
          drained.add(wake);
          return () => drained.delete(wake);
        },
        copies: () => false,
        unsent: () => 0,
        onceSent: () => undefined,
        destroy: () => undefined,
        interrupt: ({ message }) => void socket.ends.push(message),
        end: (errors) => void socket.ends.push(...(errors ?? []).map(({ message }) => message)),
      },
    });
    topic.join(listener);
    return Object.assign(socket, {
      listener,
      drain() {
        socket.isFull = false;
        const waiting = [...drained];
        drained.clear();
        for (const wake of waiting) wake();
      },
    });
  }

  /** Lets everything that does not wait for the test run. */
  const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

  return Object.assign(world, {
    ...{ topic, listen, settle, executed, counts, unknown, content, results },
    /** Announces the next block. With `learns`, its roots are not known before the returned function is called. */
    next(text?: string, { learns = false } = {}): () => void {
      height += 1n;
      if (text !== undefined) content.set(height, text);
      const at = height;
      if (learns) learning.set(at, createGate());
      for (const listener of [...blocks]) listener(block());
      return () => {
        const { resolve } = learning.get(at)!;
        learning.delete(at);
        resolve();
      };
    },
    skip(count: bigint): void {
      height += count;
      for (const listener of [...blocks]) listener(block());
    },
    rewind(to: bigint, text: string): void {
      height = to;
      content.set(to, text);
      topic.restart();
      for (const listener of [...blocks]) listener(block());
    },
    /** Holds the execution at a height until the returned function is called. */
    hold(at: bigint): () => void {
      held.set(at, createGate());
      return () => held.get(at)!.resolve();
    },
    listeners: () => blocks.size,
  });
}

it('waits for the roots of a block that are being learnt, and executes only if they have changed', async () => {
  const world = createWorld();
  const { sent } = world.listen();
  await world.settle();
  const know = world.next(undefined, { learns: true });
  await world.settle();
  expect(world.executed).toEqual([10n]);
  know();
  await world.settle();
  expect([world.executed, world.counts.unchanged]).toEqual([[10n], 1]);
  const knowChange = world.next('b', { learns: true });
  await world.settle();
  expect(world.executed).toEqual([10n]);
  knowChange();
  await world.settle();
  expect([world.executed, sent]).toEqual([
    [10n, 12n],
    ['a@10', 'b@12'],
  ]);
});

it('executes at a block whose roots could not be learnt', async () => {
  const world = createWorld();
  const { sent } = world.listen();
  await world.settle();
  world.unknown.add(11n);
  world.next();
  await world.settle();
  expect([world.executed, sent]).toEqual([[10n, 11n], ['a@10']]);
});

it('executes at every block in order while it is behind, and continues at the newest when it is too far behind', async () => {
  const world = createWorld();
  const { sent } = world.listen();
  await world.settle();
  const go = world.hold(11n);
  for (const text of ['b', 'c', 'b', 'd']) world.next(text);
  await world.settle();
  go();
  await world.settle();
  expect(sent).toEqual(['a@10', 'b@11', 'c@12', 'b@13', 'd@14']);
  world.content.set(40n, 'e');
  world.content.set(50n, 'f');
  world.skip(36n);
  await world.settle();
  expect(sent.slice(5)).toEqual(['f@50']);
  expect(world.executed.at(-1)).toBe(50n);
});

it('a result that depends on its height is executed at each block, and sent only where it differs', async () => {
  const world = createWorld();
  world.isOfHeight = true;
  const { sent } = world.listen();
  await world.settle();
  for (const text of [undefined, undefined, 'b']) {
    world.next(text);
    await world.settle();
  }
  expect([world.executed, sent]).toEqual([
    [10n, 11n, 12n, 13n],
    ['a@10', 'b@13'],
  ]);
});

it('after a rewind it executes again, and drops the result of an execution from before it', async () => {
  const world = createWorld();
  const { sent } = world.listen();
  await world.settle();
  world.next('b');
  await world.settle();
  world.rewind(11n, 'c');
  await world.settle();
  expect(sent).toEqual(['a@10', 'b@11', 'c@11']);
  const go = world.hold(12n);
  world.next('d');
  await world.settle();
  world.rewind(12n, 'e');
  go();
  await world.settle();
  expect([world.executed, sent]).toEqual([
    [10n, 11n, 11n, 12n, 12n],
    ['a@10', 'b@11', 'c@11', 'e@12'],
  ]);
  // An equal result at the replaced block is not sent again.
  world.rewind(12n, 'e');
  await world.settle();
  expect([world.executed.length, sent.length]).toEqual([6, 4]);
});

it('a failed result never replaces a good one, whether the client is new or not, and any other result replaces a failed one', async () => {
  const world = createWorld();
  world.isFailing = true;
  const first = world.listen();
  await world.settle();
  world.isFailing = false;
  world.next();
  await world.settle();
  world.isFailing = true;
  world.next('b');
  await world.settle();
  const second = world.listen();
  await world.settle();
  expect([first.sent, second.sent]).toEqual([['failed@10', 'a@11'], ['a@11']]);
  world.isFailing = false;
  world.next();
  await world.settle();
  expect([first.sent, second.sent]).toEqual([
    ['failed@10', 'a@11', 'b@13'],
    ['a@11', 'b@13'],
  ]);
});

it('a full socket holds nothing: it gets the newest result when it drains, and nothing if it has it', async () => {
  const world = createWorld();
  const slow = world.listen();
  const fast = world.listen();
  await world.settle();
  slow.isFull = true;
  for (const text of ['b', 'c', 'd']) {
    world.next(text);
    await world.settle();
  }
  slow.drain();
  expect(slow.sent).toEqual(['a@10', 'd@13']);
  slow.isFull = true;
  for (const text of ['e', 'd']) {
    world.next(text);
    await world.settle();
  }
  slow.drain();
  await world.settle();
  expect(slow.sent).toEqual(['a@10', 'd@13']);
  expect(fast.sent).toEqual(['a@10', 'b@11', 'c@12', 'd@13', 'e@14', 'd@15']);
});

it('clients that join at one block share its execution, and get a result of that block or a later one', async () => {
  const world = createWorld();
  const go = world.hold(11n);
  const early = world.listen();
  await world.settle();
  world.next('b');
  await world.settle();
  const during = [world.listen(), world.listen(), world.listen(10n)];
  await world.settle();
  expect(during.map(({ sent }) => sent)).toEqual([[], [], ['a@10']]);
  go();
  await world.settle();
  const late = world.listen();
  expect([early.sent, ...during.map(({ sent }) => sent), late.sent]).toEqual([
    ['a@10', 'b@11'],
    ['b@11'],
    ['b@11'],
    ['a@10', 'b@11'],
    ['b@11'],
  ]);
  expect(world.executed).toEqual([10n, 11n]);
});

it('a result that was evicted from memory is executed again for the client that needs it', async () => {
  const world = createWorld();
  const slow = world.listen();
  await world.settle();
  slow.isFull = true;
  world.next('b');
  await world.settle();
  world.results.clear();
  slow.drain();
  const late = world.listen();
  await world.settle();
  expect([slow.sent, late.sent, world.executed]).toEqual([['a@10', 'b@11'], ['b@11'], [10n, 11n, 11n]]);
  world.next();
  await world.settle();
  expect([world.executed.length, world.counts.unchanged]).toEqual([3, 1]);
});

it('works without memory for results', async () => {
  const world = createWorld({ memory: 1 });
  const [one, other] = [world.listen(), world.listen()];
  await world.settle();
  world.next('b');
  await world.settle();
  expect([one.sent, other.sent]).toEqual([
    ['a@10', 'b@11'],
    ['a@10', 'b@11'],
  ]);
});

it('ends with its last listener, drops its result, and follows no further block', async () => {
  const world = createWorld();
  const [one, other] = [world.listen(), world.listen()];
  await world.settle();
  one.listener.leave();
  expect([world.ended, world.listeners()]).toEqual([0, 1]);
  world.hold(11n);
  world.next('b');
  await world.settle();
  other.listener.cut(new GraphQLError('over'));
  expect([world.ended, world.listeners(), world.results.counts().entries, other.ends]).toEqual([1, 0, 0, ['over']]);
});
