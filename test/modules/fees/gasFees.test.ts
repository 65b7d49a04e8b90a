import { stringToPath } from '@cosmjs/crypto';
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing';
import { calculateFee, coins, GasPrice, SigningStargateClient } from '@cosmjs/stargate';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../packages/client/src/index.ts';
import { minimumGasPrice } from '../../../packages/devnet/src/app/runtime/gas.ts';
import { type Keeper, onQuery } from '../../../packages/devnet/src/app/runtime/keeper.ts';
import { devnetModules } from '../../../src/config/devnetModules.ts';
import { MsgExecSchema } from '../../../src/proto/cosmos/authz/v1beta1/tx_pb.js';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Service } from '../../../src/proto/cosmos/base/node/v1beta1/query_pb.js';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** What the node reports as its minimum gas price. */
let reported = minimumGasPrice;

/** A chain like others than Provenance: without flat fees. */
let chain: TestChain;
let stack: Stack;
let issuer: TestIssuer;

const nodeConfig: Keeper = {
  messages: [],
  queries: [onQuery(Service.method.config, () => ({ minimumGasPrice: reported }))],
};

beforeAll(async () => {
  [issuer, chain] = await Promise.all([
    startIssuer(),
    startChain({ bare: true, without: devnetModules, modules: [nodeConfig] }),
  ]);
  stack = await startStack([chain.node.url], { server: { auth: authenticatorOf(issuer) } });
  await stack.client.head.ready();
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
  await issuer.close();
});

/** Commits a block, and waits until the server reads at it. */
async function commit(): Promise<void> {
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
}

/** A wallet of CosmJS with accounts 8 and 9, and the address of each. */
async function openWallet() {
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic('test test test test test test test test test test test junk', {
    prefix: 'tp',
    hdPaths: [8, 9].map((index) => stringToPath(`m/44'/1'/0'/0/${index}`)),
  });
  const [sender, recipient] = (await wallet.getAccounts()).map(({ address }) => address);
  return { wallet, sender: sender!, recipient: recipient! };
}

const sendOf = (fromAddress: string, toAddress: string, amount = 5) => ({
  typeUrl: '/cosmos.bank.v1beta1.MsgSend',
  value: { fromAddress, toAddress, amount: coins(amount, 'nhash') },
});

/** A send of account `from` to account 9 that carries no fee, or one unit of a denomination. */
function draftOf(from: number, amount = '5', feeDenom?: string): Uint8Array {
  const [sender, recipient] = [chain.accounts[from]!, chain.accounts[9]!];
  const send = { fromAddress: sender.address, toAddress: recipient.address, amount: [{ denom: 'nhash', amount }] };
  return chain.sign(sender, [any(MsgSendSchema, send)], {
    fee: { amount: feeDenom === undefined ? [] : [{ denom: feeDenom, amount: 1n }], gas: 0n },
  });
}

interface Fees {
  readonly estimatedGas: string;
  readonly rule: string;
  readonly totalFees: readonly { readonly denom: string; readonly amount: string }[];
}

async function feesOf(tx: Uint8Array, scope = 'read broadcast', gasAdjustment?: number) {
  const document =
    'query ($tx: String!, $by: Float) { calculateTxFees(tx: $tx, gasAdjustment: $by) { estimatedGas rule totalFees { denom amount } } }';
  const variables = { tx: Buffer.from(tx).toString('base64'), by: gasAdjustment };
  const { body } = await stack.ask(document, variables, { authorization: `Bearer ${await issuer.sign({ scope })}` });
  const data = body.data as { calculateTxFees: Fees | null } | null | undefined;
  return { fees: data?.calculateTxFees ?? undefined, error: body.errors?.[0]?.extensions };
}

/** The calls of a node after `start`, without those of the server itself. */
function callsSince(start: number): (string | undefined)[] {
  const queries = chain.node.counters.log.slice(start).filter(({ method }) => method === 'abci_query');
  const paths = queries.map(({ params }) => (params as { path?: string }).path);
  return paths.filter((path) => /node|simul|flatfees/i.test(path ?? '')).sort();
}

