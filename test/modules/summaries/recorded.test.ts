import { fromBinary, fromJson, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashTx } from '../../../src/chain/blocks/committedBlock.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { summaryOf } from '../../../src/modules/summaries/schema.ts';
import { TxSchema } from '../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { createPin, type Pin } from '../../../src/reads/pin.ts';
import { govBlocks, govRecordings } from '../../recordings/gov.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { readRegistry } from '../../recordings/registry.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let node: ReplayNode;
let stack: Stack;
/** Summaries of the recorded chain's messages by height, with addresses replaced by the scenario's account names. */
let summaries: ReadonlyMap<string, readonly (string | null)[]>;

const world = readRecording('world') as unknown as JsonObject;

/** Collects the addresses in world.json with their names. */
function namesIn(value: unknown, name: string, found: Map<string, string>): Map<string, string> {
  if (typeof value === 'string' && /^tp1/.test(value)) found.set(value, name);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) namesIn(inner, key, found);
  return found;
}

beforeAll(async () => {
  // All queries are at a height after the end of the scenario.
  node = await createReplayNode({ head: 1105n });
  stack = await startStack([node.url]);
  const names = namesIn(world, 'world', new Map());
  const byHeight = new Map<string, (string | null)[]>();
  for (const { height, block } of readRecording('chain')) {
    for (const tx of ((block.block.data as JsonObject).txs ?? []) as string[]) {
      const document = `{ transaction(hash: "${hashTx(tx)}") { messages { inWords } } }`;
      const { body } = await stack.ask(document, {}, { 'x-cosmos-block-height': '566' });
      expect(body.errors).toBeUndefined();
      const { transaction } = body.data as { transaction: { messages: { inWords: string | null }[] } };
      const lines = transaction.messages.map(
        ({ inWords }) => inWords?.replace(/tp1\w+/g, (address) => names.get(address) ?? address) ?? null,
      );
      byHeight.set(height, [...(byHeight.get(height) ?? []), ...lines]);
    }
  }
  summaries = byHeight;
}, 180_000);
afterAll(async () => {
  await stack.close();
  await node.close();
});

/** One summary of each message type, by height. Metadata addresses are those that the chain's queries return. */
const sentences: readonly (readonly [height: number, sentence: string])[] = [
  [18, 'alice creates a group of 3 members with a policy whose proposals pass with a yes weight of 2 within 30 days'],
  [
    20,
    'bob creates a group of 4 members with a policy whose proposals pass with a yes share of 0.5 of the total weight within 30 days',
  ],
  [23, 'bob sends 1,000,000 nhash to policy'],
  [24, 'alice proposes “Pay dave” to the policy policy, with 1 message: policy sends 1,000,000 nhash to dave'],
  [27, 'alice executes proposal 1'],
  [
    35,
    'carol proposes “Open with votes” to the policy policy, with 2 messages: policy sends 7 nhash to carol; policy sends 8 nhash to dave',
  ],
  [40, 'bob proposes “To withdraw” to the policy policy'],
  [42, 'bob withdraws proposal 4'],
  [46, 'bob votes no with veto on proposal 5'],
  [
    48,
    'alice proposes “One step” to the policy policy and tries to execute it immediately, with 1 message: policy sends 5 nhash to bob',
  ],
  [50, 'bob votes yes on proposal 6 and tries to execute it immediately'],
  [107, 'dave sends 999,999,999,999,999,999,999,999 nhash to alice'],
  [109, 'alice binds the restricted name score.kyc.pb to alice'],
  [113, 'alice adds the attribute kyc.pb with value “{"level":2,"by":"alice"}” to carol'],
  [119, 'alice adds the attribute kyc.pb with value 4 bytes to dave'],
  [121, 'bob adds the attribute asset.pb with value “far” to carol, expiring at 2050-01-15 00:00:00 UTC'],
  [123, 'alice changes the attribute kyc.pb of carol from “passed” to “renewed”'],
  [124, 'alice deletes the attribute kyc.pb of carol with value “https://example.org/kyc/carol”'],
  [125, 'alice deletes the attribute score.kyc.pb of carol'],
  [126, 'carol sets its account data to “about carol”'],
  [127, 'alice creates the marker of 1,000,000 goldcoin at 1.234 USD for 10 goldcoin'],
  [128, 'bob creates the restricted marker of 5,000 shareclass'],
  [129, 'alice withdraws 2,500 goldcoin from the marker goldcoin to carol'],
  [132, 'bob moves 3 shareclass from carol to dave'],
  [133, 'alice values 10 goldcoin at 1.5 USD and 2 goldcoin at 5,000 nhash'],
  [137, 'carol sends 100 goldcoin and 5 nhash to bob'],
  [139, 'carol sends 10 goldcoin to alice and 10 goldcoin to bob'],
  [141, 'alice grants dave a fee allowance of up to 100,000,000,000 nhash until 2050-01-30 15:04:05 UTC'],
  [
    142,
    'bob grants dave a fee allowance of up to 1,000,000,000 nhash every hour and of up to 100,000,000,000 nhash in total until 2050-01-30 15:04:05 UTC',
  ],
  [143, 'carol grants dave a fee allowance of up to 100,000,000,000 nhash, for cosmos.group.v1.MsgVote only'],
  [147, 'alice writes the contract specification contractspec1qv3zyg3zyg3yxvuyg3242424242shmz75v'],
  [149, 'alice writes the scope specification scopespec1qsg3zyg3yg3yxvuyg3242424242shk3a23'],
  [150, 'alice writes the scope scope1qqenxvenyg3yxvuyg3242424242spmt0np of alice, with value owner carol, worth 250 USD'],
  [153, 'alice values the scope scope1qqenxvenyg3yxvuyg3242424242spmt0np at 260 USD'],
  [154, 'alice makes dave the value owner of scope1qpzyg3zyyg3yxvuyg3242424242s4epjvg'],
  [155, 'alice adds the attribute kyc.pb with value “scope-note” to scope1qqenxvenyg3yxvuyg3242424242spmt0np'],
  [160, 'dave sets the metadata of the policy policy to “new metadata”'],
  [161, 'alice leaves group 4'],
];

