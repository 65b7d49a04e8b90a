import type { Any } from '@bufbuild/protobuf/wkt';
import { beforeAll, describe, expect, it } from 'vitest';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import { MsgMultiSendSchema, MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgCreateGroupWithPolicySchema } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { ThresholdDecisionPolicySchema } from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { MsgExecuteContractSchema } from '../../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import { runsAll } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import {
  createGroup,
  describePolicy,
  exec,
  proposal,
  submitProposal,
  type TestGroup,
  vote,
  withdraw,
} from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';

interface Rehearsal {
  readonly outcome: string;
  readonly cause: string | null;
  readonly reason: string | null;
  readonly assumption: string | null;
  readonly height: string | null;
  readonly failedMessage: { readonly index: number; readonly error: string; readonly inWords: string } | null;
  readonly gasUsed: string | null;
  readonly gasShare: number | null;
  readonly transfers: readonly object[];
  readonly balanceChanges: readonly {
    readonly account: { readonly address: string };
    readonly before: string;
    readonly after: string;
  }[];
  readonly events: readonly { readonly type: string; readonly attributes: readonly { key: string; value: string }[] }[];
  readonly stateChanges: readonly string[];
  readonly isCut: boolean;
}

const fields = `outcome cause reason assumption height failedMessage { index error inWords } gasUsed gasShare
  transfers { sender { address } recipient { address } amount { denom amount } }
  balanceChanges { account { address } denom before after } events { type attributes { key value } } stateChanges isCut`;

let chain: TestChain;
let stack: Stack;
let a: WalletAccount;
let b: WalletAccount;
let c: WalletAccount;
let d: WalletAccount;
let group: TestGroup;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], {
    client: { simulation: { everywhere: true } },
    server: { limits: { 'rehearsal.perMinute': 1_000 } },
  });
  [a, b, c, d] = chain.accounts.slice(5) as [WalletAccount, WalletAccount, WalletAccount, WalletAccount];
  group = await createGroup(chain, [
    [a, '1'],
    [b, '1'],
    [c, '1'],
  ]);
  await fund(group.policy);
  return async () => {
    await stack.close();
    await chain.devnet.close();
  };
});

const send = (from: string, to: string, amount: string, denom = 'nhash'): Any =>
  any(MsgSendSchema, { fromAddress: from, toAddress: to, amount: [{ denom, amount }] });
const fund = (policy: string) => chain.run(a, send(a.address, policy, '1000'));
const pay = (amount: string): Any => send(group.policy, d.address, amount);

/** Submits a proposal of one message with more gas than others have. Returns its id. */
async function submitLarge(message: Any): Promise<bigint> {
  const fee = { amount: [{ denom: 'nhash', amount: 1_000_000_000n }], gas: 50_000_000n };
  const tx = Buffer.from(chain.sign(b, [proposal(group, [b], { messages: [message] })], { fee })).toString('base64');
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'broadcast_tx_sync', params: { tx } });
  await fetch(chain.node.url, { method: 'POST', body });
  await chain.devnet.commit();
  const query = `{ proposalsByGroupPolicy(address: "${group.policy}", first: 1, reverse: true) { nodes { id } } }`;
  const { proposalsByGroupPolicy } = await ask<{ proposalsByGroupPolicy: { nodes: readonly { id: string }[] } }>(query);
  return BigInt(proposalsByGroupPolicy.nodes[0]?.id ?? '0');
}

/** Waits until the server has the newest block. */
const seen = () => expect.poll(() => stack.client.head.current()?.height).toBe(chain.devnet.height);

async function ask<T>(query: string, variables: object = {}, headers: Record<string, string> = {}): Promise<T> {
  await seen();
  const { body } = await stack.ask(query, { ...variables }, headers);
  expect(body.errors).toBeUndefined();
  return body.data as T;
}

async function rehearsalOf(id: bigint): Promise<Rehearsal> {
  const query = `query ($id: ID!) { proposal(id: $id) { rehearsal { ${fields} } } }`;
  return (await ask<{ proposal: { rehearsal: Rehearsal } }>(query, { id: `${id}` })).proposal.rehearsal;
}

async function rehearse(policy: string, messages: readonly object[]): Promise<Rehearsal> {
  const query = `query ($policy: String!, $messages: [JSON!]!) { rehearse(groupPolicyAddress: $policy, messages: $messages) { ${fields} } }`;
  return (await ask<{ rehearse: Rehearsal }>(query, { policy, messages })).rehearse;
}

/** The simulations that the node received. */
const simulations = (): number =>
  chain.node.counters.log.filter(({ method, params }) => /simulate/i.test(`${method} ${JSON.stringify(params)}`)).length;

const jsonSend = (from: string, amount: string) => ({
  '@type': '/cosmos.bank.v1beta1.MsgSend',
  from_address: from,
  to_address: d.address,
  amount: [{ denom: 'nhash', amount }],
});

