import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createRegistry } from '@bufbuild/protobuf';
import { makeSignDoc, Secp256k1HdWallet, serializeSignDoc } from '@cosmjs/amino';
import { stringToPath } from '@cosmjs/crypto';
import { AminoTypes, createDefaultAminoConverters, defaultRegistryTypes } from '@cosmjs/stargate';
import { MsgMultiSend, MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { MsgWithdrawDelegatorReward } from 'cosmjs-types/cosmos/distribution/v1beta1/tx';
import { MsgBeginRedelegate, MsgDelegate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { descriptors } from '../../dashboard/src/actions/descriptors.ts';
import { aminoRules } from '../../packages/client/src/gen/aminoRules.ts';
import { type Client, createClient } from '../../packages/client/src/index.ts';
import { aminoBytes, aminoDocument, aminoMessage } from '../../packages/client/src/sign/amino.ts';
import * as sign from '../../packages/client/src/sign/index.ts';
import { createAccounts, developmentMnemonic } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { printAminoRules } from '../../scripts/aminoRules.ts';
import { createDescriptorPool } from '../../src/chain/descriptors/descriptorPool.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { createGroup } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

const read = (path: string): Buffer => readFileSync(new URL(`../../${path}`, import.meta.url));
const [payer, payee, validator] = createAccounts(3).map(({ address }) => address) as [string, string, string];
const amount = [{ denom: 'nhash', amount: '18446744073709551617' }];
const registry = createRegistry(sign.knownMessages, descriptors);
const types = { registry, rules: aminoRules };

it('the rules are the options in the descriptors of the recorded chain', () => {
  const pool = createDescriptorPool(gunzipSync(read('test/recordings/descriptors.binpb.gz')));
  expect(read('packages/client/src/gen/aminoRules.ts').toString()).toBe(printAminoRules(pool));
});

describe('documents have the bytes of @cosmjs', () => {
  const converters = new AminoTypes(createDefaultAminoConverters());
  const encoders = new Map(defaultRegistryTypes);
  const fee = { amount, gas: '250000' };

  it.each([
    ['MsgSend', '/cosmos.bank.v1beta1.MsgSend', MsgSend.fromPartial({ fromAddress: payer, toAddress: payee, amount })],
    ['a payment of nothing', '/cosmos.bank.v1beta1.MsgSend', MsgSend.fromPartial({ fromAddress: payer, toAddress: payee })],
    [
      'MsgMultiSend',
      '/cosmos.bank.v1beta1.MsgMultiSend',
      MsgMultiSend.fromPartial({
        inputs: [{ address: payer, coins: amount }],
        outputs: [
          { address: payee, coins: amount },
          { address: validator, coins: [] },
        ],
      }),
    ],
    [
      'MsgDelegate',
      '/cosmos.staking.v1beta1.MsgDelegate',
      MsgDelegate.fromPartial({ delegatorAddress: payer, validatorAddress: validator, amount: amount[0]! }),
    ],
    [
      'MsgBeginRedelegate',
      '/cosmos.staking.v1beta1.MsgBeginRedelegate',
      MsgBeginRedelegate.fromPartial({
        ...{ delegatorAddress: payer, validatorSrcAddress: validator, validatorDstAddress: payee, amount: amount[0]! },
      }),
    ],
    [
      'MsgWithdrawDelegatorReward',
      '/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward',
      MsgWithdrawDelegatorReward.fromPartial({ delegatorAddress: payer, validatorAddress: validator }),
    ],
  ])('%s', (_name, typeUrl, value) => {
    const memo = 'a < b & c > "ü"';
    const theirs = makeSignDoc([converters.toAmino({ typeUrl, value })], fee, 'testing', memo, 12, 5, 99n);
    const encoded = {
      typeUrl,
      value: Uint8Array.from(
        encoders
          .get(typeUrl)!
          .encode(value as never)
          .finish(),
      ),
    };
    const ours = aminoDocument(
      { messages: [encoded], memo, timeoutHeight: 99n, fee: { amount, gasLimit: 250_000n, payer: '', granter: '' } },
      { chainId: 'testing', accountNumber: 12n, sequence: 5n },
      types,
    );
    expect(ours).toEqual(theirs);
    expect(Buffer.from(aminoBytes(ours)).toString()).toBe(Buffer.from(serializeSignDoc(theirs)).toString());
  });
});

// CosmJS has no Amino JSON of these.
describe('messages in Amino JSON', () => {
  const send = sign.msgSend({ from: payer, to: payee, amount });
  const sendValue = { type: 'cosmos-sdk/MsgSend', value: { from_address: payer, to_address: payee, amount } };
  it.each<[sign.Message, string, unknown]>([
    [
      sign.msgVote({ voter: payer, proposalId: 18_446_744_073_709_551_615n, option: 'VOTE_OPTION_NO', metadata: 'why' }),
      'cosmos-sdk/group/MsgVote',
      { proposal_id: '18446744073709551615', voter: payer, option: 3, metadata: 'why' },
    ],
    [
      sign.msgVote({ voter: payer, proposalId: 1, option: 'VOTE_OPTION_YES', tryExec: true }),
      'cosmos-sdk/group/MsgVote',
      { proposal_id: '1', voter: payer, option: 1, exec: 1 },
    ],
    [sign.msgExec({ executor: payer, proposalId: 7 }), 'cosmos-sdk/group/MsgExec', { proposal_id: '7', executor: payer }],
    [
      sign.msgSubmitProposal({
        ...{ groupPolicyAddress: payee, proposers: [payer], messages: [send], title: 'Pay', summary: '<b>' },
      }),
      'cosmos-sdk/group/MsgSubmitProposal',
      { group_policy_address: payee, proposers: [payer], messages: [sendValue], title: 'Pay', summary: '<b>' },
    ],
    [
      sign.msgWithdrawProposal({ address: payer, proposalId: 7 }),
      'cosmos-sdk/group/MsgWithdrawProposal',
      { proposal_id: '7', address: payer },
    ],
    [sign.msgLeaveGroup({ address: payer, groupId: 3 }), 'cosmos-sdk/group/MsgLeaveGroup', { group_id: '3', address: payer }],
    [
      sign.msgMultiSend({
        from: payer,
        payments: [
          { to: payee, amount },
          { to: validator, amount: [{ denom: 'a', amount: '1' }] },
        ],
      }),
      'cosmos-sdk/MsgMultiSend',
      {
        inputs: [{ address: payer, coins: [{ denom: 'a', amount: '1' }, ...amount] }],
        outputs: [
          { address: payee, coins: amount },
          { address: validator, coins: [{ denom: 'a', amount: '1' }] },
        ],
      },
    ],
    [
      sign.encodeJson(
        {
          '@type': '/cosmos.group.v1.MsgUpdateGroupPolicyDecisionPolicy',
          ...{ admin: payer, group_policy_address: payer },
          decision_policy: {
            '@type': '/cosmos.group.v1.ThresholdDecisionPolicy',
            ...{ threshold: '2', windows: { voting_period: '3600.5s', min_execution_period: '0s' } },
          },
        },
        registry,
      ),
      'cosmos-sdk/MsgUpdateGroupDecisionPolicy',
      {
        ...{ admin: payer, group_policy_address: payer },
        decision_policy: {
          type: 'cosmos-sdk/ThresholdDecisionPolicy',
          value: { threshold: '2', windows: { voting_period: '3600500000000', min_execution_period: '0' } },
        },
      },
    ],
    [
      sign.encodeJson(
        {
          ...{ '@type': '/cosmwasm.wasm.v1.MsgExecuteContract', sender: payer, contract: payee },
          msg: Buffer.from('{"vote":{"id":1,"at":null}}').toString('base64'),
        },
        registry,
      ),
      'wasm/MsgExecuteContract',
      { sender: payer, contract: payee, msg: { vote: { id: 1, at: null } }, funds: [] },
    ],
    [
      sign.encodeJson(
        {
          ...{
            '@type': '/provenance.attribute.v1.MsgAddAttributeRequest',
            name: 'a.b',
            value: 'AQI=',
            account: payee,
            owner: payer,
          },
          ...{ attribute_type: 'ATTRIBUTE_TYPE_BYTES', expiration_date: '2030-01-02T03:04:05.120Z' },
        },
        registry,
      ),
      '/provenance.attribute.v1.MsgAddAttributeRequest',
      {
        ...{ name: 'a.b', value: 'AQI=', account: payee, owner: payer },
        ...{ attribute_type: 8, expiration_date: '2030-01-02T03:04:05.12Z' },
      },
    ],
  ])('%#: %o', (message, type, value) => {
    expect(aminoMessage(message, types)).toEqual({ type, value });
  });

  it('without a descriptor, there is none', () => {
    expect(() => aminoMessage({ typeUrl: '/no.such.Msg', value: new Uint8Array() }, types)).toThrow('/no.such.Msg');
  });
});

describe('over a chain, a key in a Ledger', () => {
  let chain: TestChain;
  let stack: Stack;
  let client: Client;
  let policy: string;

  beforeAll(async () => {
    chain = await startChain({ bare: true });
    stack = await startStack([chain.node.url]);
    await stack.client.head.ready();
    client = createClient({ url: `${stack.server.url}/graphql` });
    ({ policy } = await createGroup(chain, [[chain.accounts[0]!, '1']]));
  });

  afterAll(async () => {
    client.close();
    await stack.close();
    await chain.devnet.close();
  });

  /** A wallet whose owner adds a memo, and whose Ledger signs with CosmJS. */
  async function ledger(change: (document: sign.AminoDocument) => sign.AminoDocument): Promise<sign.Signer> {
    const hdPaths = [stringToPath("m/44'/1'/0'/0/0")];
    const wallet = await Secp256k1HdWallet.fromMnemonic(developmentMnemonic, { prefix: 'tp', hdPaths });
    const [account] = await wallet.getAccounts();
    return sign.connectKeplr(
      {
        enable: async () => undefined,
        getKey: async () => ({ bech32Address: account!.address, pubKey: account!.pubkey, isNanoLedger: true }),
        signDirect: () => Promise.reject(new Error('A Ledger signs only Amino JSON.')),
        async signAmino(_chainId, signer, document) {
          const { signed, signature } = await wallet.signAmino(signer, change(document) as never);
          return { signed: signed as unknown as sign.AminoDocument, signature };
        },
      },
      'testing',
    );
  }

  async function send(signer: sign.Signer, ...messages: sign.Message[]) {
    const steps = [];
    for await (const step of sign.sendMessages(client, signer, messages)) {
      steps.push(step);
      if (step.stage === 'PENDING') await chain.devnet.commit();
    }
    return steps.at(-1);
  }

  it('signs proposals, votes, executions and payments, which the chain accepts', async () => {
    const signer = await ledger((document) => ({ ...document, memo: 'from a <Ledger>' }));
    const coins = [{ denom: 'nhash', amount: '5' }];
    const payment = sign.msgSend({ from: signer.address, to: policy, amount: coins });
    const payments = sign.msgMultiSend({ from: signer.address, payments: [{ to: policy, amount: coins }] });
    expect(await send(signer, payment, payments)).toMatchObject({ stage: 'INCLUDED', transaction: { code: 0 } });
    const messages = [sign.msgSend({ from: policy, to: signer.address, amount: coins })];
    const proposal = { groupPolicyAddress: policy, proposers: [signer.address], title: 'Pay', summary: '“ü”' };
    expect(await send(signer, sign.msgSubmitProposal({ ...proposal, messages }))).toMatchObject({ transaction: { code: 0 } });
    const vote = { voter: signer.address, proposalId: 1, option: 'VOTE_OPTION_YES', metadata: 'why' } as const;
    expect(await send(signer, sign.msgVote({ ...vote, tryExec: true }))).toMatchObject({ transaction: { code: 0 } });
    const { data } = await client.query(
      'query ($policy: String!) { account(address: $policy) { balance(denom: "nhash") { amount } } }',
      {
        policy,
      },
    );
    expect(data).toEqual({ account: { balance: { amount: '5' } } });
  });

  it('is refused if it signed something else than the transaction has', async () => {
    const signer = await ledger((document) => ({ ...document, msgs: document.msgs.slice(1) }));
    const [one, two] = ['1', '2'].map((digits) =>
      sign.msgSend({ from: signer.address, to: payee, amount: [{ denom: 'nhash', amount: digits }] }),
    );
    expect(await send(signer, one!, two!)).toMatchObject({ stage: 'REJECTED', checkTx: { code: 4 } });
  });
});
