import { createClient as createEventClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { applyPatch } from 'rfc6902';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { LiveStats } from '../../../src/graphql/live/liveQueries.ts';
import { runsAll, some, takeTurns } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describeGroup, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Listener, overEvents, overWebSocket, transports } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
const listeners: Listener[] = [];

const board = `query Board($policy: String!) @live {
  proposalsByGroupPolicy(address: $policy, first: 20, reverse: true) {
    nodes { asOfHeight id status tally { yesCount } votes(first: 20) { nodes { option voter { address } } } groupPolicy { group { metadata } } }
  }
}`;

const eight = Array.from({ length: 8 }, (_, at) => String(at));
/** A result of 320 kB. Some of them fill a socket that is not read, including the buffers of the kernel. */
const wide = `query Wide($policy: String!) @live { groupPolicy(address: $policy) { ${eight.map((at) => `g${at}: group { ...Long }`).join(' ')} } }
  fragment Long on Group { ${eight.map((at) => `${'x'.repeat(5_000)}${at}: metadata`).join(' ')} }`;

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_700_000_000_000_000_000n });
  const members = chain.accounts.slice(0, 5);
  group = await createGroup(
    chain,
    members.map((account) => [account, '1']),
    { threshold: '5', votingSeconds: 1_000_000 },
  );
  stack = await startStack([chain.node.url], { server: { limits: { 'request.freshness': 500, 'socket.ping': 120_000 } } });
  await seen();
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

type Over = typeof overWebSocket;

async function listen(over: Over, query = board, variables: object = { policy: group.policy }, extensions?: object) {
  const listener = await over(stack.server.url, query, variables, undefined, extensions);
  listeners.push(listener);
  return listener;
}

/** Waits until the statistics of live queries match. */
const stats = (expected: Partial<LiveStats>): Promise<void> =>
  expect.poll(() => stack.server.subscriptions().live, { interval: 2 }).toMatchObject(expected);

/** Commits blocks one after another. The server has looked at each of them with every live query before the next one. */
async function idle(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block += 1) {
    const { executions, unchanged } = stack.server.subscriptions().live;
    await chain.devnet.commit();
    await expect
      .poll(() => {
        const now = stack.server.subscriptions().live;
        return now.executions + now.unchanged;
      })
      .toBe(executions + unchanged + stack.server.subscriptions().live.topics);
  }
}

/** The result of a live query at a height: the answer of the query without `@live`, read by a server of its own, with the chain. */
async function readAt(height: bigint | string, query = board, variables: object = { policy: group.policy }): Promise<unknown> {
  const other = await startStack([chain.node.url]);
  const { body } = await other.ask(query.replace('@live ', ''), { ...variables }, { 'x-cosmos-block-height': String(height) });
  await other.close();
  return { ...body, extensions: { ...body.extensions, chain: other.client.head.fingerprint() } };
}

/** The paths of the calls that read state, without those of the roots of stores. */
const reads = (): string[] =>
  chain.node.counters.log
    .filter(({ method }) => method === 'abci_query')
    .map(({ params }) => JSON.stringify(params))
    .filter((params) => !params.includes('"/store/'));

