import { print } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MsgLeaveGroupSchema, MsgVoteSchema } from '../../src/proto/cosmos/group/v1/tx_pb.js';
import { VoteOption } from '../../src/proto/cosmos/group/v1/types_pb.js';
import { runsAll } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { BoardDocument, type BoardQuery } from './gen/operations.ts';

let chain: TestChain;
let stack: Stack;
const more: Stack[] = [];

beforeEach(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready();
});

afterEach(async () => {
  await Promise.all([stack, ...more.splice(0)].map((each) => each.close()));
  await chain.devnet.close();
});

/** Starts another server over the same node, with empty caches. */
async function freshStack(): Promise<Stack> {
  const fresh = await startStack([chain.node.url]);
  more.push(fresh);
  await fresh.client.head.ready();
  return fresh;
}

interface Policy {
  readonly address: string;
  readonly proposals: { readonly totalCount: string };
  readonly group: { readonly id: string };
}

/** Returns the policy with the most proposals, more than a page of 20. */
async function boardPolicy(): Promise<Policy> {
  const { body } = await stack.ask(
    '{ groups { nodes { policies { nodes { address proposals(first: 0) { totalCount } group { id } } } } } }',
  );
  const data = body.data as { groups: { nodes: { policies: { nodes: Policy[] } }[] } };
  const policies = data.groups.nodes.flatMap(({ policies: { nodes } }) => nodes);
  return policies.toSorted((a, b) => Number(b.proposals.totalCount) - Number(a.proposals.totalCount))[0]!;
}

async function board(of: Stack, policy: string, height?: string): Promise<BoardQuery> {
  const answer = await of.ask(BoardDocument, { policy }, height === undefined ? {} : { 'x-cosmos-block-height': height });
  expect(answer.body.errors).toBeUndefined();
  return answer.body.data!;
}

