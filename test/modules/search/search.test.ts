import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let recording: Stack;
let plain: Stack;

beforeAll(async () => {
  chain = await startChain();
  recording = await startStack([chain.node.url], { archive: { records: true } });
  plain = await startStack([chain.node.url]);
});

afterAll(async () => {
  expect([recording.masked, plain.masked]).toEqual([[], []]);
  await recording.close();
  await plain.close();
  await chain.devnet.close();
});

const document = `query ($text: String!, $kinds: [SearchKind!], $first: Int, $after: String) {
  search(text: $text, kinds: $kinds, first: $first, after: $after) {
    isComplete note pageInfo { hasNextPage endCursor }
    nodes {
      __typename
      ... on Account { address } ... on NameRecord { name } ... on Validator { moniker } ... on Coin { denom }
      ... on Group { id } ... on GroupPolicy { address } ... on GroupMember { groupId metadata } ... on Proposal { id title } ... on ProposalRecord { id title }
      ... on GovProposal { id title } ... on GovProposalRecord { id title }
    }
  }
}`;

interface Answer {
  readonly search: {
    readonly isComplete: boolean;
    readonly note: string | null;
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly nodes: readonly Readonly<Record<string, string>>[];
  };
}

async function find(stack: Stack, text: string, more: object = {}): Promise<Answer['search']> {
  const { body } = await stack.ask(document, { text, first: 100, ...more });
  expect(body.errors).toBeUndefined();
  return (body.data as Answer).search;
}

describe('search', () => {
  it('finds the same groups, members and proposals with an archive and without one', async () => {
    for (const text of ['council', 'board', 'pay', 'invoice', 'e', 'alice', 'treasury']) {
      const plainTypes = (nodes: Answer['search']['nodes']) =>
        nodes.map(({ __typename, ...rest }) => ({ type: __typename!.replace('Record', ''), ...rest }));
      const [one, other] = [await find(recording, text), await find(plain, text)];
      const sorted = (nodes: object[]) => nodes.map((node) => JSON.stringify(node)).toSorted();
      expect(sorted(plainTypes(one.nodes)), text).toEqual(sorted(plainTypes(other.nodes)));
      expect([one.isComplete, other.isComplete]).toEqual([true, true]);
    }
  });

  it('finds names, tokens, validators and accounts in the state', async () => {
    const first = async (text: string, kind: string) => (await find(recording, text, { kinds: [kind] })).nodes[0];
    expect(await first('nhash', 'TOKEN')).toEqual({ __typename: 'Coin', denom: 'nhash' });
    const { body } = await recording.ask('{ validators(first: 1) { nodes { moniker operatorAddress operator { address } } }}');
    interface Named {
      readonly moniker: string;
      readonly operatorAddress: string;
      readonly operator: { readonly address: string };
    }
    const { validators } = body.data as { readonly validators: { readonly nodes: readonly Named[] } };
    const { moniker, operatorAddress, operator } = validators.nodes[0]!;
    expect(await first(moniker, 'VALIDATOR')).toEqual({ __typename: 'Validator', moniker });
    expect(await first(operatorAddress, 'VALIDATOR')).toEqual({ __typename: 'Validator', moniker });
    expect(await first(operator.address, 'ACCOUNT')).toEqual({ __typename: 'Account', address: operator.address });
    expect(await first('pb', 'NAME')).toEqual({ __typename: 'NameRecord', name: 'pb' });
  });

  it('explains an address of another chain', async () => {
    const { nodes, note } = await find(recording, 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu');
    expect(nodes).toEqual([]);
    expect(note).toContain('is an address of another chain');
  });

  it.each(some(['an archive', 'no archive'], 2))('returns every result once, page by page, with %s', async (kind) => {
    const stack = kind === 'an archive' ? recording : plain;
    const whole = (await find(stack, 'a')).nodes;
    expect(whole.length).toBeGreaterThan(10);
    const paged: object[] = [];
    for (let after: string | null = null; ; ) {
      const { nodes, pageInfo } = await find(stack, 'a', { first: 3, after });
      paged.push(...nodes);
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(paged).toEqual(whole);
  });

  it('refuses a blank text, a long one and the cursor of another search', async () => {
    for (const text of [' ', 'x'.repeat(257)]) {
      const { body } = await plain.ask(document, { text });
      expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'text' });
    }
    const { pageInfo } = await find(plain, 'a', { first: 1 });
    const { body } = await plain.ask(document, { text: 'b', after: pageInfo.endCursor });
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_CURSOR' });
  });
});