describe.each(Object.entries(transports))('over %s', (_, over) => {
  const turn = takeTurns(Object.values(transports), over);

  it.runIf(turn())(
    'a live query has the result now, and again at each block at which it differs, each as it is read at that height',
    async () => {
      const listener = await listen(over);
      await listener.count(1);
      const id = await submitProposal(chain, group, chain.accounts[0]!);
      await listener.count(2);
      await idle(3);
      await chain.run(chain.accounts[1]!, vote(chain.accounts[1]!, id));
      await listener.count(3);
      await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, 'other'));
      await listener.count(4);
      await idle(2);
      expect(listener.answers).toHaveLength(4);
      const heights = listener.answers.map(({ extensions }) => extensions!.height!);
      expect(heights.map((height) => Number(height) - Number(heights[0]))).toEqual([0, 1, 5, 6]);
      for (const [index, height] of heights.entries()) expect(listener.answers[index]).toEqual(await readAt(height));
    },
  );

  it.runIf(turn())(
    'fifty equal queries cost one execution at a block that changes their stores, and neither an execution nor a read at any other',
    async () => {
      const id = await submitProposal(chain, group, chain.accounts[0]!);
      await seen();
      const listening = await Promise.all(Array.from({ length: 50 }, () => listen(over)));
      await Promise.all(listening.map((listener) => listener.count(1)));
      // The stores of the query are in use from its first execution on, so their roots are known from the next block on.
      await idle(1);
      const { executions, unchanged } = stack.server.subscriptions().live;
      chain.node.counters.reset();
      await idle(5);
      expect([stack.server.subscriptions().live, reads()]).toEqual([
        { topics: 1, listeners: 50, executions, unchanged: unchanged + 5 },
        [],
      ]);
      await chain.run(chain.accounts[1]!, vote(chain.accounts[1]!, id));
      await Promise.all(listening.map((listener) => listener.count(2)));
      await idle(2);
      await stats({ executions: executions + 1, unchanged: unchanged + 7 });
      const [first] = listening;
      for (const { texts } of listening) expect(texts).toEqual(first!.texts);
    },
  );

  it.runIf(turn() && runsAll)(
    'a client that does not read is not ended: it gets the newest result and skips those before it',
    async () => {
      const slow = await listen(over, wide);
      const fast = await listen(over, wide);
      await Promise.all([slow, fast].map((listener) => listener.count(1)));
      slow.pause();
      const changes = 40;
      for (let change = 1; change <= changes; change += 1) {
        await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, `${change}`));
        await fast.count(1 + change);
      }
      slow.resume();
      await slow.until(({ extensions }) => extensions!.height === chain.devnet.height.toString());
      const seenBy = ({ texts }: Listener): string[] => texts.map((each) => each.replace(/"extensions".*$/, ''));
      const [all, some] = [seenBy(fast), seenBy(slow)];
      expect(all).toHaveLength(1 + changes);
      expect(some.length).toBeLessThan(changes);
      const at = some.map((each) => all.indexOf(each));
      expect(at).toEqual(at.toSorted((one, other) => one - other));
      expect([at[0], at.at(-1)]).toEqual([0, changes]);
      expect(slow.late).toEqual([]);
    },
  );
});

describe('with `extensions: { patch: true }`', () => {
  /** Applies the payloads of a stream as a client does. Returns each result, with whether it came as a patch. */
  function applied({ texts }: Listener): { readonly result: unknown; readonly isPatch: boolean }[] {
    let result: Record<string, unknown> = {};
    return texts.map((text) => {
      const { patch, extensions, ...whole } = JSON.parse(text);
      result = patch === undefined ? whole : structuredClone(result);
      if (patch !== undefined) expect(applyPatch(result, patch)).toEqual(patch.map(() => null));
      return { result: { ...result, extensions }, isPatch: patch !== undefined };
    });
  }

  it.each(some(Object.entries(transports), 2))(
    'a change is sent as a JSON Patch if that is smaller, over %s',
    async (_, over) => {
      const [patched, whole] = [await listen(over, board, { policy: group.policy }, { patch: true }), await listen(over)];
      await Promise.all([patched, whole].map((listener) => listener.count(1)));
      const ids = [];
      for (const proposer of chain.accounts.slice(0, 3)) {
        ids.push(await submitProposal(chain, group, proposer!));
        await Promise.all([patched, whole].map((listener) => listener.count(1 + ids.length)));
      }
      for (const [index, id] of ids.entries()) {
        await chain.run(chain.accounts[4]!, vote(chain.accounts[4]!, id));
        await Promise.all([patched, whole].map((listener) => listener.count(5 + index)));
      }
      expect(applied(patched).map(({ result }) => result)).toEqual(whole.answers);
      // The first proposal is longer as a patch of an empty list than as a whole result.
      expect(applied(patched).map(({ isPatch }) => isPatch)).toEqual([false, false, true, true, true, true, true]);
      expect(patched.texts.at(-1)!.length).toBeLessThan(whole.texts.at(-1)!.length);
      expect(patched.texts.join('')).not.toContain('height-');
    },
  );

  it.runIf(runsAll)('a slow client gets the change from the last result that it was sent', async () => {
    const policy = group.policy;
    const slow = await listen(overWebSocket, wide, { policy }, { patch: true });
    const fast = await listen(overWebSocket, wide, { policy });
    await Promise.all([slow, fast].map((listener) => listener.count(1)));
    slow.pause();
    for (let change = 1; change <= 40; change += 1) {
      await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, `${change}`));
      await fast.count(1 + change);
    }
    slow.resume();
    await slow.until(({ extensions }) => extensions!.height === chain.devnet.height.toString());
    const results = applied(slow).map(({ result }) => JSON.stringify(result));
    expect(results.length).toBeLessThan(40);
    const at = results.map((result) => fast.answers.findIndex((answer) => JSON.stringify(answer) === result));
    expect(at).not.toContain(-1);
    expect(at).toEqual(at.toSorted((one, other) => one - other));
    expect(at.at(-1)).toBe(40);
  });
});