describe('what would happen', () => {
  it('an open proposal: what moves, from the balances of that block, with the votes that it lacks', async () => {
    const id = await submitProposal(chain, group, a, { messages: [pay('5')] });
    await chain.run(a, vote(a, id));
    const { gasUsed, gasShare, events, ...rehearsal } = await rehearsalOf(id);
    expect(rehearsal).toEqual({
      outcome: 'SUCCEEDS',
      cause: null,
      reason: null,
      assumption: expect.stringMatching(/^tp1\w+ votes yes\.$/),
      height: `${chain.devnet.height}`,
      failedMessage: null,
      transfers: [
        {
          sender: { address: group.policy },
          recipient: { address: d.address },
          amount: [{ denom: 'nhash', amount: '5' }],
        },
      ],
      balanceChanges: [
        { account: { address: group.policy }, denom: 'nhash', before: '1000', after: '995' },
        { account: { address: d.address }, denom: 'nhash', before: '1000000000000000', after: '1000000000000005' },
      ],
      stateChanges: [],
      isCut: false,
    });
    expect(events.map(({ type }) => type)).toEqual(['coin_spent', 'coin_received', 'transfer', 'message']);
    expect(Number(gasUsed)).toBeGreaterThan(50_000);
    expect(gasShare).toBeCloseTo(Number(gasUsed) / 60_000_000);
  });

  it.each([
    [4, /^tp1\w+, tp1\w+, tp1\w+ and 1 more member vote yes\.$/],
    [5, /^tp1\w+, tp1\w+, tp1\w+ and 2 more members vote yes\.$/],
  ])('names three of %i members that have to vote', async (count, assumption) => {
    const members = chain.accounts.slice(4, 4 + count).map((account) => [account, '1'] as const);
    const large = await createGroup(chain, members, { threshold: `${count}` });
    await fund(large.policy);
    const id = await submitProposal(chain, large, members[0]![0], { messages: [send(large.policy, d.address, '5')] });
    expect(await rehearsalOf(id)).toMatchObject({ outcome: 'SUCCEEDS', assumption: expect.stringMatching(assumption) });
  });

  it('a proposal that fails at its second message', async () => {
    const id = await submitProposal(chain, group, a, { messages: [pay('5'), pay('5000000')] });
    expect(await rehearsalOf(id)).toMatchObject({
      outcome: 'FAILS',
      reason: 'Message 2 of 2: spendable balance 995nhash is smaller than 5000000nhash: insufficient funds',
      failedMessage: {
        index: 1,
        error: 'spendable balance 995nhash is smaller than 5000000nhash: insufficient funds',
        inWords: `${group.policy} sends 0.005 HASH to ${d.address}`,
      },
      transfers: [],
      balanceChanges: [],
      events: [],
    });
  });

  it('a proposal whose votes suffice, and one that is accepted', async () => {
    const id = await submitProposal(chain, group, a, { messages: [pay('5000000')] });
    await chain.run(a, vote(a, id));
    await chain.run(b, vote(b, id));
    expect(await rehearsalOf(id)).toMatchObject({ outcome: 'FAILS', assumption: 'The votes so far accept it.' });
    await chain.run(a, exec(a, id));
    expect(await rehearsalOf(id)).toMatchObject({ outcome: 'FAILS', assumption: 'The proposal is accepted.' });
  });

  it('a proposal that the members left cannot accept: the admin gives weight', async () => {
    const id = await submitProposal(chain, group, a, { messages: [pay('5')] });
    await chain.run(b, vote(b, id, 'NO'));
    await chain.run(c, vote(c, id, 'NO'));
    expect(await rehearsalOf(id)).toMatchObject({
      outcome: 'SUCCEEDS',
      assumption: `The votes that are left do not suffice, so the admin of the group gives ${a.address} enough weight, who votes yes.`,
      transfers: [{ amount: [{ denom: 'nhash', amount: '5' }] }],
    });
  });

  it.runIf(runsAll)('a withdrawn and an aborted proposal: a copy', async () => {
    const id = await submitProposal(chain, group, a, { messages: [pay('5')] });
    await chain.run(a, withdraw(a, id));
    const other = await createGroup(chain, [
      [a, '1'],
      [b, '1'],
    ]);
    await fund(other.policy);
    const aborted = await submitProposal(chain, other, a, { messages: [send(other.policy, d.address, '1')] });
    await chain.run(a, describePolicy(a, other, 'new'));
    for (const [each, status] of [
      [id, 'withdrawn'],
      [aborted, 'aborted'],
    ] as const) {
      // The chain deletes a withdrawn proposal at the end of its voting period.
      expect(await rehearsalOf(each)).toMatchObject({
        outcome: 'SUCCEEDS',
        assumption: expect.stringContaining(`The proposal is ${status}: this is a copy with the same messages.`),
      });
    }
  });

  it('messages that are not submitted', async () => {
    expect(await rehearse(group.policy, [jsonSend(group.policy, '7')])).toMatchObject({
      outcome: 'SUCCEEDS',
      assumption: expect.stringMatching(/^It is submitted and accepted by tp1\w+, tp1\w+\.$/),
      transfers: [{ recipient: { address: d.address }, amount: [{ denom: 'nhash', amount: '7' }] }],
    });
    expect(await rehearse(group.policy, [jsonSend(group.policy, '7'), jsonSend(group.policy, '7000')])).toMatchObject({
      outcome: 'FAILS',
      failedMessage: { index: 1 },
    });
    expect(await rehearse(group.policy, [jsonSend(d.address, '7')])).toMatchObject({
      outcome: 'FAILS',
      reason: `The chain refuses the proposal: msg does not have group policy authorization; expected ${group.policy}, got ${d.address}: unauthorized`,
      failedMessage: { index: null },
    });
    expect(await rehearse(group.policy, [])).toMatchObject({ outcome: 'SUCCEEDS', events: [] });
    expect(await rehearse(a.address, [])).toBeNull();
  });

  it('other changes, in words', async () => {
    const created = {
      '@type': '/cosmos.group.v1.MsgCreateGroup',
      admin: group.policy,
      members: [{ address: a.address, weight: '1' }],
    };
    const { outcome, stateChanges } = await rehearse(group.policy, [created]);
    expect([outcome, stateChanges]).toEqual(['SUCCEEDS', [expect.stringMatching(/^group \d+ exists$/)]]);
  });

  it('a wrong message is an error of the request', async () => {
    const bad = async (message: object) => {
      const query = `query ($m: [JSON!]!) { rehearse(groupPolicyAddress: "${group.policy}", messages: $m) { outcome } }`;
      const { body } = await stack.ask(query, { m: [message] });
      return body.errors?.[0]?.extensions;
    };
    expect(await bad({ '@type': '/no.such.Msg' })).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'messages[0].@type' });
    expect(await bad({ '@type': '/cosmos.bank.v1beta1.MsgSend', nothing: 1 })).toMatchObject({
      code: 'BAD_USER_INPUT',
      argument: 'messages[0].nothing',
    });
  });
});

