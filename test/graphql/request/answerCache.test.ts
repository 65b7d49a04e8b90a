import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Asker, plainBody } from '../../../src/answers/answer.ts';
import { type AnswerKey, createAnswerCache, type Made, type MakeAnswer } from '../../../src/answers/answerCache.ts';
import { createMemoryBudget } from '../../../src/chain/memory/memoryBudget.ts';
import { unknownRoots } from '../../../src/chain/roots/stateRoots.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { withoutRoots } from '../../support/answers.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { memoryOfShare, usedMemory } from '../../support/memory.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeEach(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready();
});

afterEach(async () => {
  await stack.close();
  await chain.devnet.close();
});

interface Reply {
  readonly cache: string | null;
  readonly text: string;
}

async function ask(query: string, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  return { cache: response.headers.get('cache-status'), text: await response.text() };
}

const [hit, miss] = ['stele; hit', 'stele; fwd=miss'];

describe('a whole answer', () => {
  it('is cached byte for byte for its height, and executed again for the next block', async () => {
    const question = '{ head { height hash } groups { nodes { id } } }';
    const first = await ask(question);
    expect(first.cache).toBe(miss);
    chain.node.counters.reset();
    expect(await ask(question)).toEqual({ cache: hit, text: first.text });
    expect(await ask(question, { 'x-cosmos-block-height': chain.devnet.height.toString() })).toEqual({
      cache: hit,
      text: first.text,
    });
    expect(chain.node.counters.byMethod.abci_query).toBeUndefined();

    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    const next = await ask(question);
    expect(next.cache).toBe(miss);
    expect(next.text).not.toBe(first.text);
    // The answer at the old height has not changed.
    expect((await ask(question, { 'x-cosmos-block-height': '1' })).text).toBe(first.text);
  });

  it('with `at` is cached', async () => {
    const question = '{ at(height: 1) { height head { asOfHeight } group(id: 1) { version asOfHeight } } }';
    const first = await ask(question);
    expect(first.text).toContain('"asOfHeight":"1"');
    expect(first.cache).toBe(miss);
    expect(await ask(question)).toMatchObject({ cache: hit, text: first.text });
  });

  it('is shared by equal concurrent requests', async () => {
    const question = '{ groups { nodes { metadata } } }';
    const held: { release?: () => void } = {};
    chain.node.faults.gate = new Promise<void>((resolve) => {
      held.release = resolve;
    });
    const replies = Array.from({ length: 5 }, () => ask(question));
    held.release!();
    const all = await Promise.all(replies);
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    expect(all.map(({ cache }) => cache).sort()).toEqual([miss, hit, hit, hit, hit].sort());
  });

  it('is not shared if it broadcasts or checks a transaction, even if the request escapes the field names', async () => {
    const { accounts } = chain;
    const tx = `0x${Buffer.from(chain.sign(accounts[0]!, [])).toString('hex')}`;
    const post = (query: string, escaped: boolean): Promise<Reply[]> => {
      const text = JSON.stringify({ query });
      const body = escaped ? text.replace('mutation', 'mut\\u0061tion').replace('checkTx', 'check\\u0054x') : text;
      return Promise.all(
        [1, 2, 3].map(async () => {
          const headers = { 'content-type': 'application/json' };
          const response = await fetch(`${stack.server.url}/graphql`, { method: 'POST', headers, body });
          return { cache: response.headers.get('cache-status'), text: await response.text() };
        }),
      );
    };
    for (const escaped of [false, true]) {
      chain.node.counters.reset();
      const checks = await post(`{ checkTx(tx: "${tx}") { code } }`, escaped);
      expect(checks.map(({ cache }) => cache)).toEqual([miss, miss, miss]);
      // Equal concurrent checks share one call to the node, so the number of calls varies.
      expect(chain.node.counters.byMethod.check_tx).toBeGreaterThan(0);
      const sent = await post(`mutation { broadcastTxSync(tx: "${tx}") { hash duplicate } }`, escaped);
      expect(sent.map(({ cache }) => cache)).toEqual([miss, miss, miss]);
    }
  });

  it('is not cached if it has an error or a field that is not read at a height', async () => {
    const question = '{ group(id: 2) { id } }';
    chain.node.faults.call = ({ method }) =>
      method === 'abci_query' ? { abci: { code: 5, codespace: 'x', log: 'no' } } : undefined;
    expect((await ask(question)).text).toContain('ABCI_QUERY_FAILED');
    chain.node.heal();
    const healed = await ask(question);
    expect(healed.cache).toBe(miss);
    expect(healed.text).toContain('"id":"2"');

    for (const live of [
      '{ status { lastBlockAge } }',
      '{ at(height: 1) { ...S } } fragment S on Snapshot { commit { header { height } } }',
    ]) {
      expect((await ask(live)).cache).toBe(miss);
      expect((await ask(live)).cache).toBe(miss);
    }
    for (const wrong of ['{ nope }', '{']) {
      await ask(wrong);
      expect((await ask(wrong)).cache).toBe(miss);
    }
  });

  it('has every field that is documented as not read at a height marked as live', () => {
    const unmarked = Object.values(schema.getQueryType()!.getFields())
      .filter(({ description, extensions }) => (description ?? '').includes('Not read at a height') && extensions.live !== true)
      .map(({ name }) => name);
    expect(unmarked).toEqual([]);
  });
});

