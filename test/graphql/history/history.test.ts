import { applyPatch } from 'rfc6902';
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../../packages/client/src/index.ts';
import { startFaultyRelay } from '../../client/relay.ts';
import { TypedDocumentString } from '../../client/typedDocument.ts';
import { runsAll, takeTurns } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describeGroup, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Listener, transports } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { executeEverywhere, type Page, pagesOf, type Step, stepsOf } from './histories.ts';

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
const listeners: Listener[] = [];

const board = `query Board($policy: String!) LIVE {
  proposalsByGroupPolicy(address: $policy, first: 20) {
    nodes { asOfHeight id status tally { yesCount } votes(first: 20) { nodes { option voter { address } } } }
  }
  group(id: "GROUP") { metadata asOfHeight }
}`;
const boardOf = (live: string) => board.replace('LIVE', live).replace('GROUP', String(group.id));

beforeAll(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_700_000_000_000_000_000n, keepHeights: 0 });
  const members = chain.accounts.slice(0, 5);
  group = await createGroup(
    chain,
    members.map((account) => [account, '1']),
    { threshold: '5', votingSeconds: 1_000_000 },
  );
  for (let step = 0; step < 6; step += 1) {
    for (let block = 0; block < 3 + step * 2; block += 1) await chain.devnet.commit();
    if (step % 2 === 0) await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, `step ${step}`));
    else {
      const id = await submitProposal(chain, group, chain.accounts[0]!);
      await chain.run(chain.accounts[1]!, vote(chain.accounts[1]!, id));
    }
  }
  stack = await startStack([chain.node.url], { server: { limits: { 'history.executions': 12 } } });
  await seen();
});

