import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { createLimits, type Limits } from '../../../src/config/limits/limits.ts';
import { createRates } from '../../../src/server/rateLimits/rates.ts';
import { rounds, runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { overEvents, overWebSocket } from '../../support/listeners.ts';
import { collectGarbage } from '../../support/memory.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { post, sendTogether } from '../../support/wire.ts';
import { startTarget, type Target } from './setup.ts';

let target: Target | undefined;

async function start(limits: Partial<Limits>): Promise<Target> {
  target = await startTarget({ server: { limits } });
  return target;
}

afterEach(async () => {
  await target?.close();
  target = undefined;
});

const stream = 'subscription { newBlock(after: 0) { height } }';

/** Opens an acknowledged WebSocket, and collects its messages. */
async function greet(
  url: string,
  options: ClientOptions = {},
): Promise<{ socket: WebSocket; messages: { id?: string; type: string; payload?: unknown }[]; closed: Promise<number> }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', options);
  const closed = once(socket, 'close').then(([code]) => code as number);
  const messages: { id?: string; type: string; payload?: unknown }[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  await once(socket, 'open');
  const answered = once(socket, 'message');
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await Promise.race([answered, closed]);
  return { socket, messages, closed };
}

describe('the rates of a caller', () => {
  const limits = createLimits({ 'rate.points': 600, 'rate.burst': 100, 'rate.broadcasts': 2, 'rate.failedAuthentications': 3 });

  it('recover with time, and are not shared with other callers', () => {
    let now = 0;
    const rates = createRates(limits, () => now);
    const caller = rates.of('a');
    expect(caller.take(100)).toBeUndefined();
    expect(caller.take(1)).toEqual({ limit: 'rate.points', max: 600, retryAfter: 1, remaining: 0 });
    expect(caller.take(50)).toMatchObject({ retryAfter: 5 });
    expect(rates.of('b').take(100)).toBeUndefined();
    now += 5_000;
    expect(rates.of('a').take(50)).toBeUndefined();
    expect(rates.of('a').take(1)).toMatchObject({ limit: 'rate.points' });
    // A cost above the burst needs a full bucket, and leaves a negative level.
    now += 60_000;
    expect(caller.take(200)).toBeUndefined();
    expect(caller.take(1)).toMatchObject({ retryAfter: 11 });
  });

  it('count broadcasts and failed authentications separately', () => {
    let now = 0;
    const rates = createRates(limits, () => now);
    const caller = rates.of('a');
    expect([caller.take(1, 1), caller.take(1, 1)]).toEqual([undefined, undefined]);
    expect(caller.take(1, 1)).toEqual({ limit: 'rate.broadcasts', max: 2, retryAfter: 30, remaining: 0 });
    expect(caller.take(1)).toBeUndefined();
    now += 30_000;
    expect(caller.take(1, 1)).toBeUndefined();
    const failed = () => rates.failedAuthentication('192.0.2.1');
    expect([failed(), failed(), failed()]).toEqual([undefined, undefined, undefined]);
    expect(failed()).toMatchObject({ limit: 'rate.failedAuthentications', max: 3, retryAfter: 20 });
    expect(rates.failedAuthentication('192.0.2.2')).toBeUndefined();
  });

  it('are refused at once 600 times, then more slowly, and again at once after a minute', () => {
    let now = 0;
    const rates = createRates(limits, () => now);
    const refuse = (times: number): void => {
      for (let count = 0; count < times; count += 1) rates.of('a').refused();
    };
    refuse(599);
    expect(rates.of('a').pause()).toBe(0);
    refuse(6);
    expect([rates.of('a').pause(), rates.of('b').pause()]).toEqual([600, 0]);
    refuse(5_000);
    expect(rates.of('a').pause()).toBe(10_000);
    now += 61_000;
    expect(rates.of('a').pause()).toBe(0);
  });

  it('T35: two operations count lists at once; others wait, and stop when their caller disconnects', async () => {
    const rates = createRates(limits);
    const caller = rates.of('a');
    const [first, second] = await Promise.all([caller.counting(undefined), caller.counting(undefined)]);
    const order: string[] = [];
    const left = new AbortController();
    const third = caller.counting(undefined).then((end) => {
      order.push('third');
      return end;
    });
    const fourth = caller.counting(left.signal);
    await rates.of('b').counting(undefined);
    expect(order).toEqual([]);
    left.abort(new Error('left'));
    await expect(fourth).rejects.toThrow('left');
    first();
    const end = await third;
    second();
    end();
    await caller.counting(undefined);
  });

  it('let few requests of an address without a token begin if its points are not limited', async () => {
    const address = createRates(createLimits({ 'anonymous.concurrent': 1, 'anonymous.points': 0 }), () => 0).ofAnonymous('::1');
    const first = await address.begin({ aborted: false, signal: new AbortController().signal });
    await expect(address.begin({ aborted: true, signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow('left');
    first!.end();
  });

  it('let few requests of an address without a token begin, and the others in order, without those that were given up', async () => {
    const rates = createRates(createLimits({ 'anonymous.concurrent': 5, 'anonymous.points': 1_200 }), () => 0);
    const order: string[] = [];
    const [signal, leaving] = [new AbortController().signal, new AbortController()];
    const begin = (name: string, client = signal) =>
      rates
        .ofAnonymous('192.0.2.1')
        .begin({ aborted: client.aborted, signal: client })
        .then((slot) => {
          order.push(name);
          return slot!;
        });
    const slots = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => begin(name)));
    const given = begin('given up', leaving.signal);
    const [sixth, seventh] = [begin('f'), begin('g')];
    await rates.ofAnonymous('192.0.2.2').begin({ aborted: false, signal });
    leaving.abort(new Error('left'));
    await expect(given).rejects.toThrow('left');
    slots[0]!.end();
    const next = await sixth;
    expect(order).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    // With a twelfth of its points used, one at a time.
    rates.ofAnonymous('192.0.2.1').charge(100);
    for (const slot of slots) slot.end();
    expect(order).toHaveLength(6);
    next.end();
    await seventh;
    expect(order.at(-1)).toBe('g');
  });

  describe('the eviction of callers', () => {
    /** More callers than the table holds. */
    const many = 30_000;

    it('spares callers with running requests or without a full bucket, so that it refills no bucket', () => {
      const rates = createRates(limits, () => 0);
      const place = rates.of('busy').enter();
      rates.of('spent').take(100);
      rates.of('sent').take(1, 2);
      for (let index = 0; index < many; index += 1) {
        const idle = rates.of(`${index}`).enter();
        if ('end' in idle) idle.end();
      }
      expect(rates.of('spent').take(1)).toMatchObject({ limit: 'rate.points', remaining: 0 });
      expect(rates.of('sent').take(1, 1)).toMatchObject({ limit: 'rate.broadcasts' });
      for (let under = 1; under < 100; under += 1) expect(rates.of('busy').enter()).toHaveProperty('end');
      expect(rates.of('busy').enter()).toMatchObject({ limit: 'rate.concurrent' });
      expect(place).toHaveProperty('end');
    });

    it('keeps an address over its limit of failures, regardless of other addresses', () => {
      const rates = createRates(limits, () => 0);
      for (let failures = 0; failures < 3; failures += 1) expect(rates.failedAuthentication('192.0.2.1')).toBeUndefined();
      for (let index = 0; index < many; index += 1) rates.failedAuthentication(`198.51.100.${index}`);
      expect(rates.failedAuthentication('192.0.2.1')).toMatchObject({ limit: 'rate.failedAuthentications' });
    });

    it.runIf(runsAll)('bounds the memory, also with many busy callers and with long names', () => {
      const rates = createRates(createLimits());
      const heap = (): number => {
        collectGarbage();
        return process.memoryUsage().heapUsed / 1024 / 1024;
      };
      const before = heap();
      const held = Array.from({ length: 100 }, (_, index) => rates.of(`busy ${index}`).connect());
      for (let index = 0; index < 200_000; index += 1) rates.of(`subject ${index}`).take(1);
      for (let index = 0; index < 5_000; index += 1) rates.of(`${'x'.repeat(6_000)} ${index}`).take(1);
      expect(heap() - before).toBeLessThan(40);
      expect(held).toHaveLength(100);
    });
  });
});

describe('over HTTP', () => {
  it('is 429 with the time to retry: at the handler, and for an operation that costs more than is left', async () => {
    const { stack } = await start({ 'rate.points': 60, 'rate.burst': 50 });
    const asked = (query: string) =>
      fetch(`${stack.server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, extensions: { cost: true } }),
      });
    const first = await asked('{ groups(first: 20) { nodes { id } } }');
    expect(await first.json()).toMatchObject({ extensions: { cost: { requested: 21, remaining: 29 } } });
    const dear = await asked('{ groups(first: 30) { nodes { id } } }');
    expect(dear.status).toBe(429);
    expect(dear.headers.get('retry-after')).toMatch(/^[1-3]$/);
    expect(dear.headers.get('ratelimit-limit')).toBe('60');
    expect(await dear.json()).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED', limit: 'rate.points', max: 60 } }],
      extensions: { cost: { requested: 31 } },
    });
    const burst = await Promise.all(Array.from({ length: 60 }, () => asked('{ head { height } }')));
    const refused = burst.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(30);
    expect(refused[0]!.headers.get('retry-after')).toBe('1');
    expect(await refused[0]!.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED', retryAfter: 1 } }] });
  });

  it('no more concurrent requests than the limit; streams do not count', async () => {
    const { stack, chain: own } = await start({ 'rate.concurrent': 2 });
    const streams = [];
    for (let count = 0; count < 3; count += 1) streams.push(await overEvents(stack.server.url, stream));
    const next = (own.devnet.height + 1n).toString();
    const waiting = [1, 2].map(() => stack.ask('{ head { height } }', {}, { 'x-min-height': next }));
    await expect.poll(async () => (await stack.ask('{ head { height } }')).status).toBe(429);
    await own.devnet.commit();
    await Promise.all([...streams.map((each) => each.leave()), ...waiting]);
    await target!.isWell();
  });

  it('no more subscriptions of a caller than the limit, and each end frees a slot', async () => {
    const { stack } = await start({ 'subscriptions.caller': 2 });
    const { url } = stack.server;
    const [one, two] = [await overEvents(url, stream), await overWebSocket(url, stream)];
    await Promise.all([one.count(1), two.count(1)]);
    const refused = await overWebSocket(url, stream);
    expect(await refused.ended).toBe('complete');
    // The error has no time to retry: only the end of another stream helps. Over HTTP, every 429 has `Retry-After`.
    const errors = [
      { message: expect.any(String), extensions: { code: 'RATE_LIMITED', limit: 'subscriptions.caller', max: 2 } },
    ];
    expect(refused.answers[0]!.errors).toEqual(errors);
    const overHttp = await post(url, stream, { accept: 'text/event-stream, application/json' });
    expect([overHttp.status, JSON.parse(overHttp.body).errors]).toEqual([429, errors]);
    expect(overHttp.headers['retry-after']).toBe('1');
    await expect(overEvents(url, stream)).rejects.toThrow('status 429');
    for (const leave of [() => one.leave(), () => two.leave()]) {
      await leave();
      await expect.poll(async () => (await overEvents(url, stream).catch(() => undefined)) !== undefined).toBe(true);
    }
  });
});

describe('many callers', () => {
  let issuer: TestIssuer;
  let stack: Stack;
  let chain: TestChain;

  /** Limits that gain no points during a test. */
  const slow = { 'rate.points': 1, 'rate.burst': 50, 'rate.callers': 10 } as const;

  beforeAll(async () => {
    issuer = await startIssuer();
    chain = await startChain({ bare: true });
    stack = await startStack([chain.node.url], { server: { auth: authenticatorOf(issuer), limits: slow } });
  });

  afterAll(async () => {
    await stack.close();
    await issuer.close();
    await chain.devnet.close();
  });

  const bearer = async (sub: string) => ({ authorization: `Bearer ${await issuer.sign({ sub })}` });
  const status = async (sub: string, query: string): Promise<number> => (await stack.ask(query, {}, await bearer(sub))).status;
  let asked = 0;

  /** Sends a new query that costs most of the burst. */
  const askMuch = (sub: string): Promise<number> => {
    asked += 1;
    return status(sub, `{ groups(first: 40, offset: ${asked}) { nodes { id } } }`);
  };

  it('do not refill the points of a caller; those beyond `rate.callers` share the points of one', async () => {
    expect([await askMuch('first'), await askMuch('first')]).toEqual([200, 429]);
    for (let index = 0; index < 9; index += 1) expect(await status(`other ${index}`, '{ head { height } }')).toBe(200);
    expect(await askMuch('first')).toBe(429);
    // All ten are in use: new callers share.
    expect([await askMuch('new'), await askMuch('newer')]).toEqual([200, 429]);
    expect([await askMuch('other 0'), await askMuch('first')]).toEqual([200, 429]);
  });
});

describe('over WebSocket', () => {
  it('queries share the limit of concurrent requests; streams do not count, and each query releases its slot', async () => {
    const { stack, chain } = await start({ 'rate.concurrent': 2 });
    const { socket, messages } = await greet(stack.server.url);
    const [query, other, free] = ['{ numUnconfirmedTransactions { total } }', '{ netInfo { nPeers } }', '{ limits { name } }'];
    const send = (id: string, text: string, on = socket): void =>
      on.send(JSON.stringify({ id, type: 'subscribe', payload: { query: text } }));
    const answerTo = (id: string): object | undefined => messages.find((message) => message.id === id);
    const full = [{ extensions: { code: 'RATE_LIMITED', limit: 'rate.concurrent', max: 2 } }];
    for (const id of ['e', 'f', 'g']) {
      send(id, stream);
      await expect.poll(() => answerTo(id)).toMatchObject({ type: 'next' });
    }
    let letGo: (() => void) | undefined;
    chain.node.faults.gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    // Until both wait for the node, another request could take the slot of the second one.
    const calls = (method: string): number | undefined => chain.node.counters.byMethod[method];
    send('one', query);
    await expect.poll(() => calls('num_unconfirmed_txs')).toBe(1);
    send('two', other);
    await expect.poll(() => calls('net_info')).toBe(1);
    expect((await stack.ask(free)).status).toBe(429);
    send('three', free);
    await expect.poll(() => answerTo('three')).toMatchObject({ type: 'error', payload: full });
    // A refused query took no slot, and releases none.
    send('four', free);
    await expect.poll(() => answerTo('four')).toMatchObject({ type: 'error', payload: full });
    socket.terminate();
    await expect.poll(async () => (await stack.ask(free)).status).toBe(200);
    chain.node.faults.gate = undefined;
    letGo?.();

    const again = await greet(stack.server.url);
    for (const id of ['a', 'b', 'c', 'd']) {
      send(id, free, again.socket);
      await expect.poll(() => again.messages.some((message) => message.id === id && message.type === 'complete')).toBe(true);
      expect(again.messages.find((message) => message.id === id)).toMatchObject({ type: 'next', payload: { data: {} } });
    }
    again.socket.terminate();
  });

  it('a completed query keeps its slot and its id until it is over, and then releases the slot even if the socket has closed', async () => {
    const { stack, chain } = await start({ 'rate.concurrent': 1 });
    const [query, free] = ['{ numUnconfirmedTransactions { total } }', '{ limits { name } }'];
    const status = async (): Promise<number> => (await stack.ask(free)).status;
    await stack.client.head.ready();
    let letGo: (() => void) | undefined;
    chain.node.faults.gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { socket, messages, closed } = await greet(stack.server.url);
    const begin = (): void => socket.send(JSON.stringify({ id: 'x', type: 'subscribe', payload: { query } }));
    begin();
    await expect.poll(() => chain.node.counters.byMethod.num_unconfirmed_txs).toBe(1);
    socket.send(JSON.stringify({ id: 'x', type: 'complete' }));
    expect(await status()).toBe(429);
    begin();
    expect(await closed).toBe(4409);
    await expect.poll(status).toBe(200);
    letGo?.();
    chain.node.faults.gate = undefined;
    expect(messages.filter(({ id }) => id === 'x')).toEqual([]);

    // Completed before it is refused: the client gets no message, and no state remains.
    const again = await greet(stack.server.url);
    const received = (): string[] => again.messages.map(({ id, type }) => `${id ?? ''} ${type}`);
    const refused = { id: 'y', type: 'subscribe', payload: { query: '{ nope }' } };
    sendTogether(again.socket, [JSON.stringify(refused), JSON.stringify({ id: 'y', type: 'complete' })]);
    for (const id of ['z', 'y']) {
      again.socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query: free } }));
      await expect.poll(received).toContain(`${id} complete`);
    }
    expect(received()).toEqual([' connection_ack', 'z next', 'z complete', 'y next', 'y complete']);
    again.socket.terminate();
  });

  it('an operation has the same deadline as over HTTP, also if the client accepts a stream; a stream has none', async () => {
    const { stack, chain } = await start({ 'request.deadline': 200 });
    const { url } = stack.server;
    const query = '{ numUnconfirmedTransactions { total } }';
    const streams = [await overWebSocket(url, stream), await overEvents(url, stream)];
    await Promise.all(streams.map((each) => each.count(1)));
    let letGo: (() => void) | undefined;
    chain.node.faults.gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const late = { errors: [{ extensions: { code: 'NODE_TIMEOUT', milliseconds: 200 } }] };
    const { socket, messages } = await greet(url);
    socket.send(JSON.stringify({ id: 'x', type: 'subscribe', payload: { query } }));
    await expect.poll(() => messages.find(({ id }) => id === 'x')).toMatchObject({ type: 'next', payload: late });
    expect((await stack.ask(query, {}, { accept: 'text/event-stream, application/json' })).body).toMatchObject(late);
    letGo?.();
    chain.node.faults.gate = undefined;
    const seen = streams.map(({ answers }) => answers.length);
    await chain.devnet.commit();
    await Promise.all(streams.map((each, index) => each.count(seen[index]! + 1)));
    socket.terminate();
    await Promise.all(streams.map((each) => each.leave()));
  });

  it('a complete subscription releases its slot while its socket stays open', async () => {
    const { stack } = await start({ 'subscriptions.caller': 1 });
    const over = 'subscription { submitTx(tx: "0x00") { stage } }';
    const first = await overWebSocket(stack.server.url, over);
    expect(await first.ended).toBe('complete');
    const second = await overWebSocket(stack.server.url, stream);
    await second.count(1);
    await Promise.all([first.leave(), second.leave()]);
  });

  it('T48: the 101st subscription is refused without a time to retry, and more messages at once than allowed close the socket', async () => {
    const count = rounds(rounds(10_000));
    const { stack } = await start({ 'socket.burst': count + 100 });
    const { socket, messages, closed } = await greet(stack.server.url);
    const ids = Array.from({ length: count }, (_, index) => `${index}`);
    for (const id of ids) socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query: stream } }));
    await expect.poll(() => messages.filter(({ type }) => type === 'error').length, { timeout: 20_000 }).toBe(count - 100);
    expect(messages.find(({ type }) => type === 'error')).toEqual({
      // Operations are opened concurrently, so the refused ones need not be the last.
      id: expect.any(String),
      type: 'error',
      payload: [{ message: expect.any(String), extensions: { code: 'RATE_LIMITED', limit: 'socket.subscriptions', max: 100 } }],
    });
    expect(stack.server.subscriptions().subscribers).toBe(100);
    socket.send(JSON.stringify({ id: '0', type: 'complete' }));
    socket.send(JSON.stringify({ id: 'next', type: 'subscribe', payload: { query: stream } }));
    await expect.poll(() => messages.some(({ id, type }) => id === 'next' && type === 'next')).toBe(true);
    for (let index = 0; index < 200; index += 1) socket.send(JSON.stringify({ type: 'ping' }));
    expect(await closed).toBe(4429);
    await target!.isWell();
  });

  it('no more sockets of a caller than the limit', async () => {
    const { stack } = await start({ 'socket.connections': 2 });
    const [first] = [await greet(stack.server.url), await greet(stack.server.url)];
    await expect.poll(() => first.messages.length).toBe(1);
    expect(await (await greet(stack.server.url)).closed).toBe(4429);
    first.socket.close();
    await first.closed;
    const next = await greet(stack.server.url);
    await expect.poll(() => next.messages.map(({ type }) => type)).toEqual(['connection_ack']);
  });

  it.runIf(runsAll)('T47: a socket without a first message, without operations, or without pongs is closed', async () => {
    const { stack } = await start({ 'socket.init': 100, 'socket.idle': 500, 'socket.ping': 50 });
    const url = `${stack.server.url.replace('http', 'ws')}/graphql`;
    const silent = new WebSocket(url, 'graphql-transport-ws');
    expect((await once(silent, 'close'))[0]).toBe(4408);
    expect(await (await greet(stack.server.url)).closed).toBe(1000);
    const deaf = await greet(stack.server.url, { autoPong: false });
    deaf.socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: stream } }));
    expect(await deaf.closed).toBe(1006);
    const busy = await greet(stack.server.url);
    busy.socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: stream } }));
    let pings = 0;
    busy.socket.on('ping', () => (pings += 1));
    await expect.poll(() => pings).toBeGreaterThan(4);
    expect(busy.socket.readyState).toBe(busy.socket.OPEN);
  });
});

describe('regular use', () => {
  it.runIf(runsAll)('is within the default limits: 200 sockets of one caller, each with ten subscriptions', async () => {
    const { stack } = await start({ 'rate.points': createLimits()['rate.points'], 'rate.broadcasts': 60 });
    const count = 200;
    const sockets = await Promise.all(Array.from({ length: count }, () => greet(stack.server.url)));
    for (const { socket } of sockets)
      for (let id = 0; id < 10; id += 1)
        socket.send(JSON.stringify({ id: `${id}`, type: 'subscribe', payload: { query: stream } }));
    await expect.poll(() => stack.server.subscriptions().subscribers, { timeout: 20_000 }).toBe(10 * count);
    await expect
      .poll(() => sockets.every(({ messages }) => messages.filter(({ type }) => type === 'next').length === 10), {
        timeout: 20_000,
      })
      .toBe(true);
    expect(sockets.flatMap(({ messages }) => messages).filter(({ type }) => type === 'error')).toEqual([]);
    for (const { socket } of sockets) socket.terminate();
    await expect.poll(() => stack.server.subscriptions().subscribers, { timeout: 20_000 }).toBe(0);
  });
});