/** A caller whose departure the test controls. */
function createCaller() {
  const listeners: (() => void)[] = [];
  const asker: Asker = { onLeave: (listener) => void listeners.push(listener) };
  return { asker, leave: () => listeners.forEach((notify) => void notify()) };
}

/** A cache of `maxBytes` for callers that do not leave. */
function createCache({ maxBytes = 64 * 2 ** 20 } = {}) {
  const cache = createAnswerCache(withoutRoots(memoryOfShare('answers', maxBytes)), 'graphql');
  return {
    answer: async (key: AnswerKey, make: MakeAnswer) => (await cache.answer(key, createCaller().asker, make))!,
  };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** An answer with a body of this size. */
function answer(size: number): Answer {
  return { status: 200, operation: undefined, headers: [], body: plainBody(Buffer.alloc(size)) };
}

/** The size of an answer's body. */
function sizeOf({ body }: Answer): number {
  return Buffer.concat(body.parts).length;
}

/** Creates an answer of this size once `finish` is called. */
function createSlowExecution(size: number) {
  const end = deferred<void>();
  let executions = 0;
  const make: MakeAnswer = async () => {
    executions += 1;
    await end.promise;
    return { answer: answer(size), keep: true, carried: undefined };
  };
  return { make, executions: () => executions, finish: () => end.resolve() };
}

describe('the cache', () => {
  const key = (height: bigint, body = ''): AnswerKey => ({
    scopes: ['read'],
    chain: 'c',
    height,
    method: 'POST',
    url: '/graphql',
    accept: '*/*',
    contentType: 'application/json',
    body: Buffer.from(body),
  });
  const makeAnswer =
    (size: number, keep = true) =>
    async () => ({ answer: answer(size), keep, carried: undefined });

  it('returns a cached answer at once, without a promise', async () => {
    const cache = createAnswerCache(withoutRoots(createMemoryBudget()), 'test');
    const { asker } = createCaller();
    expect(cache.answer(key(1n), asker, makeAnswer(1))).toBeInstanceOf(Promise);
    await cache.answer(key(1n), asker, makeAnswer(1));
    // The first cached answer is found by the hash of the request, later ones by its bytes.
    for (const _ of [1, 2, 3])
      expect(cache.answer(key(1n), asker, makeAnswer(2))).toMatchObject({ source: 'kept', isKept: true });
  });

  it('returns an answer that is executed at once without a promise, and keeps it', () => {
    const cache = createAnswerCache(withoutRoots(createMemoryBudget()), 'test');
    const { asker } = createCaller();
    const makeNow = (): Made => ({ answer: answer(3), keep: true, carried: undefined });
    expect(cache.answer(key(1n), asker, makeNow)).toMatchObject({ source: 'made', isKept: true });
    expect(cache.answer(key(1n), asker, makeNow)).toMatchObject({ source: 'kept', isKept: true });
    const fail = (): Made => {
      throw new Error('no');
    };
    expect(() => cache.answer(key(2n), asker, fail)).toThrow('no');
    expect(cache.answer(key(2n), asker, makeNow)).toMatchObject({ source: 'made' });
    expect(cache.counts()).toMatchObject({ executed: 2, kept: 1 });
  });

  it('that is full keeps the answer of a new request only when it is executed again, at any height', async () => {
    const cache = createCache({ maxBytes: 200_000 });
    const source = async (height: bigint, body: string) => (await cache.answer(key(height, body), makeAnswer(4_000))).source;
    const polled = 'is sent again and again';
    for (let index = 0; index < 500; index += 1) {
      expect(await source(1n, String(index))).toBe('made');
      if (index > 100) expect(await source(1n, polled)).toBe(index === 101 ? 'made' : 'kept');
      // The first executed again is the second execution.
      if (index === 101) expect([await source(1n, polled), await source(1n, polled)]).toEqual(['made', 'kept']);
    }
    expect([await source(2n, polled), await source(2n, polled)]).toEqual(['made', 'kept']);
    expect([await source(1n, '499'), await source(1n, '499'), await source(2n, '499'), await source(2n, '499')]).toEqual([
      'made',
      'kept',
      'made',
      'kept',
    ]);
  });

  it('finds an answer at one height beside those at other heights, and beside one that is carried', async () => {
    // The roots are known from height 3 on, and equal.
    const roots = { ...unknownRoots, keyAt: (height: bigint) => (height >= 3n ? 'roots' : undefined) };
    const cache = createAnswerCache({ ...withoutRoots(createMemoryBudget()), roots }, 'test');
    const carried = { stores: [], validUntil: null, reads: 1, named: [] };
    const ask = async (height: bigint) => {
      const make = (): Made => ({ answer: answer(Number(height)), keep: true, carried });
      const { source, answer: found } = (await cache.answer(key(height), createCaller().asker, make))!;
      return [source, sizeOf(found)];
    };
    for (const height of [1n, 2n, 3n]) expect(await ask(height)).toEqual(['made', Number(height)]);
    for (const height of [1n, 2n, 3n, 2n, 1n]) expect(await ask(height)).toEqual(['kept', Number(height)]);
    expect(await ask(4n)).toEqual(['carried', 3]);
    expect(await ask(1n)).toEqual(['kept', 1]);
    expect(cache.counts()).toMatchObject({ executed: 3, kept: 6, carried: 1 });
  });

  it('separates requests by everything that their answer can depend on', async () => {
    const cache = createCache();
    await cache.answer(key(1n), makeAnswer(1));
    const others: AnswerKey[] = [
      key(2n),
      key(1n, 'x'),
      { ...key(1n), chain: 'd' },
      { ...key(1n), method: 'GET' },
      { ...key(1n), url: '/graphql?x' },
      { ...key(1n), accept: 'application/json' },
      { ...key(1n), contentType: 'text/plain' },
    ];
    for (const other of others) expect((await cache.answer(other, makeAnswer(2, false))).source).toBe('made');
    expect(sizeOf((await cache.answer(key(1n), makeAnswer(3))).answer)).toBe(1);
  });

  it('stays within its memory limit, and does not cache giant requests', async () => {
    const cache = createCache({ maxBytes: 30_000 });
    for (let height = 1n; height <= 7n; height += 1n) await cache.answer(key(height), makeAnswer(4000));
    expect((await cache.answer(key(7n), makeAnswer(1, false))).source).toBe('kept');
    expect((await cache.answer(key(1n), makeAnswer(1, false))).source).toBe('made');
    const giant = key(9n, 'x'.repeat(70_000));
    await cache.answer(giant, makeAnswer(1));
    expect((await cache.answer(giant, makeAnswer(1))).source).toBe('made');
  });

  it('executes concurrent queries once, and concurrent mutations once for each request', async () => {
    const cache = createCache();
    let executions = 0;
    const make = async () => {
      executions += 1;
      await new Promise(setImmediate);
      return { answer: answer(executions), keep: true, carried: undefined };
    };
    const answers = await Promise.all([1, 2, 3].map(() => cache.answer(key(1n), make)));
    expect(executions).toBe(1);
    expect(answers.map(({ source, answer: made }) => [source, sizeOf(made)])).toEqual([
      ['made', 1],
      ['kept', 1],
      ['kept', 1],
    ]);
    executions = 0;
    const mutations = [1, 2].map(() => cache.answer(key(1n, 'mutation { a }'), make));
    // Both start at once.
    expect(executions).toBe(2);
    expect((await Promise.all(mutations)).map(({ source }) => source)).toEqual(['made', 'made']);
  });

  it('executes all waiting requests at once if the first one fails or cannot be cached', async () => {
    for (const end of [() => Promise.reject(new Error('no')), () => makeAnswer(1, false)()]) {
      const cache = createCache();
      const first = deferred<void>();
      const leader = cache.answer(key(1n), () => first.promise.then(end)).catch(() => undefined);
      const others = [2, 3, 4].map((size) => createSlowExecution(size));
      const waiting = others.map(({ make }) => cache.answer(key(1n), make));
      await new Promise(setImmediate);
      expect(others.map(({ executions }) => executions())).toEqual([0, 0, 0]);
      first.resolve();
      await leader;
      await new Promise(setImmediate);
      expect(others.map(({ executions }) => executions())).toEqual([1, 1, 1]);
      for (const { finish } of others) finish();
      expect((await Promise.all(waiting)).map(({ answer: made }) => sizeOf(made))).toEqual([2, 3, 4]);
    }
  });

  it('executes waiting and later requests as soon as the first one is marked as not shareable', async () => {
    const cache = createCache();
    const leader = createSlowExecution(1);
    const led = cache.answer(key(1n), (execution) => {
      setImmediate(() => execution.cannotShare());
      return leader.make(execution);
    });
    const early = createSlowExecution(2);
    const waiting = cache.answer(key(1n), early.make);
    await expect.poll(early.executions).toBe(1);
    const late = createSlowExecution(3);
    const coming = cache.answer(key(1n), late.make);
    expect(late.executions()).toBe(1);
    for (const { finish } of [late, early, leader]) finish();
    expect((await Promise.all([led, waiting, coming])).map(({ answer: made }) => sizeOf(made))).toEqual([1, 2, 3]);
  });

  it('continues for the remaining callers when the first one leaves, and stops when all have left', async () => {
    const cache = createAnswerCache(withoutRoots(createMemoryBudget()), 'graphql');
    const callers = [1, 2, 3].map(() => createCaller());
    const leader = createSlowExecution(7);
    let abandoned = 0;
    const replies = callers.map(({ asker }) =>
      cache.answer(key(1n), asker, (execution) => {
        execution.onAbandoned(() => {
          abandoned += 1;
        });
        return leader.make(execution);
      }),
    );
    callers[0]!.leave();
    callers[1]!.leave();
    expect(await replies[1]).toBeUndefined();
    expect([abandoned, leader.executions()]).toEqual([0, 1]);
    leader.finish();
    expect(sizeOf((await replies[2])!.answer)).toBe(7);

    const [one, other, next] = [createCaller(), createCaller(), createCaller()];
    const second = createSlowExecution(8);
    let stopped = 0;
    const ask = ({ asker }: ReturnType<typeof createCaller>, execution: ReturnType<typeof createSlowExecution>) =>
      cache.answer(key(2n), asker, (each) => {
        each.onAbandoned(() => {
          stopped += 1;
        });
        return execution.make(each);
      });
    const first = ask(one, second);
    const follower = ask(other, second);
    one.leave();
    expect(stopped).toBe(0);
    other.leave();
    expect(stopped).toBe(1);
    expect(await follower).toBeUndefined();
    // A later request does not wait for the stopped execution.
    const third = createSlowExecution(9);
    const fresh = ask(next, third);
    expect(third.executions()).toBe(1);
    third.finish();
    second.finish();
    await first;
    expect(sizeOf((await fresh)!.answer)).toBe(9);
  });

  it('does not keep or share what was executed before roots were dropped', async () => {
    const memory = createMemoryBudget();
    let drop: () => void = () => undefined;
    const onDropped = (listener: () => void) => {
      drop = listener;
      return () => undefined;
    };
    const roots = { ...withoutRoots(memory).roots, keyAt: () => 'roots', onDropped };
    const cache = createAnswerCache({ ...withoutRoots(memory), roots }, 'graphql');
    const ask = async (height: bigint, make: MakeAnswer) => (await cache.answer(key(height), createCaller().asker, make))!;
    const carried = { stores: [], validUntil: null, reads: 1, named: [] };
    const begun = deferred<void>();
    const first = ask(1n, async () => {
      await begun.promise;
      return { answer: answer(1), keep: true, carried };
    });
    drop();
    // A request after the drop does not wait for the execution from before, nor get its answer later.
    expect(sizeOf((await ask(1n, async () => ({ answer: answer(2), keep: true, carried }))).answer)).toBe(2);
    begun.resolve();
    expect(sizeOf((await first).answer)).toBe(1);
    const later = await ask(2n, makeAnswer(3));
    expect([later.source, sizeOf(later.answer)]).toEqual(['carried', 2]);
    drop();
    expect((await ask(2n, makeAnswer(4))).source).toBe('made');
  });

  it.runIf(runsAll)('counts the key and the headers against its limit, and does not retain request texts', async () => {
    const cache = createCache({ maxBytes: 4 * 2 ** 20 });
    const before = await usedMemory();
    for (let index = 0; index < 400; index += 1) {
      const long = { ...key(1n, `${index} ${'x'.repeat(60_000)}`), url: `/graphql?${'y'.repeat(8_000)}` };
      await cache.answer(long, makeAnswer(10));
    }
    expect((await usedMemory()) - before).toBeLessThan(2 * 2 ** 20);
    const headers = ['link', 'z'.repeat(100_000)];
    const makeWide: MakeAnswer = async () => ({
      answer: { ...answer(10), headers: [...headers] },
      keep: true,
      carried: undefined,
    });
    // Once memory is full, an answer is kept when its request is executed for the second time.
    for (let index = 0; index < 200; index += 1) for (const _ of [1, 2]) await cache.answer(key(2n, String(index)), makeWide);
    expect((await cache.answer(key(2n, '199'), makeAnswer(1))).source).toBe('kept');
    expect((await cache.answer(key(2n, '100'), makeAnswer(1))).source).toBe('made');
  });
});