describe('the minimum execution period', () => {
  /** A group whose policy waits an hour. With `own`, the policy is its own admin. */
  async function waitingGroup(own: boolean): Promise<TestGroup> {
    const windows = { votingPeriod: { seconds: 7200n, nanos: 0 }, minExecutionPeriod: { seconds: 3600n, nanos: 0 } };
    const created = await chain.run(
      a,
      any(MsgCreateGroupWithPolicySchema, {
        admin: a.address,
        groupPolicyAsAdmin: own,
        members: [a, b].map(({ address }) => ({ address, weight: '1' })),
        decisionPolicy: any(ThresholdDecisionPolicySchema, { threshold: '2', windows }),
      }),
    );
    const text = (type: string, key: string): string => JSON.parse(created.get(`cosmos.group.v1.${type}`)?.[key] ?? '""');
    const made = { id: BigInt(text('EventCreateGroup', 'group_id')), policy: text('EventCreateGroupPolicy', 'address') };
    await fund(made.policy);
    return made;
  }

  it('is shortened by the admin, after the votes', async () => {
    const waiting = await waitingGroup(false);
    const message = send(waiting.policy, d.address, '3');
    const id = await submitProposal(chain, waiting, a, { messages: [message] });
    const expected = { outcome: 'SUCCEEDS', transfers: [{ amount: [{ denom: 'nhash', amount: '3' }] }] };
    const assumption = expect.stringMatching(/The minimum execution period is over\.$/);
    expect(await rehearsalOf(id)).toMatchObject({ ...expected, assumption });
    await chain.run(a, vote(a, id));
    await chain.run(b, vote(b, id, 'YES', true));
    expect(await rehearsalOf(id)).toMatchObject({
      ...expected,
      assumption: 'The proposal is accepted. The minimum execution period is over.',
    });
    expect(await rehearse(waiting.policy, [jsonSend(waiting.policy, '3')])).toMatchObject({ ...expected, assumption });
  });

  it('cannot be shortened if the policy is its own admin', async () => {
    const waiting = await waitingGroup(true);
    const id = await submitProposal(chain, waiting, a, { messages: [send(waiting.policy, d.address, '3')] });
    const before = simulations();
    expect(await rehearsalOf(id)).toMatchObject({
      outcome: 'CANNOT_REHEARSE',
      cause: 'EXECUTION_PERIOD',
      reason: expect.stringMatching(/It ends at 20\S+Z\.$/),
      height: null,
    });
    expect(simulations()).toBe(before);
  });
});

