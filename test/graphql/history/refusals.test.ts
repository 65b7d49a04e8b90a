import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTrustedDocuments } from '../../../src/graphql/documents/requestParams.ts';
import { heightOfPlace } from '../../../src/graphql/live/historyRange.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describeGroup, type TestGroup } from '../../support/groups.ts';
import { type Listener, overEvents } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { executeAt, executeEverywhere, type Page, pagesOf, type Step, send, stepsOf } from './histories.ts';

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
const listeners: Listener[] = [];
/** The heights with a change. */
const changes: bigint[] = [];
const limit = 4;

const query = () => `{ group(id: "${group.id}") { metadata } }`;
const live = (range: string) => `query Live @live(${range}) { group(id: "${group.id}") { metadata } }`;

beforeAll(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_700_000_000_000_000_000n, keepHeights: 30 });
  const members = chain.accounts.slice(0, 2).map((account) => [account, '1'] as const);
  group = await createGroup(chain, members);
  for (let step = 0; step < 10; step += 1) {
    for (let block = 0; block < 4; block += 1) await chain.devnet.commit();
    await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, `step ${step}`));
    changes.push(chain.devnet.height);
  }
  stack = await startStack([chain.node.url], { server: { limits: { 'history.executions': limit, 'rate.points': 60_000 } } });
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
});

