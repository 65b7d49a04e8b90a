import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeJson } from '../../../packages/client/src/sign/index.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const document =
  'query ($messages: [JSON!]!) { describeMessages(messages: $messages) { type value json inWords contract { address } } }';

async function describeMessages(...messages: unknown[]) {
  const { body } = await stack.ask(document, { messages });
  const data = body.data as { readonly describeMessages: readonly Record<string, unknown>[] | null } | null;
  return { described: data?.describeMessages, error: body.errors?.[0]?.extensions };
}

const people = () => chain.accounts.map(({ address }) => address) as [string, string, ...string[]];

describe('Query.describeMessages', () => {
  it('has messages in words, with amounts in display units, and as bytes', async () => {
    const [payer, payee] = people();
    const amount = [{ denom: 'nhash', amount: '1500000000' }];
    const payment = { '@type': '/cosmos.bank.v1beta1.MsgSend', from_address: payer, to_address: payee, amount };
    const vote = { '@type': '/cosmos.group.v1.MsgVote', proposalId: '7', voter: payer, option: 'VOTE_OPTION_YES' } as const;
    const { described, error } = await describeMessages(payment, vote);
    expect(error).toBeUndefined();
    expect(described?.map(({ inWords }) => inWords)).toEqual([
      `${payer} sends 1.5 HASH to ${payee}`,
      `${payer} votes yes on proposal 7`,
    ]);
    expect(described?.map(({ value }) => value)).toEqual(
      [payment, vote].map((message) => Buffer.from(encodeJson(message).value).toString('base64')),
    );
  });

  it('takes the message of a contract as JSON, also within another message', async () => {
    const [sender, contract] = people();
    const msg = { transfer: { amount: '5' } };
    const call = { '@type': '/cosmwasm.wasm.v1.MsgExecuteContract', sender, contract, msg, funds: [] };
    const inBytes = { ...call, msg: Buffer.from(JSON.stringify(msg)).toString('base64') };
    const granted = { '@type': '/cosmos.authz.v1beta1.MsgExec', grantee: sender, msgs: [call] };
    const { described } = await describeMessages(call, inBytes, granted);
    expect(described?.[0]).toEqual(described?.[1]);
    expect(described?.[0]).toMatchObject({ json: call, contract: { address: contract } });
    expect(described?.[2]).toMatchObject({ json: { msgs: [call] } });
  });

  it.each([
    [[{ '@type': '/no.such.Msg' }], 'messages[0].@type'],
    [[{}], 'messages[0].@type'],
    [['text'], 'messages[0]'],
    [[{ '@type': '/cosmos.bank.v1beta1.MsgSend' }, { '@type': '/cosmos.bank.v1beta1.MsgSend', to: 'x' }], 'messages[1].to'],
    [[{ '@type': '/cosmos.bank.v1beta1.MsgSend', amount: [{ amount: 5.5 }] }], 'messages[0].amount'],
    [Array.from({ length: 100 }, () => ({ '@type': '/cosmos.bank.v1beta1.MsgSend' })), 'messages'],
  ])('refuses %j, and names the field %s', async (messages, argument) => {
    expect(await describeMessages(...messages)).toMatchObject({
      described: null,
      error: { code: 'BAD_USER_INPUT', argument },
    });
  });

  it('makes no call to a node but for the units of coins, once', async () => {
    const [payer, payee] = people();
    const message = (amount: string) => ({
      ...{ '@type': '/cosmos.bank.v1beta1.MsgSend', from_address: payer, to_address: payee },
      amount: [{ denom: 'nhash', amount }],
    });
    const before = chain.node.counters.log.length;
    await describeMessages(...['1', '2', '3'].map(message));
    expect(chain.node.counters.log.slice(before).filter(({ method }) => method === 'abci_query').length).toBeLessThanOrEqual(1);
  });
});
