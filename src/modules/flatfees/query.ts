import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Client } from '../../chain/client.ts';
import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/provenance/flatfees/v1/query_pb.js';
import { queryLatest, queryState } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/model.ts';

/** Reads the denom in which fees are paid. Returns null if the parameters of the module have none. */
export async function feeToken(state: StateAt): Promise<string | null> {
  const { params } = await queryState(state, Query.method.params, {});
  return params?.conversionFactor?.convertedAmount?.denom || null;
}

/** Reads the cost of one message of a type, in the fee token. Empty if the message is free. */
export async function msgFee(state: StateAt, type: string): Promise<readonly Coin[]> {
  const { msgFee: fee } = await queryState(state, Query.method.msgFee, { msgTypeUrl: type });
  return (fee?.cost ?? []).map(coinFromWire);
}

/** Fees and gas of a simulated transaction. */
export interface TxFees {
  readonly totalFees: readonly Coin[];
  readonly estimatedGas: bigint;
}

/**
 * Simulates a transaction on the latest state of a node. The result is not cached. Throws ABCI_QUERY_FAILED if the simulation
 * fails.
 */
export async function calculateTxFees(
  source: { readonly client: Client; readonly signal: AbortSignal | undefined },
  txBytes: Uint8Array,
  gasAdjustment: number,
): Promise<TxFees> {
  const { input, output, parent, name } = Query.method.calculateTxFees;
  const request = toBinary(input, create(input, { txBytes, gasAdjustment }));
  const answer = await queryLatest(source, `/${parent.typeName}/${name}`, request);
  const { totalFees, estimatedGas } = fromBinary(output, answer);
  return { totalFees: totalFees.map(coinFromWire), estimatedGas };
}
