import { afterEach, describe, expect, it } from 'vitest';
import { some } from '../../support/atRandom.ts';
import type { Gateway } from './gateway.ts';
import { type GuardedTarget, longPoll, startGuarded } from './setup.ts';

let target: GuardedTarget | undefined;

async function start(options: Parameters<typeof startGuarded>[0] = {}): Promise<GuardedTarget> {
  target = await startGuarded(options);
  return target;
}

afterEach(async () => {
  await target?.isWell();
  await target?.close();
  target = undefined;
});

const question = '{ groups(first: 2) { nodes { id version } } }';

/** The response of an honest node to it. */
const right = {
  groups: {
    nodes: [
      { id: '1', version: '2' },
      { id: '2', version: '1' },
    ],
  },
};

type Answer = NonNullable<Gateway['answer']>;

const json = { 'content-type': 'application/json' };

/** A response of 33 MiB, sent while it is read. */
const endless: Answer = (response) => {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  response.writeHead(200, json).write('{"jsonrpc":"2.0","id":1,"result":"');
  let sent = 0;
  const push = (): void => {
    while (sent < 33 * 1024 * 1024 && !response.destroyed) {
      sent += chunk.length;
      if (!response.write(chunk)) return void response.once('drain', push);
    }
    response.end('"}');
  };
  push();
};

/** Invalid responses. A lenient parser would accept each of them. */
const nonsense: readonly [name: string, answer: Answer][] = [
  ['invalid JSON', (response) => response.writeHead(200, json).end('{"jsonrpc":"2.0",,')],
  ['a page of HTML with 502', (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html>502</html>')],
  [
    'half a body',
    (response, own) => {
      response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(own) });
      response.write(own.slice(0, own.length / 2), () => response.destroy());
    },
  ],
  [
    'the response to another id',
    (response, own) => response.writeHead(200, json).end(own.replace(/"id":\d+/g, '"id":987654321')),
  ],
  [
    'the same id twice',
    (response, own) => response.writeHead(200, json).end(`[${own.replace(/^\[|\]$/g, '')},${own.replace(/^\[|\]$/g, '')}]`),
  ],
  // Of a repeated key, the last one counts for every reader of the response, as in JSON.parse.
  [
    'a key twice',
    (response, own) => response.writeHead(200, json).end(own.replaceAll('"result":', '"result":null,"error":7,"result":')),
  ],
  [
    'a result and an error',
    (response, own) =>
      response.writeHead(200, json).end(own.replaceAll('"result":', '"error":{"code":-32603,"message":"no"},"result":')),
  ],
  ['an empty body with 200', (response) => response.writeHead(200, json).end()],
  ['a byte order mark before it', (response, own) => response.writeHead(200, json).end(`\uFEFF${own}`)],
  ['33 MiB', endless],
];

describe('T36: a node with invalid responses', () => {
  it.each(some(nonsense, 4))('alone, %s: NODE_INVALID_RESPONSE, without its content', async (_, answer) => {
    const { stack, gateway } = await start();
    gateway.answer = answer;
    const { status, body } = await stack.ask(question);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: { groups: null },
      errors: [{ path: ['groups'], extensions: { code: 'NODE_INVALID_RESPONSE' } }],
    });
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`${new URL(gateway.url).port}|jsonrpc|html|987654321`));
    const failed = stack.client.calls().filter(({ outcome }) => outcome === 'NODE_INVALID_RESPONSE');
    expect(failed.map(({ node }) => node)).toContain('node-1');
  });

  it.each(some(nonsense, 6))('with another node, %s: the response of the other node', async (_, answer) => {
    const { stack, gateway, chain } = await start({ beside: 1 });
    gateway.answer = answer;
    gateway.requests.length = 0;
    chain.devnet.nodes[1]!.counters.reset();
    const { body } = await stack.ask(question);
    expect(body.errors).toBeUndefined();
    expect(body.data).toEqual(right);
    // It was called first, and the other node after it.
    expect(gateway.requests.flat().map(({ method }) => method)).toContain('abci_query');
    expect(chain.devnet.nodes[1]!.counters.byMethod.abci_query).toBeGreaterThan(0);
  });
});

