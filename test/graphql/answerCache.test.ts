import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AnswerKey, createAnswerCache, type KeptAnswer } from '../../src/graphql/answerCache.ts';
import { schema } from '../../src/graphql/schema.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

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
  it('is kept for its height, byte for byte, and made anew for the next block', async () => {
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

    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 5000 });
    const next = await ask(question);
    expect(next.cache).toBe(miss);
    expect(next.text).not.toBe(first.text);
    // The old height is still what it was.
    expect((await ask(question, { 'x-cosmos-block-height': '1' })).text).toBe(first.text);
  });

  it('is shared by equal requests that come together', async () => {
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

  it('of what is sent or checked is shared by nobody, however it is written', async () => {
    const { accounts } = chain;
    const tx = `0x${Buffer.from(chain.sign(accounts[0]!, [])).toString('hex')}`;
    const write = (query: string, escaped: boolean): Promise<Reply[]> => {
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
      const checks = await write(`{ checkTx(tx: "${tx}") { code } }`, escaped);
      expect(checks.map(({ cache }) => cache)).toEqual([miss, miss, miss]);
      expect(chain.node.counters.byMethod.check_tx).toBe(3);
      const sent = await write(`mutation { broadcastTxSync(tx: "${tx}") { hash duplicate } }`, escaped);
      expect(sent.map(({ cache }) => cache)).toEqual([miss, miss, miss]);
    }
  });

  it('is never kept with an error or with something that is of no height', async () => {
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
      '{ at(height: 1) { ...S } } fragment S on Query { status { nodeInfo { id } } }',
    ]) {
      expect((await ask(live)).cache).toBe(miss);
      expect((await ask(live)).cache).toBe(miss);
    }
    for (const wrong of ['{ nope }', '{']) {
      await ask(wrong);
      expect((await ask(wrong)).cache).toBe(miss);
    }
  });

  it('knows every field that is of no height', () => {
    const unmarked = Object.values(schema.getQueryType()!.getFields())
      .filter(({ description, extensions }) => (description ?? '').includes('Not of a height') && extensions.live !== true)
      .map(({ name }) => name);
    expect(unmarked).toEqual([]);
  });
});

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
  const answer = (size: number): KeptAnswer => ({ status: 200, operation: undefined, headers: {}, body: Buffer.alloc(size) });
  const made =
    (size: number, keep = true) =>
    async () => ({ answer: answer(size), keep });

  it('tells requests apart by everything that an answer may depend on', async () => {
    const cache = createAnswerCache();
    await cache.answer(key(1n), made(1));
    const others: AnswerKey[] = [
      key(2n),
      key(1n, 'x'),
      { ...key(1n), chain: 'd' },
      { ...key(1n), method: 'GET' },
      { ...key(1n), url: '/graphql?x' },
      { ...key(1n), accept: 'application/json' },
      { ...key(1n), contentType: 'text/plain' },
    ];
    for (const other of others) expect((await cache.answer(other, made(2, false))).hit).toBe(false);
    expect((await cache.answer(key(1n), made(3))).answer.body.length).toBe(1);
  });

  it('is bounded by bytes, and takes no giant request', async () => {
    const cache = createAnswerCache({ maxBytes: 10_000 });
    for (let height = 1n; height <= 3n; height += 1n) await cache.answer(key(height), made(4000));
    expect((await cache.answer(key(3n), made(1, false))).hit).toBe(true);
    expect((await cache.answer(key(1n), made(1, false))).hit).toBe(false);
    const giant = key(9n, 'x'.repeat(70_000));
    await cache.answer(giant, made(1));
    expect((await cache.answer(giant, made(1))).hit).toBe(false);
  });

  it('makes an answer once for all who ask in one tick, and for each who sends', async () => {
    const cache = createAnswerCache();
    let makings = 0;
    const make = async () => {
      makings += 1;
      await new Promise(setImmediate);
      return { answer: answer(makings), keep: true };
    };
    const askers = await Promise.all([1, 2, 3].map(() => cache.answer(key(1n), make)));
    expect(makings).toBe(1);
    expect(askers.map(({ hit, answer: { body } }) => [hit, body.length])).toEqual([
      [false, 1],
      [true, 1],
      [true, 1],
    ]);
    makings = 0;
    const senders = [1, 2].map(() => cache.answer(key(1n, 'mutation { a }'), make));
    // Both at once: neither waits for the other.
    expect(makings).toBe(2);
    expect((await Promise.all(senders)).map(({ hit }) => hit)).toEqual([false, false]);
  });

  it('lets those who waited make their own when the first failed', async () => {
    const cache = createAnswerCache();
    const failing = cache.answer(key(1n), () => Promise.reject(new Error('no')));
    const waiting = cache.answer(key(1n), made(7));
    await expect(failing).rejects.toThrow('no');
    expect((await waiting).answer.body.length).toBe(7);
  });
});