describe('summaries of the recorded messages', () => {
  it.each(sentences)('the sentence of recorded message %i: %s', (height, sentence) => {
    expect(summaries.get(String(height))).toEqual([sentence]);
  });

  it('every recorded message has a summary', () => {
    const all = [...summaries.values()].flat();
    expect(all.length).toBeGreaterThan(100);
    expect(all).not.toContain(null);
    expect(node.unrecorded).toEqual([]);
  });
});

describe('summaries of the recorded messages of governance and stake', () => {
  let pin: Pin;
  beforeAll(() => {
    pin = createPin(stack.client, 566n);
  });

  const summarize = (type: string, value: Uint8Array) => summaryOf(pin, { type, value });

  it('every message of the recorded blocks has one, and each kind says what it does', async () => {
    const texts = new Set<string>();
    for (const name of govRecordings)
      for (const { block } of govBlocks(name).blocks as unknown as readonly { block: { block: { data: { txs: string[] } } } }[])
        for (const tx of block.block.data.txs)
          for (const { typeUrl, value } of fromBinary(TxSchema, Buffer.from(tx, 'base64')).body!.messages) {
            const sentence = await summarize(typeUrl, value);
            expect(sentence, typeUrl).not.toBeNull();
            texts.add(sentence!.replace(/(tp(valoper)?1\w{4})\w+/g, '$1'));
          }
    expect(texts.size).toBeGreaterThan(50);
    for (const sentence of [
      'tp1zn90 submits the governance proposal “text” with a deposit of 1,000 nhash',
      'tp1avla submits the governance proposal “passes” with a deposit of 1,000 nhash, with 1 message: tp10d07 changes the parameters of the bank module',
      'tp1sxl8 submits the expedited governance proposal “expedited passes” with a deposit of 5,000 nhash',
      'tp1qcrn deposits 500 nhash for governance proposal 4',
      'tp14fmz votes no on governance proposal 5',
      'tp1sugm votes 60 % yes and 40 % abstain on governance proposal 5',
      'tp1t3yj votes 50 % yes, 33.3333333333333333 % no and 16.6666666666666667 % no with veto on governance proposal 5',
      'tp1hafm cancels governance proposal 10',
      'tp183h0 delegates 20,000,000 nhash to tpvaloper14fmz',
    ])
      expect([...texts]).toContain(sentence);
  });

  // From the blocks of another chain with the same application.
  it.each([
    [
      '/cosmos.staking.v1beta1.MsgUndelegate',
      'Cil0cDFjN2ZmN3Q0a2h2anpxc3M0bWs3eGpkZmRsajc1YWtzeGQzc3RrdBIwdHB2YWxvcGVyMWF1OW0yYXY4ZWRtenA3NzdhbGY0cDJzeW1wcmRyeHJka2t6ODUwGhEKBW5oYXNoEggzMDAwMDAwMA==',
      'tp1c7ff undelegates 30,000,000 nhash from tpvaloper1au9m',
    ],
    [
      '/cosmos.staking.v1beta1.MsgCreateValidator',
      'CgQKAm40EjwKEjEwMDAwMDAwMDAwMDAwMDAwMBISNTAwMDAwMDAwMDAwMDAwMDAwGhIxMDAwMDAwMDAwMDAwMDAwMDAaATEqMHRwdmFsb3BlcjFhdTltMmF2OGVkbXpwNzc3YWxmNHAyc3ltcHJkcnhyZGtrejg1MDJDCh0vY29zbW9zLmNyeXB0by5lZDI1NTE5LlB1YktleRIiCiBOnvKyjqM5v8qkuMsYZtiy29kBjFMiiwHVIDyBpIWyjToSCgVuaGFzaBIJMjAwMDAwMDAw',
      'tpvaloper1au9m creates the validator “n4” with a self-delegation of 200,000,000 nhash',
    ],
    [
      '/cosmos.slashing.v1beta1.MsgUnjail',
      'CjB0cHZhbG9wZXIxc3VnbXBoc2EzNnp0bnJheHZwbGV0cmM1M2M5N2U3dDZ2cmg4ZHE=',
      'tpvaloper1sugm ends the jailing of its validator',
    ],
  ])('%s', async (type, value, sentence) => {
    expect((await summarize(type, Buffer.from(value, 'base64')))?.replace(/(tp(valoper)?1\w{4})\w+/g, '$1')).toBe(sentence);
  });

  const registry = readRegistry();
  const amount = [{ denom: 'nhash', amount: '5000' }];
  const [delegatorAddress, validatorAddress, recipient] = ['tp1delegator', 'tpvaloper1validator', 'tp1recipient'];

  // No recorded block has these.
  it.each([
    [
      'distribution.v1beta1.MsgSetWithdrawAddress',
      { delegatorAddress, withdrawAddress: recipient },
      'tp1delegator lets its rewards be paid to tp1recipient',
    ],
    [
      'distribution.v1beta1.MsgWithdrawDelegatorReward',
      { delegatorAddress, validatorAddress },
      'tp1delegator withdraws its rewards from tpvaloper1validator',
    ],
    [
      'distribution.v1beta1.MsgWithdrawValidatorCommission',
      { validatorAddress },
      'tpvaloper1validator withdraws its commission',
    ],
    [
      'distribution.v1beta1.MsgFundCommunityPool',
      { depositor: recipient, amount },
      'tp1recipient gives 5,000 nhash to the community pool',
    ],
    [
      'distribution.v1beta1.MsgCommunityPoolSpend',
      { authority: 'tp1gov', recipient, amount },
      'tp1gov pays 5,000 nhash from the community pool to tp1recipient',
    ],
    [
      'distribution.v1beta1.MsgDepositValidatorRewardsPool',
      { depositor: recipient, validatorAddress, amount },
      'tp1recipient gives 5,000 nhash as rewards to the delegators of tpvaloper1validator',
    ],
    ['gov.v1.MsgSubmitProposal', { proposer: 'tp1a' }, 'tp1a submits the governance proposal'],
    [
      'gov.v1beta1.MsgSubmitProposal',
      { proposer: 'tp1a', initialDeposit: amount, content: { '@type': '/cosmos.gov.v1beta1.TextProposal', title: 'Old' } },
      'tp1a submits the governance proposal “Old” of type TextProposal with a deposit of 5,000 nhash',
    ],
    // Weights of this version are integers of 18 decimals.
    [
      'gov.v1beta1.MsgVoteWeighted',
      {
        voter: 'tp1a',
        proposalId: '5',
        options: [
          { option: 'VOTE_OPTION_YES', weight: '600000000000000000' },
          { option: 'VOTE_OPTION_NO', weight: '400000000000000000' },
        ],
      },
      'tp1a votes 60 % yes and 40 % no on governance proposal 5',
    ],
    [
      'gov.v1.MsgVoteWeighted',
      { voter: 'tp1a', proposalId: '5', options: [{ option: 'VOTE_OPTION_YES', weight: 'half' }] },
      null,
    ],
  ])('%s %j', async (name, json, sentence) => {
    const type = registry.getMessage(`cosmos.${name}`)!;
    expect(await summarize(`/cosmos.${name}`, toBinary(type, fromJson(type, json, { registry })))).toBe(sentence);
  });
});
