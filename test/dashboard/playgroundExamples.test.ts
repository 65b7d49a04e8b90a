import { afterEach, expect, it, vi } from 'vitest';
import { exampleGroups, readAbsentModules } from '../../dashboard/playground/examples.ts';
import { startChain } from '../support/chain.ts';
import { startStack } from '../support/stack.ts';

afterEach(() => void vi.unstubAllGlobals());

/** The titles of the examples that the playground offers over a chain without these modules. */
async function titles(without: readonly ('group' | 'marker')[]): Promise<readonly string[]> {
  const chain = await startChain({ bare: true, without });
  const stack = await startStack([chain.node.url]);
  await stack.client.head.ready();
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(new URL(path, stack.server.url), init));
  const absent = await readAbsentModules();
  vi.unstubAllGlobals();
  await stack.close();
  await chain.devnet.close();
  return exampleGroups(absent).flatMap(([, examples]) => examples.map(({ name }) => name));
}

it('the playground offers the examples of modules that the chain has', async () => {
  const all = await titles([]);
  expect(all).toEqual(expect.arrayContaining(['Board', 'TallyLive', 'TokenPage', 'SearchBlocks', 'BeforeSigning']));
  const rest = await titles(['group', 'marker']);
  expect(all.filter((name) => !rest.includes(name)).toSorted()).toEqual(
    [
      ...['AwaitingMyVote', 'Board', 'BoardAt', 'ByAccount', 'ByGroup', 'GroupPage', 'MyProposalsLive', 'PriceChart'],
      ...['ProposalPage', 'TallyLive', 'TokenAndScopeLists', 'TokenLive', 'TokenPage', 'Application', 'ScopePage'],
    ].toSorted(),
  );
});

it('offers all of them if it cannot be read which modules there are', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('no connection')));
  expect(await readAbsentModules()).toEqual(new Set());
});