describe('fees on a chain without flat fees', () => {
  it('are the gas of a simulation times the minimum gas price, as CosmJS calculates them', async () => {
    const { wallet, sender, recipient } = await openWallet();
    const node = await SigningStargateClient.connectWithSigner(chain.node.url, wallet);
    const gas = await node.simulate(sender, [sendOf(sender, recipient)], '');
    const draft = TxRaw.encode(await node.sign(sender, [sendOf(sender, recipient)], { amount: [], gas: '0' }, '')).finish();
    node.disconnect();
    const price = GasPrice.fromString('0.025nhash');

    const usual = await feesOf(draft);
    // The signature makes the transaction longer than the one that CosmJS simulates.
    const used = Number(usual.fees?.estimatedGas) / 1.4;
    expect(Math.abs(used - gas)).toBeLessThan(2_000);
    const expected = calculateFee(Number(usual.fees?.estimatedGas), price);
    expect(usual).toEqual({
      fees: { estimatedGas: expected.gas, rule: 'SIMULATED_GAS', totalFees: expected.amount },
      error: undefined,
    });

    const doubled = await feesOf(draft, 'read simulate', 2);
    expect(Number(doubled.fees?.estimatedGas) / 2).toBeCloseTo(used, -1);
  });

  it('are the gas of a table where nothing may simulate, if it has every message', async () => {
    expect(await feesOf(draftOf(8), 'read')).toEqual({
      fees: { estimatedGas: '135000', rule: 'GAS_TABLE', totalFees: [{ denom: 'nhash', amount: '3375' }] },
      error: undefined,
    });
    expect((await feesOf(draftOf(8), 'read', 1.0001)).fees).toMatchObject({
      estimatedGas: '135014',
      // 3375.35, rounded up.
      totalFees: [{ amount: '3376' }],
    });
    const executed = any(MsgExecSchema, { grantee: chain.accounts[8]!.address, msgs: [] });
    const unlisted = chain.sign(chain.accounts[8]!, [executed]);
    expect((await feesOf(unlisted, 'read')).error).toMatchObject({ code: 'SIMULATION_DISABLED', reason: 'NO_SCOPE' });
    expect((await feesOf(Uint8Array.of(0, 17), 'read')).error).toMatchObject({ code: 'SIMULATION_DISABLED' });
  });

  it('take one simulation and one query of the price, and no other query of a known chain', async () => {
    await feesOf(draftOf(8));
    const start = chain.node.counters.log.length;
    await feesOf(draftOf(8));
    expect(callsSince(start)).toEqual(['/cosmos.base.node.v1beta1.Service/Config', '/cosmos.tx.v1beta1.Service/Simulate']);
  });

  it('are read on the newest state, and not kept', async () => {
    const draft = draftOf(7);
    expect((await feesOf(draft)).fees?.rule).toBe('SIMULATED_GAS');
    await chain.submit(
      chain.accounts[7]!,
      any(MsgSendSchema, sendOf(chain.accounts[7]!.address, chain.accounts[9]!.address).value),
    );
    await commit();
    expect((await feesOf(draft)).error).toMatchObject({
      code: 'ABCI_QUERY_FAILED',
      log: expect.stringContaining('account sequence mismatch, expected 1, got 0'),
    });
    expect((await feesOf(draftOf(7))).fees?.rule).toBe('SIMULATED_GAS');
  });

  it('are in a denomination of the fee of the transaction, or else in the first of the node; none if it has no price', async () => {
    const feeAt = async (prices: string, feeDenom?: string) => {
      reported = prices;
      const { fees, error } = await feesOf(draftOf(8, '5', feeDenom), 'read');
      return fees?.totalFees ?? error?.code;
    };
    try {
      const two = '0.100000000000000000ibc/AA,0.025000000000000000nhash';
      expect(await feeAt(two)).toEqual([{ denom: 'ibc/AA', amount: '13500' }]);
      expect(await feeAt(two, 'nhash')).toEqual([{ denom: 'nhash', amount: '3375' }]);
      expect(await feeAt(two, 'other')).toEqual([{ denom: 'ibc/AA', amount: '13500' }]);
      expect(await feeAt('0.000000000000000000ibc/AA,0.025000000000000000nhash')).toEqual([{ denom: 'nhash', amount: '3375' }]);
      expect(await feeAt('')).toEqual([]);
      expect(await feeAt('free')).toBe('NODE_INVALID_RESPONSE');
    } finally {
      reported = minimumGasPrice;
    }
  });

  it('fail with the reason of the chain if the transaction would fail', async () => {
    const { fees, error } = await feesOf(draftOf(8, '1000000000000000000000000'));
    expect([fees, error?.code]).toEqual([undefined, 'ABCI_QUERY_FAILED']);
    expect(error?.log).toContain('insufficient funds');
  });
});

