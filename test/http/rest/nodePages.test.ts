import { afterEach, describe, expect, it } from 'vitest';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { runsAll } from '../../support/atRandom.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';
import { at, get, type RestReply } from './rest.ts';

const { council } = readRecording('world');
const proposals = `/rest/cosmos/group/v1/proposals_by_group_policy/${council.policy}`;
const largest = '18446744073709551615';

let node: ReplayNode;
let stack: Stack;

async function start(limits: NonNullable<StackOptions['server']>['limits'] = {}): Promise<void> {
  node = await createReplayNode();
  stack = await startStack([node.url], { server: { limits } });
  await stack.client.head.ready({ milliseconds: 10_000 });
}

afterEach(async () => {
  await stack.close();
  await node.close();
});

const read = (path: string, height = 566): Promise<RestReply> => get(stack.server, path, at(height));
/** The page requests that reached the node, in order. */
const pages = () =>
  node.calls
    .filter(({ path }) => path?.startsWith('/cosmos.group.v1.Query/'))
    .map(({ request }) => (request as { pagination?: Record<string, unknown> }).pagination);

/** Reads a list to its end by `next_key`, as stock clients do. Returns the ids and the number of pages. */
async function walk(path: string, list: string): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let key: string | null = '';
  let count = 0;
  while (key !== null && count < 50) {
    const { status, body }: RestReply = await read(key === '' ? path : `${path}&pagination.key=${encodeURIComponent(key)}`);
    expect(status).toBe(200);
    ids.push(...body[list].map(({ id }: { id: string }) => id));
    key = body.pagination.next_key as string | null;
    count += 1;
  }
  return { ids, pages: count };
}

describe("page sizes in the node's dialect", () => {
  it.runIf(runsAll)('accepts every size and offset that a node accepts', async () => {
    await start();
    const whole = await read(`${proposals}?pagination.limit=200`);
    expect(whole.body.proposals).toHaveLength(12);
    node.reset();
    for (const [query, page] of [
      ['limit=1000', { limit: '1000' }],
      ['limit=100000', { limit: '1000' }],
      [`limit=${largest}&pagination.count_total=true`, { limit: '1000', countTotal: true }],
      [`limit=${largest}&pagination.reverse=true`, { limit: '1000', reverse: true }],
    ] as const) {
      const { status, body } = await read(`${proposals}?pagination.${query}`);
      expect([query, status, body.proposals]).toEqual([query, 200, whole.body.proposals]);
      expect(pages().at(-1)).toEqual(page);
    }
    const beyond = await read(`${proposals}?pagination.offset=${largest}`);
    expect([beyond.status, beyond.body.proposals]).toEqual([200, []]);
    expect((await read(`${proposals}?pagination.limit=0`)).body.pagination.total).toBe('12');
    expect((await read(`${proposals}?pagination.limit=18446744073709551616`)).status).toBe(400);
  });

  it('cuts a larger page at rest.page.node, and next_key continues behind it, also in Groups, where the chain ignores keys', async () => {
    await start({ 'rest.page.node': 3 });
    const cut = await walk(`${proposals}?pagination.limit=1000`, 'proposals');
    expect(cut.pages).toBe(4);
    expect(new Set(cut.ids).size).toBe(12);
    const groups = await walk('/rest/cosmos/group/v1/groups?pagination.limit=1000', 'groups');
    expect(groups).toEqual({ ids: ['1', '2', '3', '4'], pages: 2 });
  });

  it('charges items beyond rest.page.max by their number in the response', async () => {
    await start({ 'rest.page.max': 3, 'rest.page.default': 3, 'rate.points': 1, 'rate.burst': 25 });
    const statusAt = async (height: number) => (await read(`${proposals}?pagination.limit=1000`, height)).status;
    // 1 for the request, 3 before and 9 after the read.
    expect([await statusAt(566), await statusAt(102), await statusAt(565)]).toEqual([200, 200, 429]);
  });
});
