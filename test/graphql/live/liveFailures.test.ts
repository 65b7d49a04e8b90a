import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LiveStats } from '../../../src/graphql/live/liveQueries.ts';
import { runsAll, takeTurns } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describeGroup, type TestGroup } from '../../support/groups.ts';
import { authenticatorOf, startIssuer } from '../../support/issuer.ts';
import { type Listener, overEvents, overWebSocket, transports } from '../../support/listeners.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
const listeners: Listener[] = [];

const query = 'query Group($id: ID!) @live { group(id: $id) { id metadata totalWeight } }';

async function start(options: StackOptions = {}): Promise<void> {
  stack = await startStack([chain.node.url], { upstream: { timeout: 300, probeInterval: 20 } }, options);
  await seen();
}

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_700_000_000_000_000_000n });
  group = await createGroup(chain, [[chain.accounts[0]!, '1']]);
});

afterEach(async () => {
  for (const listener of listeners.splice(0)) listener.drop();
  chain.node.heal();
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

/** Waits until the server has seen the newest block. */
const seen = () => stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });

async function listen(over: typeof overWebSocket, token?: string, document = query): Promise<Listener> {
  const listener = await over(stack.server.url, document, { id: String(group.id) }, token);
  listeners.push(listener);
  return listener;
}

const live = (): LiveStats => stack.server.subscriptions().live;
const stats = (expected: Partial<LiveStats>): Promise<void> => expect.poll(live, { interval: 2 }).toMatchObject(expected);

/** Changes the group in a block of its own. */
const change = (text: string) => chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, text));

const metadata = ({ answers }: Listener): unknown[] => answers.map(({ data }) => data!.group?.metadata);

/** Fails each read of the group, without an answer of a node. */
function failReads(): void {
  chain.node.faults.answer = (calls) =>
    calls.some(({ params }) => JSON.stringify(params ?? '').includes('/cosmos.group.')) ? 'reset' : undefined;
}

describe.each(Object.entries(transports))('over %s', (_, over) => {
  const turn = takeTurns(Object.values(transports), over);

  it.runIf(turn())(
    'while the nodes cannot be read, a client keeps its last result, and gets the next one as soon as they can',
    async () => {
      await start();
      const listener = await listen(over);
      await listener.count(1);
      failReads();
      const { executions } = live();
      await change('one');
      await expect.poll(() => live().executions).toBeGreaterThan(executions);
      await change('two');
      await expect.poll(() => live().executions).toBeGreaterThan(executions + 1);
      const late = await listen(over);
      await late.count(1);
      expect([metadata(listener), metadata(late)]).toEqual([[''], ['']]);
      chain.node.heal();
      await expect
        .poll(async () => {
          await chain.devnet.commit();
          await seen();
          return metadata(listener);
        })
        .toEqual(['', 'two']);
      expect(listener.answers.map(({ errors }) => errors)).toEqual([undefined, undefined]);
    },
  );

  it.runIf(turn())('the first result may have errors of the nodes, which the first good result replaces', async () => {
    await start();
    failReads();
    const listener = await listen(over);
    await listener.count(1);
    expect(listener.answers[0]!.errors).toMatchObject([
      { path: ['group'], extensions: { code: expect.stringMatching(/^NODE_/) } },
    ]);
    chain.node.heal();
    await expect
      .poll(async () => {
        await chain.devnet.commit();
        await seen();
        return listener.answers.at(-1)!.errors;
      })
      .toBeUndefined();
    expect(metadata(listener)).toEqual([...listener.answers.slice(1).map(() => undefined), '']);
  });

  it.runIf(turn())('an error that is not of the nodes is a result like any other: sent again only with a change', async () => {
    await start();
    const listener = await listen(
      over,
      undefined,
      `query ($id: ID!) @live { account(address: "x") { address } group(id: $id) { metadata } }`,
    );
    await listener.count(1);
    const { executions } = live();
    await chain.devnet.commit();
    await expect.poll(() => live().executions).toBe(executions + 1);
    await change('one');
    await listener.count(2);
    const errors = [{ path: ['account'], extensions: { code: 'BAD_USER_INPUT', argument: 'address' } }];
    expect(listener.answers).toMatchObject(
      ['', 'one'].map((text) => ({ data: { account: null, group: { metadata: text } }, errors })),
    );
  });

  it.runIf(turn())('a server that stops ends a live query with SERVER_SHUTDOWN, without a height to resume after', async () => {
    await start();
    const listener = await listen(over);
    await listener.count(1);
    const { ended } = listener;
    await stack.server.close();
    expect(await ended).toMatchObject({ interrupted: { code: 'SERVER_SHUTDOWN' } });
    expect(JSON.stringify(await ended)).not.toContain('after');
    expect(live()).toMatchObject({ topics: 0, listeners: 0 });
  });

  it.runIf(turn())('a client that leaves, by any means, ends the query with its reads', async () => {
    await start();
    const [one, two] = [await listen(over), await listen(over)];
    await Promise.all([one.count(1), two.count(1)]);
    one.complete();
    await stats({ topics: 1, listeners: 1 });
    two.drop();
    await stats({ topics: 0, listeners: 0 });
    const { executions } = live();
    await change('one');
    await seen();
    expect(live().executions).toBe(executions);
    expect(stack.client.memory.stats().find(({ cache }) => cache === 'live')).toMatchObject({ entries: 0 });
  });
});

