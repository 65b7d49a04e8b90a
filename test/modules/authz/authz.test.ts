import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallsNode, createCallsNode } from '../../replay/recordedCalls.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const alice = 'wasm18s5lynnmx37hq4wlrw9gdn68sg2uxp5r23gln4';
const bob = 'wasm1qwexv7c6sm95lwhzn9027vyu2ccneaqa0jvzfy';
const validator = 'wasm1cyyzpxplxdzkeea7kwsydadg87357qna465cff';
const operator = 'wasmvaloper1cyyzpxplxdzkeea7kwsydadg87357qnaqxpy8n';

let node: CallsNode;
let stack: Stack;

beforeAll(async () => {
  node = await createCallsNode('contracts');
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
});
afterAll(async () => {
  await stack.close();
  await node.close();
  expect(stack.masked).toEqual([]);
  expect(node.unrecorded).toEqual([]);
});

const grant = 'granter { address } grantee { address } messageType expiration authorization { type json inWords }';

interface Grant {
  readonly granter: { readonly address: string };
  readonly grantee: { readonly address: string };
  readonly messageType: string | null;
  readonly expiration: string | null;
  readonly authorization: { readonly type: string; readonly json: Record<string, unknown>; readonly inWords: string | null };
}

async function grants(list: 'authzGiven' | 'authzReceived', address: string, args = 'first: 10', height = node.head) {
  const document = `{ account(address: "${address}") { list: ${list}(${args}) { totalCount nodes { ${grant} } pageInfo { endCursor hasNextPage } } } }`;
  const { body } = await stack.ask(document, {}, { 'x-cosmos-block-height': height });
  expect(body.errors).toBeUndefined();
  return (body.data as { account: { list: { totalCount: string; nodes: readonly Grant[]; pageInfo: { endCursor: string } } } })
    .account.list;
}

type RestGrant = { granter: string; grantee: string; authorization: Record<string, string>; expiration: string | null };

const textOf = (granter: string, grantee: string, type: string, expiration: string | null): string =>
  [granter, grantee, type, expiration].join(' ');

describe('the grants of an account', () => {
  it.each([
    ['authzGiven', alice, `granter/${alice}`],
    ['authzReceived', bob, `grantee/${bob}`],
  ] as const)('%s are those that the REST of the node lists, in pages', async (list, address, path) => {
    const { grants: listed } = node.rest(`/cosmos/authz/v1beta1/grants/${path}`) as unknown as { grants: RestGrant[] };
    const expected = listed.map((each) => textOf(each.granter, each.grantee, each.authorization['@type']!, each.expiration));
    expect(expected.length).toBeGreaterThan(1);
    node.calls.length = 0;
    const { nodes, totalCount } = await grants(list, address);
    expect(totalCount).toBe(String(expected.length));
    const shown = (each: Grant): string =>
      textOf(each.granter.address, each.grantee.address, each.authorization.type, each.expiration);
    expect(nodes.map(shown).toSorted()).toEqual(expected.toSorted());
    let pages: readonly Grant[] = [];
    let after = '';
    while (pages.length < expected.length) {
      const page = await grants(list, address, `first: 1${after}`);
      pages = [...pages, ...page.nodes];
      after = `, after: "${page.pageInfo.endCursor}"`;
    }
    expect(pages).toEqual(nodes);
    expect((await grants(list, address, 'first: 10, reverse: true')).nodes).toEqual(nodes.toReversed());
    // One read of the whole list serves every page of its height.
    expect(node.calls.filter((each) => each.startsWith('/cosmos.authz'))).toHaveLength(1);
  });

  it('name the messages, and say in words what is allowed', async () => {
    const { nodes } = await grants('authzGiven', alice);
    const words = nodes.map(({ messageType, authorization: { inWords } }) => [messageType, inWords]);
    expect(words).toEqual([
      ['/cosmos.gov.v1.MsgVote', 'messages of type cosmos.gov.v1.MsgVote'],
      ['/cosmos.bank.v1beta1.MsgSend', 'transfers of up to 500 stake'],
      [null, `delegations of up to 10 stake with ${operator}`],
    ]);
    expect(nodes[2]!.grantee.address).toBe(validator);
  });

  it('are those of the height', async () => {
    expect(await grants('authzGiven', alice, 'first: 10', '2500')).toMatchObject({ totalCount: '0', nodes: [] });
    expect(await grants('authzGiven', alice)).toMatchObject({ totalCount: '3' });
  });

  it('fail alone if the node cannot list them', async () => {
    node.instead = (path) =>
      path === '/cosmos.authz.v1beta1.Query/GranteeGrants'
        ? { error: { code: -32603, message: 'Internal error', data: 'x' } }
        : undefined;
    const { body } = await stack.ask(
      `{ account(address: "${alice}") { authzGiven { totalCount } authzReceived { totalCount } } }`,
      {},
      { 'x-cosmos-block-height': node.head },
    );
    node.instead = undefined;
    expect(body.data).toEqual({ account: { authzGiven: { totalCount: '3' }, authzReceived: null } });
    expect(body.errors!.map(({ path }) => path)).toEqual([['account', 'authzReceived']]);
  });
});