afterEach(() => {
  for (const listener of listeners.splice(0)) listener.drop();
  chain.node.heal();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

const seen = () => stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
const variables = () => ({ policy: group.policy });

describe('pages of a history', () => {
  it.runIf(runsAll)('have each change once, as executing at every height has it', async () => {
    const expected = await executeEverywhere(stack, boardOf(''), variables(), 1n, chain.devnet.height);
    expect(expected.length).toBeGreaterThan(6);
    const pages = await pagesOf(stack, boardOf(''), variables(), { from: '1' });
    expect(stepsOf(pages)).toEqual(expected);
    for (const first of [1, 4])
      expect(stepsOf(await pagesOf(stack, boardOf(''), variables(), { from: '1', first }))).toEqual(expected);
  });

  it('execute at the changes only', async () => {
    const other = await startStack([chain.node.url]);
    const pages = await pagesOf(other, boardOf(''), variables(), { from: '2' });
    expect(pages.every(({ refusal }) => refusal === undefined)).toBe(true);
    const changes = stepsOf(pages).length;
    expect(pages.reduce((sum, { executions }) => sum + executions, 0)).toBeLessThanOrEqual(changes + 1);
    await other.close();
  });

  it('refuse a field that depends on the block, and name it', async () => {
    const query = `query ($policy: String!) { group(id: "1") { metadata } ...Board } fragment Board on Query {
      proposalsByGroupPolicy(address: $policy, first: 2) { nodes { id left: votingTimeLeft } } }`;
    const from = String(chain.devnet.height);
    const { body } = await ask(stack, query, { history: { from } }, variables());
    const field = 'proposalsByGroupPolicy.nodes.left';
    expect(body.errors?.[0]?.extensions).toEqual({ code: 'HISTORY_DEPENDS_ON_HEIGHT', field, height: from });
    expect(body.errors?.[0]?.message).toContain(`\`${field}\``);
    const numTxs = await ask(stack, '{ head { height numTxs } }', { history: { from: '3' } });
    expect(numTxs.body.errors?.[0]?.extensions.field).toBe('head');
    const every = await ask(stack, '{ head { numTxs } }', { history: { from: '3', every: 5 } });
    expect(every.body.errors).toBeUndefined();
    expect((every.body.extensions!.history as Page).changes.every(({ height }) => (BigInt(height) - 3n) % 5n === 0n)).toBe(
      true,
    );
  });
});

async function ask(on: Stack, query: string, extensions: object, more: Record<string, unknown> = {}) {
  const response = await fetch(`${on.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query, variables: more, extensions }),
  });
  return {
    status: response.status,
    body: (await response.json()) as {
      data?: unknown;
      errors?: readonly { message: string; extensions: Record<string, unknown> }[];
      extensions?: Record<string, unknown>;
    },
  };
}

async function allOf<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

describe('the client package', () => {
  it('reads a history page by page, with types', async () => {
    const client = createClient({ url: `${stack.server.url}/graphql` });
    const document = new TypedDocumentString<{ readonly group: { readonly metadata: string } }, { readonly id: string }>(
      'query ($id: ID!) { group(id: $id) { metadata asOfHeight } }',
    );
    const variables = { id: String(group.id) };
    const to = chain.devnet.height - 1n;
    const steps: Step[] = [];
    for await (const { height, time, data, errors } of client.history(document, { from: 2, to, variables })) {
      expectTypeOf(data.group.metadata).toEqualTypeOf<string>();
      expect(errors).toBeUndefined();
      steps.push({ height, time, data });
    }
    expect(steps).toEqual(await executeEverywhere(stack, String(document), variables, 2n, to));
    const { time } = steps[1]!;
    const [first] = await allOf(client.history(document, { from: new Date(time), to: time, variables }));
    expect(first?.data).toEqual(steps[1]!.data);
    const refused = client.history('{ head { numTxs } }', { from: 2 });
    await expect(refused.next()).rejects.toMatchObject({ code: 'HISTORY_DEPENDS_ON_HEIGHT', facts: { field: 'head' } });
    const everyFifth = await allOf(client.history('{ head { height } }', { from: 2, to: 20, every: 5 }));
    expect(everyFifth.map(({ height }) => height)).toEqual(['2', '7', '12', '17']);
    client.close();
  });
});

describe('since', () => {
  it.runIf(runsAll)('is a patch to the answer at the height of the request, or nothing if nothing has changed', async () => {
    const expected = await executeEverywhere(stack, boardOf(''), variables(), 1n, chain.devnet.height);
    const [from, to] = [expected[3]!, expected.at(-1)!];
    const changed = await ask(stack, boardOf(''), { since: from.height }, variables());
    const { since } = changed.body.extensions as { since: { height: string; patch: never[] } };
    expect(since.height).toBe(from.height);
    const state = structuredClone({ data: from.data });
    expect(applyPatch(state, since.patch).every((error) => error === null)).toBe(true);
    expect(changed.body.data).toEqual(state.data);
    const before = stack.client.pastRoots.requests();
    const unchanged = await ask(stack, boardOf(''), { since: to.height }, variables());
    expect(unchanged.body).toEqual({
      data: null,
      extensions: { height: String(chain.devnet.height), since: { height: to.height, unchanged: true } },
    });
    expect(stack.client.pastRoots.requests() - before).toBeLessThan(4);
  });
});

describe.each(Object.entries(transports))('over %s', (_, over) => {
  const turn = takeTurns(Object.values(transports), over);

  it.runIf(turn())('a live query from a height has its past and goes on, without a gap and without a repeat', async () => {
    const listener = await over(stack.server.url, boardOf('@live(from: "2")'), variables());
    listeners.push(listener);
    const before = await executeEverywhere(stack, boardOf(''), variables(), 2n, chain.devnet.height);
    await listener.count(before.length);
    await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, `after ${chain.devnet.height}`));
    await listener.count(before.length + 1);
    await chain.devnet.commit();
    await seen();
    const all = await executeEverywhere(stack, boardOf(''), variables(), 2n, chain.devnet.height);
    const steps = listener.answers.map(({ data, extensions }) => ({
      height: extensions!.height,
      time: (extensions as { time: string }).time,
      data,
    }));
    expect(steps).toEqual(all);
  });

  it.runIf(turn())('a range of the past completes, and patches lead to the same results', async () => {
    const to = chain.devnet.height - 1n;
    const text = boardOf('@live(from: $from, to: $to)').replace(
      '$policy: String!',
      '$policy: String!, $from: String, $to: String',
    );
    const listener = await over(stack.server.url, text, { ...variables(), from: '2', to: String(to) }, undefined, {
      patch: true,
    });
    listeners.push(listener);
    expect(await listener.ended).toBe('complete');
    const steps: Step[] = [];
    let state: { data?: unknown } = {};
    for (const answer of listener.answers) {
      const { patch, data, extensions } = answer as {
        patch?: never[];
        data?: unknown;
        extensions: { height: string; time: string };
      };
      if (patch === undefined) state = { data };
      else applyPatch(state, patch);
      steps.push({ height: extensions.height, time: extensions.time, data: structuredClone(state.data) });
    }
    expect(steps).toEqual(await executeEverywhere(stack, boardOf(''), variables(), 2n, to));
  });
});

describe('a live query of the client package', () => {
  it('goes on with a live query from a height after its connection was lost, and has no result again', async () => {
    const relay = await startFaultyRelay(stack.server.url);
    const client = createClient({ url: `${relay.url}/graphql`, webSocket: WebSocket });
    const results = client.live<{ group: { metadata: string } }>(
      `query ($from: String) @live(from: $from) { group(id: "${group.id}") { metadata } }`,
      { from: String(chain.devnet.height) },
    );
    const heights: bigint[] = [];
    const until = async (metadata: string): Promise<void> => {
      for (;;) {
        const { value } = await results.next();
        heights.push(BigInt(value.height));
        if (value.data.group.metadata === metadata) return;
      }
    };
    const [first] = chain.accounts;
    for (const metadata of ['before', 'after', 'later']) {
      await chain.run(first!, describeGroup(first!, group, metadata));
      await until(metadata);
      relay.cut();
    }
    expect(heights).toEqual([...new Set(heights)].sort((a, b) => (a < b ? -1 : 1)));
    client.close();
    await relay.close();
  });
});