it.runIf(runsAll)('a live query ends with its token, and never shares with a token of other scopes', async () => {
  const issuer = await startIssuer();
  await start({ server: { auth: authenticatorOf(issuer) } });
  const exp = Math.floor(Date.now() / 1000) + 3;
  const [short, wide, long] = await Promise.all([
    issuer.sign({ exp, scope: 'read' }),
    issuer.sign({ scope: 'read introspect' }),
    issuer.sign({ scope: 'read' }),
  ]);
  const [ending, other, staying] = [
    await listen(overWebSocket, short),
    await listen(overEvents, wide),
    await listen(overEvents, long),
  ];
  await Promise.all([ending, other, staying].map((listener) => listener.count(1)));
  expect(live()).toMatchObject({ topics: 2, listeners: 3 });
  expect(await ending.ended).toMatchObject({ interrupted: { code: 'SUBSCRIPTION_JWT_EXPIRED' }, code: 4403 });
  await change('one');
  await Promise.all([other, staying].map((listener) => listener.count(2)));
  const refused = await listen(overWebSocket, await issuer.sign({ scope: 'introspect' }));
  expect(await refused.ended).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  await issuer.close();
});

describe('limits', () => {
  it('an execution is shared evenly by those who listen, and a caller with too few points ends with RATE_LIMITED', async () => {
    const issuer = await startIssuer();
    await start({ server: { auth: authenticatorOf(issuer), limits: { 'rate.burst': 20, 'rate.points': 1 } } });
    const eight = Array.from({ length: 8 }, (_, at) => `g${at}: group(id: $id) { metadata }`).join(' ');
    const tokens = await Promise.all(['one', 'other'].map((sub) => issuer.sign({ sub, client_id: sub })));
    const both = [
      await listen(overWebSocket, tokens[0], `query ($id: ID!) @live { ${eight} }`),
      await listen(overEvents, tokens[1], `query ($id: ID!) @live { ${eight} }`),
    ];
    await Promise.all(both.map((listener) => listener.count(1)));
    // Each caller has 12 of 20 points left after its request, and pays 4 of 8 points for each change.
    for (let changes = 1; changes <= 3; changes += 1) {
      await change(`change ${changes}`);
      await Promise.all(both.map((listener) => listener.count(1 + changes)));
    }
    await change('too much');
    for (const listener of both) {
      expect(await listener.ended).toMatchObject({
        errors: [{ extensions: { code: 'RATE_LIMITED', limit: 'rate.points', retryAfter: expect.any(Number) } }],
      });
    }
    await stats({ topics: 0, listeners: 0 });
    await issuer.close();
  });

  it('subscriptions.points counts what an execution costs, and not what its document could read', async () => {
    await start({ server: { limits: { 'subscriptions.points': 30 } } });
    // It could read 100 groups: 101 points. There is one.
    const boards = Array.from({ length: 10 }, (_, at) => `query @live { a${at}: groups(first: 100) { nodes { id } } }`);
    const all = [];
    for (const board of boards) {
      const listener = await listen(overWebSocket, undefined, board);
      await listener.count(1);
      all.push(listener);
    }
    await stats({ topics: 10, listeners: 10 });
    // Each of the ten has 2 points or more. This one has 20.
    const many = Array.from({ length: 20 }, (_, at) => `g${at}: group(id: "1") { metadata }`).join(' ');
    const tooMany = await listen(overWebSocket, undefined, `query @live { ${many} }`);
    expect(await tooMany.ended).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED', limit: 'subscriptions.points', max: 30 } }],
    });
    await stats({ topics: 10, listeners: 10 });
  });

  it.each([
    ['subscriptions.distinct', 1],
    ['subscriptions.points', 3],
    ['subscriptions.caller', 1],
    ['socket.subscriptions', 1],
  ])('%s holds for live queries', async (limit, max) => {
    await start({ server: { limits: { [limit]: max } } });
    const { default: WebSocket } = await import('ws');
    const socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const messages: { readonly id?: string; readonly type: string; readonly payload?: unknown }[] = [];
    socket.on('message', (data) => void messages.push(JSON.parse(String(data))));
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    await expect.poll(() => messages.length).toBe(1);
    const subscribe = (id: string, document: string) =>
      socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query: document } }));
    subscribe('1', 'query @live { a: group(id: "1") { id } b: group(id: "1") { id } }');
    await expect.poll(() => messages.length).toBe(2);
    subscribe('2', 'query @live { a: group(id: "1") { metadata } b: group(id: "1") { id } }');
    await expect.poll(() => messages.length).toBeGreaterThan(2);
    expect(messages[1]).toMatchObject({ id: '1', type: 'next' });
    expect(JSON.stringify(messages[2])).toContain(`"limit":"${limit}"`);
    expect(live()).toMatchObject({ topics: 1, listeners: 1 });
    socket.close();
    await stats({ topics: 0, listeners: 0 });
  });
});