const withStatus =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end('no\n');

describe('T37: a node that refuses', () => {
  it.each(
    some(
      [
        ['429', withStatus(429), 'NODE_UNREACHABLE'],
        ['503', withStatus(503), 'NODE_UNREACHABLE'],
        ['401', withStatus(401, { 'www-authenticate': 'Basic realm="node"' }), 'NODE_INVALID_RESPONSE'],
      ],
      3,
    ),
  )('with %s is not reported as a refusal by Stele, and another node is called', async (_, answer, code) => {
    const alone = await start();
    alone.gateway.answer = answer;
    const response = await alone.post(question);
    expect(response.status).toBe(200);
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(await response.json()).toMatchObject({ data: { groups: null }, errors: [{ extensions: { code } }] });
    await alone.isWell();
    await alone.close();

    const { stack, gateway } = await start({ beside: 1 });
    gateway.answer = answer;
    expect((await stack.ask(question)).body).toMatchObject({ data: right });
  });

  it.each(some(['429', '503'], 2))('with %s and Retry-After is not called for that time, at most 30 s', async (status) => {
    const { stack, gateway } = await start({ upstream: { probeInterval: 20 }, beside: 1 });
    gateway.answer = withStatus(Number(status), { 'retry-after': '3600' });
    expect((await stack.ask(question)).body).toMatchObject({ data: right });
    gateway.answer = undefined;
    gateway.requests.length = 0;
    for (let id = 1; id <= 5; id += 1) expect((await stack.ask(`{ group(id: ${id}) { id } }`)).body.errors).toBeUndefined();
    expect(gateway.requests).toEqual([]);

    const alone = await startGuarded();
    alone.gateway.answer = withStatus(Number(status), { 'retry-after': '3600' });
    await alone.stack.ask(question);
    const { body } = await alone.stack.ask(question);
    const [error] = body.errors!;
    expect(error!.extensions).toMatchObject({ code: 'NODE_UNREACHABLE' });
    expect(error!.extensions.retryAfter).toBeGreaterThan(20_000);
    expect(error!.extensions.retryAfter).toBeLessThanOrEqual(30_000);
    await alone.close();
  });
});

/** Responses that do not end. */
const slow: readonly [name: string, answer: Answer][] = [
  ['never responds', () => undefined],
  [
    'sends its headers, and then byte after byte',
    (response, own) => {
      response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(own) });
      let at = 0;
      const bytes = setInterval(() => response.write(own[at++] ?? ''), 50);
      response.once('close', () => clearInterval(bytes));
    },
  ],
];

describe('T38: a slow node', () => {
  it.each(some(slow, 2))('%s: NODE_TIMEOUT after the attempt, and its connection is closed', async (_, answer) => {
    const { stack, gateway } = await start({ upstream: { timeout: 300 } });
    let open = 0;
    gateway.answer = (response, own, calls) => {
      if (!calls.some(({ method }) => method === 'abci_query')) return void response.end(own);
      // The attempt may have ended during the call.
      if (response.closed) return;
      open += 1;
      response.once('close', () => {
        open -= 1;
      });
      answer(response, own, calls);
    };
    const begun = performance.now();
    const all = await Promise.all(Array.from({ length: 20 }, (_, id) => stack.ask(`{ group(id: ${id + 1}) { id } }`)));
    // At most three attempts, one after another.
    expect(performance.now() - begun).toBeLessThan(5_000);
    for (const { body } of all)
      expect(body.errors).toMatchObject([{ extensions: { code: 'NODE_TIMEOUT', milliseconds: expect.any(Number) } }]);
    await expect.poll(() => open, longPoll).toBe(0);
  });

  it.each(some(slow, 2))('%s: another node responds instead', async (_, answer) => {
    const { stack, gateway } = await start({ upstream: { timeout: 300 }, beside: 1 });
    gateway.answer = answer;
    expect((await stack.ask(question)).body).toMatchObject({ data: right });
  });
});