describe('requests', () => {
  const refused = (text: string) => ({
    errors: [{ message: expect.stringContaining(text), extensions: { code: 'BAD_USER_INPUT' } }],
  });

  it.each([
    ['query @live { status { lastBlockAge } }', 'Query.status'],
    ['query @live { head { height } ...F } fragment F on Query { netInfo { listening } }', 'Query.netInfo'],
  ])('a query that reads the node itself cannot be live: %s', async (query, field) => {
    const { status, body } = await stack.ask(query, {}, { accept: 'text/event-stream, application/json' });
    expect([status, body]).toMatchObject([200, refused(`\`${field}\``)]);
    const socket = await listen(overWebSocket, query, {});
    await socket.ended;
    expect([...socket.answers, await socket.ended]).toMatchObject([refused(`\`${field}\``), 'complete']);
    await stats({ topics: 0, executions: 0 });
  });

  it('another operation of the document may read the node', async () => {
    const query = 'query A @live { head { height } } query B { status { lastBlockAge } }';
    const client = createSocketClient({ url: `${stack.server.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
    const results = client.iterate<{ head: { height: string } }>({ query, operationName: 'A' });
    expect((await results.next()).value!.data).toEqual({ head: { height: String(chain.devnet.height) } });
    await results.return!();
    await client.dispose();
  });

  it.each(['mutation @live { broadcastTxSync(tx: "0x00") { hash } }', 'subscription @live { newBlock { height } }'])(
    'only a query can be live: %s',
    async (query) => {
      const { body } = await stack.ask(query);
      expect(body.errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
    },
  );

  it.each(['application/json', '*/*', 'multipart/mixed'])(
    'a client with `Accept: %s` cannot receive a stream: 406',
    async (accept) => {
      const { status, body } = await stack.ask('query @live { head { height } }', {}, { accept });
      expect([status, body]).toMatchObject([406, { errors: [{ extensions: { code: 'BAD_USER_INPUT', argument: 'Accept' } }] }]);
      expect(body.errors![0]!.message).toContain('live query');
      await stats({ topics: 0 });
    },
  );

  it.runIf(runsAll)('a variable that is missing is refused as in a query', async () => {
    const accept = { accept: 'text/event-stream, application/json' };
    const live = await stack.ask(board, {}, accept);
    const once = await stack.ask(board.replace('@live ', ''), {});
    expect(live.body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(live.body.errors!.map(({ message }) => message)).toEqual(once.body.errors!.map(({ message }) => message));
  });

  it('equal queries in other white space share an execution, and other variables do not', async () => {
    const query = 'query ($id: ID!) @live { group(id: $id) { id metadata } }';
    const all = [
      await listen(overWebSocket, query, { id: '1' }),
      await listen(overEvents, query.replaceAll(' ', '  '), { id: '1', other: 1 }),
      await listen(overEvents, query, { id: '2' }),
    ];
    await Promise.all(all.map((listener) => listener.count(1)));
    await stats({ topics: 2, listeners: 3, executions: 2 });
    expect(all[0]!.texts).toEqual(all[1]!.texts);
  });

  it.runIf(runsAll)('graphql-ws, graphql-sse and fetch of a multipart response receive the same results', async () => {
    const id = await submitProposal(chain, group, chain.accounts[0]!);
    await seen();
    const request = { query: board, variables: { policy: group.policy } };
    const url = `${stack.server.url}/graphql`;
    const sockets = createSocketClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket });
    const events = createEventClient({ url });
    const received: unknown[][] = [[], [], []];
    const into = (at: number) => ({
      next: (result: unknown) => void received[at]!.push(result),
      error: (error: unknown) => void received[at]!.push(error),
      complete: () => undefined,
    });
    sockets.subscribe(request, into(0));
    events.subscribe(request, into(1));
    const leave = new AbortController();
    const headers = { 'content-type': 'application/json', accept: 'multipart/mixed;subscriptionSpec=1.0' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request), signal: leave.signal });
    const reading = (async () => {
      let text = '';
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        const parts = text.split('\r\n--graphql').map((part) => part.split('\r\n\r\n')[1] ?? '{}');
        received[2] = parts.map((part) => JSON.parse(part).payload).filter((payload) => payload !== undefined);
      }
    })().catch(() => undefined);
    const counts = (count: number) => expect.poll(() => received.map(({ length }) => length)).toEqual([count, count, count]);
    await counts(1);
    for (const [index, voter] of chain.accounts.slice(0, 3).entries()) {
      await chain.run(voter, vote(voter, id));
      await counts(2 + index);
    }
    expect(received[1]).toEqual(received[0]);
    expect(received[2]).toEqual(received[0]);
    await sockets.dispose();
    events.dispose();
    leave.abort();
    await reading;
    await stats({ topics: 0, listeners: 0 });
  });
});

describe('heights', () => {
  it.runIf(runsAll)('a query that depends on its block has a result at each block, each read at its height', async () => {
    const id = await submitProposal(chain, group, chain.accounts[0]!);
    await seen();
    const query = `query Left @live { head { height } proposal(id: "${id}") { votingTimeLeft } }`;
    const listener = await listen(overWebSocket, query, {});
    await listener.count(1);
    await idle(3);
    await listener.count(4);
    const heights = listener.answers.map(({ data }) => data!.head!.height);
    expect(heights.map((height) => Number(height) - Number(heights[0]))).toEqual([0, 1, 2, 3]);
    for (const answer of listener.answers) expect(answer).toEqual(await readAt(String(answer.extensions!.height), query, {}));
  });

  it('`extensions.minHeight` delays the first result until its block, also for a query that others listen to', async () => {
    await (await listen(overWebSocket)).count(1);
    const minHeight = chain.devnet.height + 1n;
    const later = listen(overEvents, board, { policy: group.policy }, { minHeight: minHeight.toString() });
    await chain.devnet.commit();
    const listener = await later;
    await listener.count(1);
    expect(listener.answers.map(({ extensions }) => extensions!.height)).toEqual([minHeight.toString()]);
  });

  it('a block that only changes `asOfHeight` is no result, and a later listener gets the newest height', async () => {
    await submitProposal(chain, group, chain.accounts[0]!);
    await seen();
    const early = await listen(overWebSocket);
    await early.count(1);
    await idle(3);
    const late = await listen(overWebSocket);
    await late.count(1);
    expect(early.answers).toHaveLength(1);
    const height = chain.devnet.height.toString();
    expect(late.answers).toEqual([await readAt(height)]);
    expect(late.texts[0]).toContain(`"asOfHeight":"${height}"`);
  });
});