afterEach(() => {
  for (const listener of listeners.splice(0)) listener.drop();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

const oldest = () => chain.devnet.height - 29n;

async function listen(text: string): Promise<Listener> {
  const listener = await overEvents(stack.server.url, text);
  listeners.push(listener);
  return listener;
}

const page = (history: object, text = query()) => send(stack, { query: text, extensions: { history } });

describe('a history that is refused', () => {
  it.runIf(runsAll)('names the oldest height that can be read if the state is pruned, and begins there', async () => {
    const { errors } = await page({ from: '3' });
    expect(errors?.[0]?.extensions).toEqual({ code: 'HEIGHT_PRUNED', height: '3', earliestHeight: oldest().toString() });
    const ending = await (await listen(live('from: "3"'))).ended;
    const facts = { code: 'HEIGHT_PRUNED', height: '3', earliestHeight: oldest().toString() };
    expect(ending).toMatchObject({ errors: [{ extensions: facts }] });
    const from = String(facts.earliestHeight);
    const pages = await pagesOf(stack, query(), {}, { from });
    expect(stepsOf(pages)).toEqual(await executeEverywhere(stack, query(), {}, oldest(), chain.devnet.height));
    process.stdout.write(`HEIGHT_PRUNED: ${JSON.stringify(errors?.[0])}; from ${from} it goes on\n`);
  });

  it('ends a stream after `history.executions`, with the height from which the next one goes on', async () => {
    const steps: Step[] = [];
    const nexts: string[] = [];
    const to = chain.devnet.height;
    for (let from = oldest().toString(); ; ) {
      const listener = await listen(live(`from: "${from}", to: "${to}"`));
      const ending = await listener.ended;
      const received = listener.answers.map(({ data, extensions }) => ({
        height: extensions!.height!,
        time: (extensions as { time: string }).time,
        data,
      }));
      expect(received.length).toBeLessThanOrEqual(limit);
      // The first result of a stream that goes on is the last one of the stream before.
      steps.push(...received.slice(steps.length === 0 ? 0 : 1));
      if (ending === 'complete') break;
      const { errors } = ending as unknown as { errors: { extensions: { next: string } }[] };
      expect(errors[0]!.extensions).toEqual({
        code: 'HISTORY_LIMIT',
        limit: 'history.executions',
        max: limit,
        next: expect.any(String),
      });
      from = errors[0]!.extensions.next;
      nexts.push(from);
    }
    expect(steps).toEqual(await executeEverywhere(stack, query(), {}, oldest(), to));
    expect(nexts.length).toBeGreaterThan(0);
    process.stdout.write(`HISTORY_LIMIT: went on from ${nexts.join(', ')}; ${steps.length} results\n`);
  });

  it('names the field that depends on the block, at once or where it begins to', async () => {
    const head = await page({ from: String(oldest()) }, `{ group(id: "1") { metadata } head { numTxs } }`);
    expect(head.errors?.[0]?.extensions).toEqual({
      code: 'HISTORY_DEPENDS_ON_HEIGHT',
      field: 'head',
      height: oldest().toString(),
    });
    const ending = await (await listen(`query Head @live(from: "${oldest()}") { head { numTxs } }`)).ended;
    expect(ending).toMatchObject({ errors: [{ extensions: { code: 'HISTORY_DEPENDS_ON_HEIGHT', field: 'head' } }] });
    const each = await page({ from: String(oldest()), every: 10 }, '{ head { height } }');
    expect(each.errors).toBeUndefined();
    process.stdout.write(`HISTORY_DEPENDS_ON_HEIGHT: ${JSON.stringify(head.errors?.[0])}\n`);
  });

  it.each([
    [{}, 'extensions.history.from'],
    [{ from: 'yesterday' }, 'extensions.history.from'],
    [{ from: '40', to: '35' }, 'extensions.history.from'],
    [{ from: '40', first: 0 }, 'extensions.history.first'],
    [{ from: '40', first: limit + 1 }, 'extensions.history.first'],
    [{ from: '40', every: 0 }, 'extensions.history.every'],
  ])('%j is BAD_USER_INPUT and names the argument', async (history, argument) => {
    const { errors } = await page(history);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument });
  });

  it('of a height that does not exist yet has the code of heights, and the newest one', async () => {
    const { errors } = await page({ from: '99999' });
    const latestHeight = chain.devnet.height.toString();
    expect(errors?.[0]?.extensions).toEqual({ code: 'HEIGHT_NOT_YET_AVAILABLE', height: '99999', latestHeight });
  });

  it('of fields that are not read at a height, of mutations and of live queries is BAD_USER_INPUT', async () => {
    const status = await page({ from: '40' }, '{ nodes { alias } }');
    expect(status.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'extensions.history' });
    const extensions = { history: { from: '40' }, since: '40' };
    const both = await send(stack, { query: query(), extensions });
    expect(both.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
    const noFrom = await (await listen(live('to: "40"'))).ended;
    expect(noFrom).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT', argument: 'from' } }] });
  });

  it.runIf(runsAll)(
    'of a caller without points ends with the next page, from which one with points goes on, and with RATE_LIMITED without a change',
    async () => {
      const poor = await startStack([chain.node.url], {
        server: { limits: { 'rate.points': 1, 'rate.burst': 40, 'rate.computing': 0 } },
      });
      await poor.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
      const history = { from: String(oldest()), to: String(chain.devnet.height) };
      const [first, refused] = [
        await send(poor, { query: query(), extensions: { history } }),
        await pagesOf(poor, query(), {}, history),
      ];
      const cut = { ...(first.extensions!.history as Page), data: first.data };
      expect(cut.changes.length).toBeGreaterThan(0);
      expect(cut.next).toBe(cut.through);
      expect(refused.at(-1)?.refusal).toMatchObject({
        code: 'RATE_LIMITED',
        limit: 'rate.points',
        retryAfter: expect.any(Number),
      });
      await poor.close();
      const rest = await pagesOf(stack, query(), {}, { ...history, from: cut.next! });
      expect(stepsOf([cut, ...rest])).toEqual(await executeEverywhere(stack, query(), {}, oldest(), chain.devnet.height));
      process.stdout.write(
        `RATE_LIMITED: ${JSON.stringify(refused.at(-1)?.refusal)}; the page before it goes on from ${cut.next}\n`,
      );
    },
  );

  it('is charged for the calls that search its times', async () => {
    const other = await startStack([chain.node.url]);
    await other.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const { time } = await executeAt(stack, query(), {}, changes.at(-3)!);
    const charges: number[] = [];
    const caller = { charge: (points: number) => void charges.push(points) };
    const { signal } = new AbortController();
    expect(await heightOfPlace(other.client, 'from', time, chain.devnet.height, { signal, caller })).toBe(changes.at(-3)!);
    expect(charges.length).toBeGreaterThan(0);
    await other.close();
  });

  it('is not refused for a trusted document at a time in the URL of a GET, whose page a cache may keep', async () => {
    const trusting = await startStack([chain.node.url], {
      server: { trustedDocuments: createTrustedDocuments({ group: query() }) },
    });
    await trusting.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const { time } = await executeAt(stack, query(), {}, changes.at(-2)!);
    const extensions = JSON.stringify({ history: { from: String(oldest()) } });
    const url = `${trusting.server.url}/graphql?${new URLSearchParams({ documentId: 'group', time, extensions })}`;
    const response = await fetch(url, { headers: { accept: 'application/json' } });
    const body = (await response.json()) as { data: unknown; extensions: { history: Page } };
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(stepsOf([{ ...body.extensions.history, data: body.data }])).toEqual(
      await executeEverywhere(stack, query(), {}, oldest(), changes.at(-2)!),
    );
    await trusting.close();
  });
});