describe('what cannot be rehearsed', () => {
  it.runIf(runsAll)('too many messages, too many bytes, contracts: no node is asked', async () => {
    const many = Array.from({ length: 100 }, () => jsonSend(group.policy, '1'));
    expect(await rehearse(group.policy, many)).toMatchObject({ outcome: 'CANNOT_REHEARSE', cause: 'TOO_MANY_MESSAGES' });
    const outputs = (count: number): Any =>
      any(MsgMultiSendSchema, {
        inputs: [{ address: group.policy, coins: [{ denom: 'nhash', amount: `${count}` }] }],
        outputs: Array.from({ length: count }, () => ({ address: d.address, coins: [{ denom: 'nhash', amount: '1' }] })),
      });
    const small = await submitLarge(outputs(300));
    expect(await rehearsalOf(small)).toMatchObject({ outcome: 'SUCCEEDS' });
    const large = await submitLarge(outputs(5_000));
    const asked = simulations();
    expect(await rehearsalOf(large)).toMatchObject({ outcome: 'CANNOT_REHEARSE', cause: 'TOO_LARGE' });
    const contract = any(MsgExecuteContractSchema, {
      sender: group.policy,
      contract: d.address,
      msg: Buffer.from('{"cpu_loop":{}}'),
    });
    const id = await submitProposal(chain, group, a, { messages: [contract] });
    expect(await rehearsalOf(id)).toMatchObject({
      outcome: 'CANNOT_REHEARSE',
      cause: 'CONTRACT',
      reason: expect.stringContaining('The type is cosmwasm.wasm.v1.MsgExecuteContract.'),
    });
    expect(simulations()).toBe(asked);
  });

  it('99 messages can', async () => {
    const many = Array.from({ length: 99 }, () => jsonSend(group.policy, '1'));
    expect(await rehearse(group.policy, many)).toMatchObject({ outcome: 'SUCCEEDS' });
  });

  it('the governance module, and a height of the past', async () => {
    const { govProposals } = await ask<{ govProposals: { nodes: { rehearsal: Rehearsal; proposer: { address: string } }[] } }>(
      '{ govProposals(first: 1) { nodes { rehearsal { outcome cause } } } }',
    );
    expect(govProposals.nodes[0]?.rehearsal).toEqual({ outcome: 'CANNOT_REHEARSE', cause: 'GOVERNANCE_MODULE' });
    const id = await submitProposal(chain, group, a, { messages: [pay('1')] });
    const height = chain.devnet.height;
    for (let block = 0; block < 5; block += 1) await chain.devnet.commit();
    const query = `{ proposal(id: "${id}") { rehearsal { outcome cause } } }`;
    const headers = { 'x-cosmos-block-height': `${height}` };
    expect(await ask(query, {}, headers)).toEqual({ proposal: { rehearsal: { outcome: 'CANNOT_REHEARSE', cause: 'PAST' } } });
  });
});

describe('when it runs', () => {
  it.runIf(runsAll)('once a block, again when a store that it touched has changed, and each block if it failed', async () => {
    const id = await submitProposal(chain, group, a, { messages: [pay('5')] });
    const failing = await submitProposal(chain, group, a, { messages: [pay('5000000')] });
    const runs = async (each: bigint): Promise<number> => {
      const before = simulations();
      const rehearsals = await Promise.all([1, 2, 3].map(() => rehearsalOf(each)));
      expect(rehearsals[2]).toEqual(rehearsals[0]);
      return simulations() - before;
    };
    expect(await runs(id)).toBe(1);
    expect(await runs(id)).toBe(0);
    // From here on, the roots of these stores are known at each block.
    await chain.devnet.commit();
    await runs(id);
    const { height } = await rehearsalOf(id);
    // An empty block changes none of its stores.
    await chain.devnet.commit();
    await seen();
    await stack.client.roots.settled(chain.devnet.height);
    expect(await runs(id)).toBe(0);
    expect(await rehearsalOf(id)).toMatchObject({ height });
    await fund(group.policy);
    expect(await runs(id)).toBe(1);
    expect(Number((await rehearsalOf(id)).height)).toBeGreaterThan(Number(height));
    expect(await runs(failing)).toBe(1);
    await chain.devnet.commit();
    expect(await runs(failing)).toBe(1);
  });

  it('a live query gets each new rehearsal', async () => {
    const id = await submitProposal(chain, group, a, { messages: [pay('200000')] });
    expect(await rehearsalOf(id)).toMatchObject({ outcome: 'FAILS' });
    await chain.run(a, send(a.address, group.policy, '400000'));
    expect(await rehearsalOf(id)).toMatchObject({ outcome: 'SUCCEEDS' });
  });
});
