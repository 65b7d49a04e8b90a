import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { ConfigRequestSchema, ConfigResponseSchema } from '../../../src/proto/cosmos/base/node/v1beta1/query_pb.js';
import { any, startChain, type TestChain } from '../../support/chain.ts';

let chain: TestChain;

beforeAll(async () => {
  chain = await startChain({ bare: true, without: ['flatfees'] });
});
afterAll(() => chain.devnet.close());

async function rpc(method: string, params: object): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(chain.node.url, { method: 'POST', body });
  return ((await response.json()) as { result: Record<string, unknown> }).result;
}

/** A send of account 0 that carries this fee. */
function sendOf({ fee, gas, amount = '5' }: { fee: bigint; gas: bigint; amount?: string }): string {
  const [from, to] = [chain.accounts[0]!, chain.accounts[1]!];
  const send = { fromAddress: from.address, toAddress: to.address, amount: [{ denom: 'nhash', amount }] };
  const coins = fee === 0n ? [] : [{ denom: 'nhash', amount: fee }];
  return Buffer.from(chain.sign(from, [any(MsgSendSchema, send)], { fee: { amount: coins, gas } })).toString('base64');
}

interface TxResult {
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  readonly gas_wanted: string;
  readonly gas_used: string;
  readonly events: readonly {
    readonly type: string;
    readonly attributes: readonly { readonly key: string; readonly value: string }[];
  }[];
}

/** Sends a transaction and commits it. Returns its result. */
async function deliver(tx: string) {
  expect(await rpc('broadcast_tx_sync', { tx })).toMatchObject({ code: 0 });
  const height = String(await chain.devnet.commit());
  const [result] = (await rpc('block_results', { height })).txs_results as [TxResult];
  const { events } = result;
  const ofTx = events.filter(({ type }) => type === 'tx').flatMap(({ attributes }) => attributes);
  return { ...result, ofTx: ofTx.map(({ key, value }) => [key, value]) };
}

describe('fees of a chain without flat fees (texts as of wasmd 0.61 with SDK 0.53)', () => {
  it('have a minimum gas price in the configuration of the node', () => {
    const height = chain.devnet.height;
    const { value } = chain.devnet.application.query({
      ...{ path: '/cosmos.base.node.v1beta1.Service/Config', data: toBinary(ConfigRequestSchema, create(ConfigRequestSchema)) },
      ...{ height: 0n, prove: false, latestHeight: height, earliestHeight: 1n },
    });
    expect(fromBinary(ConfigResponseSchema, value!).minimumGasPrice).toBe('0.025000000000000000nhash');
  });

  it.each([
    [0n, 'insufficient fees; got:  required: 5001nhash: insufficient fee'],
    [5_000n, 'insufficient fees; got: 5000nhash required: 5001nhash: insufficient fee'],
  ])('are refused by the mempool if they are too small: %i', async (fee, log) => {
    const tx = sendOf({ fee, gas: 200_001n });
    expect(await rpc('broadcast_tx_sync', { tx })).toMatchObject({ code: 13, codespace: 'sdk', log });
    expect(await rpc('check_tx', { tx })).toMatchObject({ code: 13, gas_wanted: '200001', gas_used: '3198' });
  });

  it('are charged whole before the messages, and kept if these fail', async () => {
    const sent = await deliver(sendOf({ fee: 6_000n, gas: 200_000n }));
    expect([sent.code, sent.gas_wanted, sent.ofTx[0]]).toEqual([0, '200000', ['fee', '6000nhash']]);
    const failed = await deliver(sendOf({ fee: 5_001n, gas: 200_001n, amount: '1000000000000000000000' }));
    expect(failed).toMatchObject({ code: 5, codespace: 'sdk', gas_wanted: '200001' });
    expect(failed.ofTx.slice(0, 2)).toEqual([
      ['fee', '5001nhash'],
      ['fee_payer', chain.accounts[0]!.address],
    ]);
    expect(failed.ofTx.map(([key]) => key)).toEqual(['fee', 'fee_payer', 'acc_seq', 'signature']);
  });

  it('pay for the gas limit: a transaction that uses more fails with code 11', async () => {
    const { gas_used: used } = await deliver(sendOf({ fee: 6_000n, gas: 200_000n }));
    const gas = BigInt(used) - 1_000n;
    const result = await deliver(sendOf({ fee: 6_000n, gas }));
    expect(result).toMatchObject({ code: 11, codespace: 'sdk', gas_wanted: String(gas) });
    expect(result.log).toMatch(/^out of gas in location: /);
  });
});
