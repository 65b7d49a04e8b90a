import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

/** Root query of each list of the module, with the field that identifies an item. */
interface List {
  readonly field: string;
  readonly args: string;
  readonly item: string;
}

let lists: readonly List[];
let me: string;

interface ConnectionData {
  readonly nodes: readonly unknown[];
  readonly edges: readonly { readonly cursor: string; readonly node: unknown }[];
  readonly totalCount: string;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

async function page({ field, args, item }: List, paging: string): Promise<ConnectionData> {
  const document = `{
    list: ${field}(${[args, paging].filter((part) => part !== '').join(', ')}) {
      totalCount nodes { ${item} } edges { cursor node { ${item} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`;
  const { body } = await stack.ask(document);
  expect(body.errors).toBeUndefined();
  const { list } = body.data as { list: ConnectionData };
  expect(list.edges.map(({ node }) => node)).toEqual(list.nodes);
  expect(list.pageInfo.startCursor).toBe(list.edges[0]?.cursor ?? null);
  expect(list.pageInfo.endCursor).toBe(list.edges.at(-1)?.cursor ?? null);
  return list;
}

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
  me = chain.accounts[0]!.address;
  const { body } = await stack.ask(
    `{ account(address: "${me}") { groups { nodes { id } } }
       groups(first: 4) { nodes { policies(first: 3) { nodes { address proposals(reverse: true) { totalCount nodes { id votes(first: 0) { totalCount } } } } } } } }`,
  );
  expect(body.errors).toBeUndefined();
  type Data = {
    groups: {
      nodes: {
        policies: {
          nodes: {
            address: string;
            proposals: { totalCount: string; nodes: { id: string; votes: { totalCount: string } }[] };
          }[];
        };
      }[];
    };
  };
  const policies = (body.data as Data).groups.nodes.flatMap((group) => group.policies.nodes);
  const board = policies.toSorted((a, b) => Number(b.proposals.totalCount) - Number(a.proposals.totalCount))[0]!;
  const votes = (proposal: { votes: { totalCount: string } }): number => Number(proposal.votes.totalCount);
  const voted = policies.flatMap(({ proposals }) => proposals.nodes).toSorted((a, b) => votes(b) - votes(a))[0]!;
  const voter = `voter: "${me}"`;
  lists = [
    { field: 'groups', args: '', item: 'id' },
    { field: 'groupMembers', args: 'groupId: 1', item: 'account { address }' },
    { field: 'groupPoliciesByGroup', args: 'groupId: 1', item: 'address' },
    { field: 'proposalsByGroupPolicy', args: `address: "${board.address}"`, item: 'id' },
    { field: 'votesByProposal', args: `proposalId: ${voted.id}`, item: 'voter { address }' },
    { field: 'votesByVoter', args: voter, item: 'proposalId' },
    { field: 'groupsByMember', args: `address: "${me}"`, item: 'id' },
    { field: 'groupsByAdmin', args: `admin: "${me}"`, item: 'id' },
    { field: 'groupPoliciesByAdmin', args: `admin: "${me}"`, item: 'address' },
  ];
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

describe('lists of the group module', () => {
  // Outside CI, pages have one size and start from every sixth item.
  it('each list is paged to its end in both directions and from every item, with correct page info', async () => {
    for (const list of lists) {
      const whole = await page(list, 'first: 100');
      expect(whole.nodes.length, list.field).toBe(Number(whole.totalCount));
      for (const reverse of [false, true]) {
        const ordered = reverse ? whole.nodes.toReversed() : whole.nodes;
        for (const first of some([3, 1, 7], 3)) {
          const seen: unknown[] = [];
          let after = '';
          for (;;) {
            const part = await page(list, `first: ${first}, reverse: ${reverse}${after}`);
            expect(part.totalCount).toBe(whole.totalCount);
            expect(part.pageInfo.hasPreviousPage).toBe(seen.length > 0);
            seen.push(...part.nodes);
            expect(part.pageInfo.hasNextPage).toBe(seen.length < ordered.length);
            if (!part.pageInfo.hasNextPage) break;
            after = `, after: "${part.pageInfo.endCursor}"`;
          }
          expect(seen, `${list.field} by ${first}`).toEqual(ordered);
        }
        // The cursor of every item is valid in both directions.
        for (const [index, { cursor }] of some([...whole.edges.entries()], 6)) {
          const rest = reverse ? whole.nodes.slice(0, index).toReversed() : whole.nodes.slice(index + 1);
          const part = await page(list, `first: 2, reverse: ${reverse}, after: "${cursor}"`);
          expect(part.nodes, `${list.field} after ${index}`).toEqual(rest.slice(0, 2));
        }
      }
      expect((await page(list, `first: 5, offset: ${whole.nodes.length}`)).nodes).toEqual([]);
    }
    const sizes = await Promise.all(lists.map(async (list) => (await page(list, 'reverse: false')).nodes.length));
    expect(Math.max(...sizes)).toBe(20);
  });

  it('invalid page arguments are refused with argument and bound', async () => {
    const members = lists.find(({ field }) => field === 'groupMembers')!;
    const { edges } = await page(members, 'first: 1');
    const refusals: readonly [string, string, string, object][] = [
      ['groups', 'first: 101', 'BAD_USER_INPUT', { argument: 'first', bound: 'from 0 to 100' }],
      ['groups', 'first: -1', 'BAD_USER_INPUT', { argument: 'first' }],
      ['groups', 'offset: -1', 'BAD_USER_INPUT', { argument: 'offset' }],
      ['groups', 'offset: 25001', 'BAD_USER_INPUT', { argument: 'offset', bound: 'from 0 to 25000' }],
      ['groupMembers', `groupId: 1, offset: 1, after: "${edges[0]!.cursor}"`, 'BAD_USER_INPUT', { argument: 'offset' }],
      ['groupMembers', `groupId: 2, after: "${edges[0]!.cursor}"`, 'BAD_CURSOR', { argument: 'after' }],
      ['groups', `after: "${edges[0]!.cursor}"`, 'BAD_CURSOR', { argument: 'after' }],
      ['groups', 'after: "nonsense"', 'BAD_CURSOR', { argument: 'after' }],
    ];
    chain.node.counters.reset();
    for (const [field, args, code, facts] of refusals) {
      const { body } = await stack.ask(`{ list: ${field}(${args}) { nodes { __typename } } }`);
      expect(body.errors?.[0]?.extensions, args).toMatchObject({ code, ...facts });
      expect(body.data).toEqual({ list: null });
    }
    expect(chain.node.counters.byMethod).toEqual({});
  });

  it('a field that is not selected is not read', async () => {
    await chain.devnet.commit();
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    chain.node.counters.reset();
    await stack.ask('{ groups { __typename } groupMembers(groupId: 1) { totalCount @skip(if: true) } }');
    expect(chain.node.counters.calls).toBe(0);
    await stack.ask('{ groups { totalCount } }');
    expect(chain.node.counters.calls).toBe(1);
    await stack.ask(
      '{ groups { nodes { id } } again: groups { ...Nodes } } fragment Nodes on GroupConnection { edges { node { id } } }',
    );
    expect(chain.node.counters.calls).toBe(2);
  });
});