describe('a send on a chain without flat fees', () => {
  it('is signed with these fees, sent by the client package and included; one unit less is refused', async () => {
    const { wallet, sender, recipient } = await openWallet();
    const stele = createClient({ url: `${stack.server.url}/graphql`, token: () => issuer.sign({ scope: 'read broadcast' }) });
    const { data } = await stele.query<{
      readonly head: { readonly chainId: string };
      readonly account: { readonly accountNumber: string; readonly sequence: string };
    }>(`{ head { chainId } account(address: "${sender}") { accountNumber sequence } }`);
    const { chainId } = data.head;
    const signer = await SigningStargateClient.offline(wallet);
    const sign = async (fee: { amount: readonly { denom: string; amount: string }[]; gas: string }) =>
      TxRaw.encode(
        await signer.sign(sender, [sendOf(sender, recipient)], { ...fee, amount: [...fee.amount] }, '', {
          accountNumber: BigInt(data.account.accountNumber),
          sequence: Number(data.account.sequence),
          chainId,
        }),
      ).finish();
    const { fees } = await feesOf(await sign({ amount: [], gas: '0' }));
    const [fee] = fees!.totalFees;

    const short = await sign({ amount: [{ ...fee!, amount: String(BigInt(fee!.amount) - 1n) }], gas: fees!.estimatedGas });
    for await (const { final, stage, checkTx } of stele.submitTx(short)) {
      if (stage === 'CHECKED') expect.fail('the node accepts a fee that is too small');
      if (!final) continue;
      expect([stage, checkTx?.codespace, checkTx?.code, checkTx?.log]).toEqual([
        ...['REJECTED', 'sdk', 13],
        `insufficient fees; got: ${BigInt(fee!.amount) - 1n}nhash required: ${fee!.amount}nhash: insufficient fee`,
      ]);
    }

    const stages: string[] = [];
    for await (const { stage, transaction } of stele.submitTx(
      await sign({ amount: fees!.totalFees, gas: fees!.estimatedGas }),
    )) {
      stages.push(stage);
      if (stage === 'CHECKED') await commit();
      if (stage === 'INCLUDED') expect(transaction?.code).toBe(0);
    }
    expect(stages.at(-1)).toBe('INCLUDED');
  });

  it('is simulated, signed and sent by CosmJS with a gas price, over the server alone', async () => {
    const { wallet, sender, recipient } = await openWallet();
    const token = await issuer.sign({ scope: 'read broadcast' });
    const endpoint = { url: `${stack.server.url}/comet`, headers: { authorization: `Bearer ${token}` } };
    const client = await SigningStargateClient.connectWithSigner(endpoint, wallet, {
      gasPrice: GasPrice.fromString('0.025nhash'),
      broadcastPollIntervalMs: 20,
    });
    const before = BigInt((await client.getBalance(recipient, 'nhash')).amount);
    const sent = client.sendTokens(sender, recipient, coins(7, 'nhash'), 'auto');
    // The next block is due when the transaction is in the mempool.
    await expect.poll(() => chain.node.mempool.txs.length, { interval: 5, timeout: 30_000 }).toBe(1);
    await commit();
    const { code, gasUsed, gasWanted, transactionHash } = await sent;
    expect([code, gasUsed <= gasWanted]).toEqual([0, true]);
    expect(BigInt((await client.getBalance(recipient, 'nhash')).amount)).toBe(before + 7n);
    const fee = (await client.getTx(transactionHash))?.events.find(({ type }) => type === 'tx')?.attributes;
    expect(fee).toEqual(
      [
        { key: 'fee', value: `${(gasWanted + 39n) / 40n}nhash`, index: true },
        { key: 'fee_payer', value: sender, index: true },
      ].map((attribute) => expect.objectContaining({ key: attribute.key, value: attribute.value })),
    );
    client.disconnect();
  });
});
