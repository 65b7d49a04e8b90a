import { fromBinary } from '@bufbuild/protobuf';
import { Decimal } from '@cosmjs/math';
import { calculateFee, GasPrice } from '@cosmjs/stargate';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { Tx, TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { describe, expect, it } from 'vitest';
import { feeOf, parseGasPrices } from '../../../src/modules/fees/gasPrice.ts';
import { gasByTable, typesWithGas } from '../../../src/modules/fees/gasTable.ts';
import { ConfigResponseSchema } from '../../../src/proto/cosmos/base/node/v1beta1/query_pb.js';
import { readRecording } from '../../recordings/recordings.ts';
import { fc } from '../../support/atRandom.ts';

/** The most gas that was recorded on Provenance v1.29.0 for transactions with this number of messages of one type. */
const recordedGas: readonly (readonly [type: string, count: number, gas: bigint])[] = [
  // These two on wasmd 0.61 with SDK 0.53.
  ['/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward', 1, 118_419n],
  ['/cosmos.feegrant.v1beta1.MsgRevokeAllowance', 1, 54_816n],
  ['/cosmos.gov.v1.MsgCancelProposal', 1, 130_953n],
  ['/cosmos.gov.v1.MsgDeposit', 1, 161_955n],
  ['/cosmos.gov.v1.MsgVote', 1, 102_419n],
  ['/cosmos.gov.v1.MsgVote', 7, 150_111n],
  ['/cosmos.gov.v1.MsgVoteWeighted', 1, 91_103n],
  ['/cosmos.slashing.v1beta1.MsgUnjail', 1, 104_933n],
  ['/cosmos.staking.v1beta1.MsgDelegate', 1, 227_951n],
  ['/cosmos.staking.v1beta1.MsgDelegate', 2, 377_203n],
  ['/cosmos.staking.v1beta1.MsgUndelegate', 1, 256_719n],
];

function txOf(types: readonly string[]): Uint8Array {
  const messages = types.map((typeUrl) => ({ typeUrl, value: new Uint8Array() }));
  return TxRaw.encode(TxRaw.fromPartial({ bodyBytes: TxBody.encode(TxBody.fromPartial({ messages })).finish() })).finish();
}

/** The transactions of the recorded chain that succeeded, with the gas that they used. */
function recordedTransactions(): { readonly tx: Uint8Array; readonly gas: bigint }[] {
  return [...readRecording('chain'), ...readRecording('governance-chain')].flatMap(({ block, block_results: results }) => {
    const { txs } = (block.block as { data: { txs: readonly string[] | null } }).data;
    const { txs_results: outcomes } = results as { txs_results: readonly { code: number; gas_used: string }[] | null };
    return (txs ?? []).flatMap((text, index) => {
      const { code, gas_used: gas } = outcomes![index]!;
      return code === 0 ? [{ tx: Buffer.from(text, 'base64'), gas: BigInt(gas) }] : [];
    });
  });
}

describe('the table of gas', () => {
  it('is enough for every recorded transaction whose types it has, and less than twice as much', () => {
    const seen = new Set<string>();
    for (const { tx, gas } of recordedTransactions()) {
      const tabled = gasByTable(tx);
      const types = new Set(Tx.decode(tx).body!.messages.map(({ typeUrl }) => typeUrl));
      expect(tabled !== undefined).toBe([...types].every((type) => typesWithGas.includes(type)));
      if (tabled === undefined) continue;
      for (const type of types) seen.add(type);
      expect(tabled).toBeGreaterThanOrEqual(gas);
      expect(tabled).toBeLessThan(gas * 2n);
    }
    expect([...seen].sort()).toEqual([
      '/cosmos.authz.v1beta1.MsgGrant',
      '/cosmos.bank.v1beta1.MsgSend',
      '/cosmos.feegrant.v1beta1.MsgGrantAllowance',
    ]);
  });

  it.each(recordedGas)('is enough for %s, %i times', (type, count, gas) => {
    const tabled = gasByTable(txOf(new Array(count).fill(type)));
    expect(tabled).toBeGreaterThanOrEqual(gas);
    expect(tabled).toBeLessThan(gas * 2n);
  });

  it('has nothing for a transaction without messages, with an unlisted one, or that does not parse', () => {
    expect(gasByTable(txOf([]))).toBeUndefined();
    expect(gasByTable(txOf(['/cosmos.bank.v1beta1.MsgSend', '/cosmwasm.wasm.v1.MsgExecuteContract']))).toBeUndefined();
    expect(gasByTable(MsgSend.encode(MsgSend.fromPartial({ fromAddress: 'tp1' })).finish())).toBeUndefined();
    expect(gasByTable(Uint8Array.of(0xff))).toBeUndefined();
  });
});

describe('gas prices of a node', () => {
  it('are read from the configuration of a node, as wasmd 0.61 encoded it', () => {
    const recorded = 'CjMwLjAyNTAwMDAwMDAwMDAwMDAwMHN0YWtlLDAuMTAwMDAwMDAwMDAwMDAwMDAwdWNvc20SATAaATA=';
    const { minimumGasPrice, ...rest } = fromBinary(ConfigResponseSchema, Buffer.from(recorded, 'base64'));
    const prices = parseGasPrices(minimumGasPrice);
    expect(rest).toMatchObject({ pruningKeepRecent: '0', pruningInterval: '0', haltHeight: 0n });
    // What the same node required for a gas limit of 88,003.
    expect(prices.map((price) => feeOf(price, 88_003n))).toEqual([
      { denom: 'stake', amount: '2201' },
      { denom: 'ucosm', amount: '8801' },
    ]);
  });

  it('are parsed exactly, also several, also of IBC denominations, and also none', () => {
    const ibc = 'ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2';
    expect(parseGasPrices(`0.025000000000000000nhash,1.5${ibc},3factory/tp1a/b`)).toEqual([
      { denom: 'nhash', amount: 25_000_000_000_000_000n },
      { denom: ibc, amount: 1_500_000_000_000_000_000n },
      { denom: 'factory/tp1a/b', amount: 3_000_000_000_000_000_000n },
    ]);
    expect(parseGasPrices('')).toEqual([]);
    expect(parseGasPrices('0nhash')).toEqual([{ denom: 'nhash', amount: 0n }]);
  });

  it.each(['nhash', '0.1', '-1nhash', '0.0000000000000000001nhash'])('%j is no price of a node', (text) => {
    expect(() => parseGasPrices(text)).toThrow('the minimum gas price is no decimal number with a denomination');
  });

  it('give the fee that CosmJS calculates', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 15 }), fc.integer({ min: 1, max: 10 ** 9 }), (atomics, gas) => {
        const price = new GasPrice(Decimal.fromAtomics(String(atomics), 18), 'nhash');
        expect([feeOf({ denom: 'nhash', amount: BigInt(atomics) }, BigInt(gas))]).toEqual(calculateFee(gas, price).amount);
      }),
    );
  });
});
