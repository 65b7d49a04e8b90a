import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Client } from '../../chain/client.ts';
import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/provenance/flatfees/v1/query_pb.js';
import { queryLatest, queryState } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/model.ts';

/** The denom that fees are paid in: what costs are converted to. null when the chain names none. */
export async function feeToken(state: StateAt): Promise<string | null> {
  const { params } = await queryState(state, Query.method.params, {});
  return params?.conversionFactor?.convertedAmount?.denom || null;
}

/** What one message of this type costs, in the fee token; empty when it is free. */
export async function msgFee(state: StateAt, type: string): Promise<readonly Coin[]> {
  const { msgFee: fee } = await queryState(state, Query.method.msgFee, { msgTypeUrl: type });
  return (fee?.cost ?? []).map(coinFromWire);
}

/** What a transaction would cost. */
export interface TxFees {
  readonly totalFees: readonly Coin[];
  readonly estimatedGas: bigint;
}

/** Simulates a transaction on the newest state of the node in use; never kept. What the chain says against it is ABCI_QUERY_FAILED. */
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
