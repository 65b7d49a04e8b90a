import { gzipSync } from 'node:zlib';
import { createRegistry } from '@bufbuild/protobuf';
import { stringToPath } from '@cosmjs/crypto';
import { DirectSecp256k1HdWallet, encodePubkey, makeAuthInfoBytes, makeSignDoc } from '@cosmjs/proto-signing';
import { MsgExec as AuthzExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import * as group from 'cosmjs-types/cosmos/group/v1/tx';
import { VoteOption } from 'cosmjs-types/cosmos/group/v1/types';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../packages/client/src/index.ts';
import * as sign from '../../packages/client/src/sign/index.ts';
import { createAccounts, developmentMnemonic } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { MsgExecSchema as AuthzExecSchema } from '../../src/proto/cosmos/authz/v1beta1/tx_pb.js';
import { startChain, type TestChain } from '../support/chain.ts';
import { createGroup } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** The most that a page may download for signing with a wallet, and with a key, in bytes, compressed. */
const maxBytes = { wallet: 26_500, ledger: 31_500, all: 52_000 };

const [policy, member] = createAccounts(2).map(({ address }) => address);
const amount = [{ denom: 'nhash', amount: '18446744073709551617' }];
const send = sign.msgSend({ from: policy!, to: member!, amount });
const theirSend = {
  typeUrl: '/cosmos.bank.v1beta1.MsgSend',
  value: MsgSend.encode(MsgSend.fromPartial({ fromAddress: policy!, toAddress: member!, amount })).finish(),
};
const largeId = 18_446_744_073_709_551_615n;

/** The bytes of `@cosmjs` for a message of cosmos.group.v1. */
function theirs(name: string, value: Uint8Array): sign.Message {
  return { typeUrl: `/cosmos.group.v1.${name}`, value };
}

const proposal = { groupPolicyAddress: policy!, title: 'Pay', summary: 'ü', metadata: 'm' };

describe('messages have the bytes of @cosmjs', () => {
  it.each([
    [
      sign.msgVote({
        voter: member!,
        proposalId: largeId,
        option: 'VOTE_OPTION_NO_WITH_VETO',
        metadata: 'too dear',
        tryExec: true,
      }),
      theirs(
        'MsgVote',
        group.MsgVote.encode({
          ...{ voter: member!, proposalId: largeId, option: VoteOption.VOTE_OPTION_NO_WITH_VETO },
          ...{ metadata: 'too dear', exec: group.Exec.EXEC_TRY },
        }).finish(),
      ),
    ],
    [
      sign.msgExec({ executor: member!, proposalId: '7' }),
      theirs('MsgExec', group.MsgExec.encode({ executor: member!, proposalId: 7n }).finish()),
    ],
    [
      sign.msgSubmitProposal({ ...proposal, proposers: [member!], messages: [send] }),
      theirs(
        'MsgSubmitProposal',
        group.MsgSubmitProposal.encode({ ...proposal, proposers: [member!], messages: [theirSend], exec: 0 }).finish(),
      ),
    ],
    [
      sign.msgWithdrawProposal({ address: member!, proposalId: 7 }),
      theirs('MsgWithdrawProposal', group.MsgWithdrawProposal.encode({ address: member!, proposalId: 7n }).finish()),
    ],
    [
      sign.msgLeaveGroup({ address: member!, groupId: 3n }),
      theirs('MsgLeaveGroup', group.MsgLeaveGroup.encode({ address: member!, groupId: 3n }).finish()),
    ],
    [send, theirSend],
  ])('%o', (ours, expected) => {
    expect(ours).toEqual({ ...expected, value: Uint8Array.from(expected.value) });
  });

  it('protobuf JSON with messages within messages', () => {
    const inner = { '@type': theirSend.typeUrl, from_address: policy!, to_address: member!, amount };
    const granted = { '@type': '/cosmos.authz.v1beta1.MsgExec', grantee: policy!, msgs: [inner] };
    const json = {
      '@type': '/cosmos.group.v1.MsgSubmitProposal',
      group_policy_address: policy!,
      messages: [granted],
      title: 'Pay',
    };
    const registry = createRegistry(sign.knownMessages, AuthzExecSchema);
    const exec = AuthzExec.encode(AuthzExec.fromPartial({ grantee: policy!, msgs: [theirSend] })).finish();
    const messages = [{ typeUrl: granted['@type'], value: exec }];
    const expected = group.MsgSubmitProposal.fromPartial({ groupPolicyAddress: policy!, messages, title: 'Pay' });
    const bytes = group.MsgSubmitProposal.encode(expected).finish();
    expect(Buffer.from(sign.encodeJson(json, registry).value)).toEqual(Buffer.from(bytes));
    expect(() => sign.encodeJson(json)).toThrow('authz');
    expect(() => sign.encodeJson({ '@type': '/no.such.Msg' })).toThrow('/no.such.Msg');
  });
});

it('a transaction has the bytes and the signature of @cosmjs', async () => {
  const hdPaths = [stringToPath("m/44'/1'/0'/0/1")];
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(developmentMnemonic, { prefix: 'tp', hdPaths });
  const [theirSigner] = await wallet.getAccounts();
  const bodyBytes = TxBody.encode(TxBody.fromPartial({ messages: [theirSend], memo: 'ü' })).finish();
  const key = { type: 'tendermint/PubKeySecp256k1', value: Buffer.from(theirSigner!.pubkey).toString('base64') };
  const authInfoBytes = makeAuthInfoBytes([{ pubkey: encodePubkey(key), sequence: 5n }], amount, 250_000, undefined, undefined);
  const document = makeSignDoc(bodyBytes, authInfoBytes, 'testing', 12);
  const { signature } = await wallet.signDirect(theirSigner!.address, document);
  const signatures = [Buffer.from(signature.signature, 'base64')];
  const expected = TxRaw.encode(TxRaw.fromPartial({ bodyBytes, authInfoBytes, signatures })).finish();

  const { privateKey, address } = createAccounts(2)[1]!;
  const fee = { amount, gas: 250_000n };
  const unsigned = { messages: [send], memo: 'ü', chainId: 'testing', accountNumber: 12n, sequence: 5n, fee };
  const ours = await sign.signTransaction(sign.createKeySigner(privateKey, address), unsigned);
  expect(Buffer.from(ours).toString('hex')).toBe(Buffer.from(expected).toString('hex'));

  // A wallet with the interface of Keplr, which counts the account number as CosmJS does.
  const keplr = await sign.connectKeplr(
    {
      enable: async () => undefined,
      getKey: async () => ({ bech32Address: address, pubKey: theirSigner!.pubkey }),
      signDirect: (_chain, signer, each) => wallet.signDirect(signer, { ...each, accountNumber: each.accountNumber }),
    },
    'testing',
  );
  expect(await sign.signTransaction(keplr, unsigned)).toEqual(ours);
});

describe('a wallet that does not have the chain', () => {
  const chain = sign.keplrChain({
    ...{ chainId: 'testing', chainName: 'Test', rpc: 'https://a/comet', rest: 'https://a/rest', prefix: 'tp', coinType: 1 },
    currency: { coinDenom: 'HASH', coinMinimalDenom: 'nhash', coinDecimals: 9 },
  });

  /** A wallet that refuses a chain with `problem` until it was suggested. */
  function strangeWallet(problem: string) {
    const suggested: sign.KeplrChain[] = [];
    const wallet: sign.KeplrWallet = {
      enable: async () => {
        if (suggested.length === 0) throw new Error(problem);
      },
      experimentalSuggestChain: async (each) => void suggested.push(each),
      getKey: async () => ({ bech32Address: member!, pubKey: new Uint8Array(33) }),
      signDirect: () => Promise.reject(new Error('not asked')),
    };
    return { wallet, suggested };
  }

  it('is told about it, and then connects', async () => {
    const { wallet, suggested } = strangeWallet('There is no modular chain info for testing');
    expect(await sign.connectKeplr(wallet, 'testing', { chain: () => chain })).toMatchObject({ address: member });
    expect(suggested).toEqual([chain]);
  });

  it('is told nothing if its owner refuses, or nothing is known of the chain', async () => {
    const refusing = strangeWallet('Request rejected');
    await expect(sign.connectKeplr(refusing.wallet, 'testing', { chain: () => chain })).rejects.toThrow('Request rejected');
    const strange = strangeWallet('There is no chain info for testing');
    await expect(sign.connectKeplr(strange.wallet, 'testing')).rejects.toThrow('There is no chain info');
    expect([...refusing.suggested, ...strange.suggested]).toEqual([]);
  });
});

describe('over a chain', () => {
  let chain: TestChain;
  let stack: Stack;
  let client: Client;

  beforeAll(async () => {
    chain = await startChain({ bare: true });
    stack = await startStack([chain.node.url]);
    await stack.client.head.ready();
    client = createClient({ url: `${stack.server.url}/graphql` });
  });

  afterAll(async () => {
    client.close();
    await stack.close();
    await chain.devnet.close();
  });

  const signerOf = (index: number) => sign.createKeySigner(chain.accounts[index]!.privateKey, chain.accounts[index]!.address);

  /** Sends messages, commits a block once they are in the mempool, and returns the steps. */
  async function sent(index: number, ...messages: sign.Message[]) {
    const steps = [];
    for await (const step of sign.sendMessages(client, signerOf(index), messages, { memo: 'test' })) {
      steps.push(step);
      if (step.stage === 'PENDING') await chain.devnet.commit();
    }
    return steps.at(-1)!;
  }

  it('proposes, votes and leaves, each with gas and fee by simulation', async () => {
    const [admin, other] = [chain.accounts[0]!, chain.accounts[1]!];
    const { id, policy: treasury } = await createGroup(chain, [
      [admin, '1'],
      [other, '1'],
    ]);
    const messages = [sign.msgSend({ from: treasury, to: other.address, amount: [{ denom: 'nhash', amount: '1' }] })];
    const submitted = { groupPolicyAddress: treasury, proposers: [admin.address], messages, title: 'Pay', summary: 'One.' };
    expect(await sent(0, sign.msgSubmitProposal(submitted))).toMatchObject({ stage: 'INCLUDED', transaction: { code: 0 } });
    const option = 'VOTE_OPTION_ABSTAIN';
    expect(await sent(1, sign.msgVote({ voter: other.address, proposalId: 1, option, metadata: 'why' }))).toMatchObject({
      transaction: { code: 0 },
    });
    const query = '{ proposal(id: 1) { title votes(first: 2) { nodes { option metadata voter { address } } } } }';
    expect((await client.query(query)).data).toEqual({
      proposal: { title: 'Pay', votes: { nodes: [{ option, metadata: 'why', voter: { address: other.address } }] } },
    });
    expect(await sent(1, sign.msgLeaveGroup({ address: other.address, groupId: id }))).toMatchObject({
      stage: 'INCLUDED',
      transaction: { code: 0 },
    });
  });

  it('executes with a fee that is given, where the server does not simulate', async () => {
    const executor = chain.accounts[0]!.address;
    // Nobody knows what an unknown proposal executes.
    const unknown = sign.msgExec({ executor, proposalId: 99 });
    await expect(sent(0, unknown)).rejects.toMatchObject({ code: 'SIMULATION_DISABLED' });
    const exec = sign.msgExec({ executor, proposalId: 1 });
    const fee = { amount: [{ denom: 'nhash', amount: '1000000000' }], gas: 1_000_000n };
    const steps = [];
    for await (const step of sign.sendMessages(client, signerOf(0), [exec], { fee })) {
      steps.push(step);
      if (step.stage === 'PENDING') await chain.devnet.commit();
    }
    expect(steps.at(-1)).toMatchObject({ stage: 'INCLUDED' });
  });

  it('fails before it signs if the simulation fails, or the account is unknown', async () => {
    const { address } = chain.accounts[0]!;
    const vote = sign.msgVote({ voter: address, proposalId: 99, option: 'VOTE_OPTION_YES' });
    await expect(sent(0, vote)).rejects.toMatchObject({ code: 'ABCI_QUERY_FAILED' });
    const stranger = { ...signerOf(0), address: createAccounts(99)[98]!.address };
    await expect(sign.prepareTransaction(client, stranger, [send])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

it(`signing takes at most ${maxBytes.wallet} bytes with a wallet, ${maxBytes.ledger} with a Ledger, and ${maxBytes.all} with keys and JSON`, async () => {
  /** The bytes that are loaded at once, and those of every part. */
  const sizesOf = async (names: string) => {
    const { outputFiles, metafile } = await build({
      stdin: {
        contents: `export ${names} from './packages/client/src/sign/index.ts'`,
        resolveDir: '.',
        sourcefile: 'entry.ts',
      },
      ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', write: false },
      ...{ splitting: true, outdir: 'parts', metafile: true },
    });
    const outputs = Object.entries(metafile.outputs);
    const [entry] = outputs.find(([, { entryPoint }]) => entryPoint === 'entry.ts')!;
    const first = new Set([entry]);
    for (const path of first)
      for (const { path: imported, kind } of metafile.outputs[path]!.imports)
        if (kind === 'import-statement') first.add(imported);
    const bytes = outputFiles.map(({ path, contents }) => ({ path, size: gzipSync(contents, { level: 9 }).length }));
    const sum = (parts: typeof bytes): number => parts.reduce((total, { size }) => total + size, 0);
    return { first: sum(bytes.filter(({ path }) => [...first].some((each) => path.endsWith(each)))), all: sum(bytes) };
  };
  const wallet = await sizesOf('{ connectKeplr, msgVote, sendMessages }');
  const sizes = { wallet: wallet.first, ledger: wallet.all, all: (await sizesOf('*')).all };
  console.log(
    `@stele/client/sign: ${sizes.wallet} bytes with a wallet, ${sizes.ledger} with a Ledger, ${sizes.all} in all, gzipped`,
  );
  expect(sizes.wallet).toBeLessThan(maxBytes.wallet);
  expect(sizes.ledger).toBeLessThan(maxBytes.ledger);
  expect(sizes.all).toBeLessThan(maxBytes.all);
});
