import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MsgCreateGroupSchema } from '../../src/proto/cosmos/group/v1/tx_pb.js';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;
/** The id of a group whose weights have trailing zeros. */
let id: string;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  const [admin, other] = chain.accounts;
  const members = [
    { address: admin!.address, weight: '30.00', metadata: '' },
    { address: other!.address, weight: '2.50', metadata: '' },
  ];
  await chain.run(admin!, any(MsgCreateGroupSchema, { admin: admin!.address, members, metadata: '' }));
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  const { body } = await stack.ask('{ groups(first: 1, reverse: true) { nodes { id } } }');
  id = (body.data as { groups: { nodes: { id: string }[] } }).groups.nodes[0]!.id;
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

describe('decimals', () => {
  it('have no trailing zeros in typed fields; `module`, /cosmos and /rest return the text of the chain', async () => {
    const { body } = await stack.ask(
      `query ($request: JSON) {
        group(id: ${id}) { totalWeight members { nodes { weight } } }
        module(method: "cosmos.group.v1.Query/GroupMembers", request: $request)
      }`,
      { request: { groupId: id } },
    );
    const { group, module } = body.data as {
      group: { totalWeight: string; members: { nodes: { weight: string }[] } };
      module: { members: { member: { weight: string } }[] };
    };
    const weights = (answer: typeof module): string[] => answer.members.map(({ member }) => member.weight).toSorted();
    expect(group.totalWeight).toBe('32.5');
    expect(group.members.nodes.map(({ weight }) => weight).toSorted()).toEqual(['2.5', '30']);
    expect(weights(module)).toEqual(['2.50', '30.00']);
    for (const base of ['', '/rest']) {
      const response = await fetch(`${stack.server.url}${base}/cosmos/group/v1/group_members/${id}`);
      expect(response.status).toBe(200);
      expect(weights((await response.json()) as typeof module)).toEqual(['2.50', '30.00']);
    }
  });
});
