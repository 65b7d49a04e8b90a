import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { isChainError } from '../../chain/base/errors.ts';
import { Service } from '../../proto/cosmos/tx/v1beta1/service_pb.js';
import { AuthInfoSchema, TxRawSchema } from '../../proto/cosmos/tx/v1beta1/tx_pb.js';
import { Query } from '../../proto/provenance/flatfees/v1/query_pb.js';
import type { Pin } from '../../reads/pin.ts';
import { queryLatest } from '../../reads/query.ts';
import { servedServices } from '../any/module.ts';
import type { Coin } from '../bank/query.ts';
import { readFlatFees, type SimulationSource } from './flatFees.ts';
import { feeOf, type GasPrice, readGasPrices } from './gasPrice.ts';
import { gasByTable } from './gasTable.ts';

/** How the fees of a transaction were found. */
export type TxFeeRule = 'FLAT_FEES' | 'SIMULATED_GAS' | 'GAS_TABLE';

/** Fees and gas of a transaction that is not sent yet. */
export interface TxFees {
  readonly totalFees: readonly Coin[];
  readonly estimatedGas: bigint;
  readonly rule: TxFeeRule;
}

/**
 * The factor of simulated gas where the price of gas decides about the fee. A draft carries no fee, so its simulation does not pay one and takes less gas
 * than the transaction: on wasmd 0.61, a send that took 84,353 was simulated with 62,859. CosmJS uses the same factor.
 */
const gasMargin = 1.4;

/**
 * Calculates fees and gas on the newest state, by the rule of the chain: its flat fees, if it has the module; otherwise gas times the minimum gas price of
 * a node. The gas comes from a simulation, or from a table if nothing may simulate the transaction. Throws ABCI_QUERY_FAILED if the simulation
 * fails, and SIMULATION_DISABLED if no node may simulate it and a message is not in the table. `gasAdjustment` multiplies the gas.
 */
export async function calculateTxFees(
  pin: Pin,
  maySimulate: boolean | null,
  txBytes: Uint8Array,
  gasAdjustment: number | undefined,
): Promise<TxFees> {
  const { client, signal } = pin;
  const source: SimulationSource = { client, signal, maySimulate };
  const served = await servedServices(client, [Query], signal);
  if (served.has(Query.typeName)) return { ...(await readFlatFees(source, txBytes, gasAdjustment ?? 1)), rule: 'FLAT_FEES' };
  const [{ gas, rule }, prices] = await Promise.all([readGas(source, txBytes), readGasPrices(source)]);
  const factor = gasAdjustment ?? (rule === 'SIMULATED_GAS' ? gasMargin : 1);
  const estimatedGas = BigInt(Math.ceil(Number(gas) * factor));
  const price = chosenPrice(prices, txBytes);
  return { totalFees: price === undefined ? [] : [feeOf(price, estimatedGas)], estimatedGas, rule };
}

/** Gas by a simulation; by the table, if no node may simulate the transaction. */
async function readGas(source: SimulationSource, txBytes: Uint8Array): Promise<{ gas: bigint; rule: TxFeeRule }> {
  const { input, output, parent, name } = Service.method.simulate;
  try {
    const request = toBinary(input, create(input, { txBytes }));
    const { gasInfo } = fromBinary(output, await queryLatest(source, `/${parent.typeName}/${name}`, request));
    return { gas: gasInfo?.gasUsed ?? 0n, rule: 'SIMULATED_GAS' };
  } catch (error) {
    const gas = isChainError(error, 'SIMULATION_DISABLED') ? gasByTable(txBytes) : undefined;
    if (gas === undefined) throw error;
    return { gas, rule: 'GAS_TABLE' };
  }
}

/** Any of the prices is enough: the one in a denomination of the fee that the transaction carries, otherwise the first. */
function chosenPrice(prices: readonly GasPrice[], txBytes: Uint8Array): GasPrice | undefined {
  const denoms = new Set(feeDenoms(txBytes));
  return prices.find(({ denom }) => denoms.has(denom)) ?? prices[0];
}

function feeDenoms(txBytes: Uint8Array): readonly string[] {
  try {
    const { fee } = fromBinary(AuthInfoSchema, fromBinary(TxRawSchema, txBytes).authInfoBytes);
    return (fee?.amount ?? []).map(({ denom }) => denom);
  } catch {
    return [];
  }
}