describe('the Board document', () => {
  it('reads each value once, in few batches, and nothing again at the same height', async () => {
    const { address } = await boardPolicy();
    await chain.devnet.commit();
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    // A server reads the type descriptors of the chain once. Exclude those reads from the count.
    await stack.client.descriptors.pool();
    const { counters } = chain.node;
    counters.reset();

    const answer = await board(stack, address);
    const proposals = answer.proposalsByGroupPolicy!.nodes;
    expect(proposals).toHaveLength(20);
    expect(Number(answer.proposalsByGroupPolicy!.totalCount)).toBeGreaterThan(20);
    const reads = counters.log.map(({ method, params }) => {
      expect(method).toBe('abci_query');
      return (params as { path: string }).path.split('/').at(-1)!;
    });
    const open = proposals.filter(({ status }) => status === 'PROPOSAL_STATUS_SUBMITTED').length;
    expect(open).toBeGreaterThan(0);
    const counts = (name: string): number => reads.filter((read) => read === name).length;
    expect(counts('ProposalsByGroupPolicy')).toBeLessThanOrEqual(2);
    expect(counts('VotesByProposal')).toBe(20);
    expect(counts('TallyResult')).toBe(open);
    expect(counts('GroupPolicyInfo')).toBe(1);
    expect(counts('GroupInfo')).toBe(1);
    expect(counts('GroupMembers')).toBe(1);
    expect(reads).toHaveLength(counts('ProposalsByGroupPolicy') + 20 + open + 3);
    expect(counters.batches).toBeLessThanOrEqual(Math.ceil(reads.length / 10) + 4);

    counters.reset();
    expect(await board(stack, address)).toEqual(answer);
    expect(await board(stack, address, chain.devnet.height.toString())).toEqual(answer);
    // A different document misses the answer cache, but its reads are cached.
    const other = await stack.ask(`${print(BoardDocument)}\n# another document`, { policy: address });
    expect(other.body.data).toEqual(answer);
    expect(counters.calls).toBe(0);
  });

  it.runIf(runsAll)(
    'reads everything at one height, even if a block changes a vote, a tally and a member in between',
    async () => {
      const policy = await boardPolicy();
      const height = chain.devnet.height.toString();
      const before = await board(await freshStack(), policy.address, height);
      const open = before.proposalsByGroupPolicy!.nodes.find(({ status }) => status === 'PROPOSAL_STATUS_SUBMITTED')!;
      const members = open.groupPolicy!.group!.members!.nodes.map(({ account }) => account.address);
      const voted = open.votes!.nodes.map(({ voter }) => voter.address);
      const [voter, leaver] = chain.accounts.filter(({ address }) => members.includes(address) && !voted.includes(address));
      const groupId = BigInt(policy.group.id);

      const reader = await freshStack();
      let changed = false;
      chain.node.onCall = async ({ method, params }) => {
        const path = (params as { path?: string } | undefined)?.path ?? '';
        if (method !== 'abci_query' || !path.endsWith('/ProposalsByGroupPolicy') || changed) return;
        changed = true;
        const vote = { proposalId: BigInt(open.id), voter: voter!.address, option: VoteOption.YES };
        await chain.submit(voter!, any(MsgVoteSchema, vote));
        await chain.submit(leaver!, any(MsgLeaveGroupSchema, { address: leaver!.address, groupId }));
        // Wait until the server has seen the new block before it continues.
        await reader.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
      };
      const during = await reader.ask(BoardDocument, { policy: policy.address });
      chain.node.onCall = undefined;
      expect(changed).toBe(true);
      expect(during.height).toBe(height);
      expect(during.body.extensions?.height).toBe(height);
      expect(during.body.data).toEqual(before);

      // The block did change all three.
      const after = await board(await freshStack(), policy.address, chain.devnet.height.toString());
      const changedProposal = after.proposalsByGroupPolicy!.nodes.find(({ id }) => id === open.id)!;
      expect(changedProposal.votes).not.toEqual(open.votes);
      expect(changedProposal.tally).not.toEqual(open.tally);
      expect(changedProposal.groupPolicy!.group!.members).not.toEqual(open.groupPolicy!.group!.members);
    },
  );

  it('reads each `at` at its own height, including nested fields', async () => {
    const policy = await boardPolicy();
    const leaver = chain.accounts[7]!;
    const old = chain.devnet.height;
    await chain.run(leaver, any(MsgLeaveGroupSchema, { address: leaver.address, groupId: BigInt(policy.group.id) }));
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const part =
      'head { height } groupPolicy(address: $policy) { group { version member(address: $leaver) { group { version } } } }';
    const answer = await stack.ask(
      `query ($policy: String!, $leaver: String!, $old: Int64!) {
        ${part}
        at(height: $old) { height ${part} }
        first: at(height: 1) { head { height } }
        again: at(height: $old) { head { height } }
      }`,
      { policy: policy.address, leaver: leaver.address, old: old.toString() },
    );
    expect(answer.body.errors).toBeUndefined();
    const { groupPolicy } = answer.body.data as { groupPolicy: { group: { version: string } } };
    const version = groupPolicy.group.version;
    const oldVersion = (BigInt(version) - 1n).toString();
    expect(answer.body.data).toEqual({
      head: { height: chain.devnet.height.toString() },
      groupPolicy: { group: { version, member: null } },
      at: {
        height: old.toString(),
        head: { height: old.toString() },
        groupPolicy: { group: { version: oldVersion, member: { group: { version: oldVersion } } } },
      },
      first: { head: { height: '1' } },
      again: { head: { height: old.toString() } },
    });
  });

  it('returns null for a branch that fails, with an error code and path, and data for the rest', async () => {
    const { address } = await boardPolicy();
    const whole = await board(await freshStack(), address);
    const [, second] = whole.proposalsByGroupPolicy!.nodes;
    const request = Buffer.from([8, Number(second!.id)]).toString('hex');
    chain.node.faults.call = ({ params }) => {
      const { path = '', data = '' } = (params ?? {}) as { path?: string; data?: string };
      if (!path.endsWith('/VotesByProposal') || !data.startsWith(request)) return undefined;
      return { abci: { code: 11, codespace: 'sdk', log: 'out of gas in location: ReadFlat' } };
    };
    const answer = await (await freshStack()).ask(BoardDocument, { policy: address });
    expect(answer.body.errors).toEqual([
      {
        message: expect.stringContaining('out of gas in location: ReadFlat'),
        path: ['proposalsByGroupPolicy', 'nodes', 1, 'votes'],
        locations: expect.anything(),
        extensions: { code: 'ABCI_QUERY_FAILED', abciCode: 11, codespace: 'sdk', log: 'out of gas in location: ReadFlat' },
      },
    ]);
    const nodes = whole.proposalsByGroupPolicy!.nodes.map((node, index) => (index === 1 ? { ...node, votes: null } : node));
    expect(answer.body.data).toEqual({ proposalsByGroupPolicy: { ...whole.proposalsByGroupPolicy, nodes } });
  });
});
