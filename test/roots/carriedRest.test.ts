import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RequestLine } from '../../src/server/observability/requestLog.ts';
import { at, get } from '../http/rest/rest.ts';
import { runsAll } from '../support/atRandom.ts';
import type { TestChain } from '../support/chain.ts';
import { type GroupStack, startGroupStack } from '../support/groupStack.ts';
import { describeGroup, type TestGroup } from '../support/groups.ts';
import type { Stack } from '../support/stack.ts';
import { commitKnown, stateReads } from './knownRoots.ts';

let opened: GroupStack;
let chain: TestChain;
let stack: Stack;
let group: TestGroup;
const lines: RequestLine[] = [];
const log = { request: (line: RequestLine) => void lines.push(line), dropped: () => 0 };

beforeAll(async () => {
  opened = await startGroupStack({ server: { log } });
  ({ chain, stack, group } = opened);
  await stack.client.head.ready();
  await stack.client.descriptors.pool();
});

afterAll(() => opened.close());

beforeEach(() => opened.renew());

/** The headers with a height, by the surface's base path. */
const heightHeaders = { '': 'x-cosmos-block-height', '/rest': 'grpc-metadata-x-cosmos-block-height' } as const;

describe.each(['', '/rest'] as const)('a response of %s', (base) => {
  const heightOf = (headers: Headers): string | null => headers.get(heightHeaders[base]);
  const ask = (path: string, headers?: Record<string, string>) => get(stack.server, `${base}${path}`, headers);
  const statusOf = async (path: string): Promise<string | null> => (await ask(path)).headers.get('cache-status');

  it('is carried to a height with the same roots: without a read, for one point, with the height of the request', async () => {
    const path = `/cosmos/group/v1/group_members/${group.id}`;
    const first = await ask(path);
    const height = await commitKnown(chain, stack);
    chain.node.counters.reset();
    lines.length = 0;
    const carried = await ask(path);
    expect(carried.headers.get('cache-status')).toBe('stele; hit; detail=carried');
    expect([heightOf(first.headers), heightOf(carried.headers)]).toEqual([String(height - 1n), String(height)]);
    expect(carried.text).toBe(first.text);
    expect(stateReads(chain)).toEqual([]);
    expect(await statusOf(path)).toBe('stele; hit');
    await expect.poll(() => lines.map(({ cost }) => cost)).toEqual([1, 1]);
    // The old height is still there.
    const old = await ask(path, at(height - 1n));
    expect([old.text, heightOf(old.headers)]).toEqual([first.text, String(height - 1n)]);
    expect(stateReads(chain)).toEqual([]);
  });

  it.runIf(runsAll)('keeps its ETag while it is carried, and has another after a change', async () => {
    const path = `/cosmos/group/v1/group_info/${group.id}`;
    const etag = (await ask(path)).headers.get('etag')!;
    const height = await commitKnown(chain, stack);
    chain.node.counters.reset();
    const known = await ask(path, { 'if-none-match': etag });
    expect([known.status, known.text, heightOf(known.headers)]).toEqual([304, '', String(height)]);
    expect(known.headers.get('cache-status')).toBe('stele; hit; detail=carried');
    expect(stateReads(chain)).toEqual([]);
    await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, `changed for "${base}"`));
    await commitKnown(chain, stack);
    const changed = await ask(path, { 'if-none-match': etag });
    expect([changed.status, changed.body.info.metadata]).toEqual([200, `changed for "${base}"`]);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  it('is not carried if it is an error', async () => {
    const path = `/cosmos/group/v1/groups_by_admin/${chain.accounts[5]!.address}`;
    chain.node.faults.call = ({ method }) =>
      method === 'abci_query' ? { abci: { code: 5, codespace: 'x', log: 'no' } } : undefined;
    expect((await ask(path)).status).not.toBe(200);
    chain.node.heal();
    expect([(await ask(path)).status, await statusOf(path)]).toEqual([200, 'stele; hit']);
    // An absent object is a refusal, which may become another answer with the next block.
    const absent = '/cosmos/group/v1/group_info/9999';
    await ask(absent);
    await commitKnown(chain, stack);
    chain.node.counters.reset();
    expect((await ask(absent)).status).toBeGreaterThan(400);
    expect(stateReads(chain)).toHaveLength(1);
  });
});
