import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Client } from '../../chain/client.ts';
import { asObject, bytesAt, intAt, objectAt, textAt } from '../../chain/decode.ts';
import { abciError } from '../../chain/rpcErrors.ts';
import type { StateAt } from '../../chain/state.ts';
import { Query } from '../../proto/provenance/flatfees/v1/query_pb.js';
import { ask } from '../ask.ts';
import { type Coin, coinFromWire } from '../bank/model.ts';

/** The denom that fees are paid in: what costs are converted to. null when the chain names none. */
export async function feeToken(state: StateAt): Promise<string | null> {
  const { params } = await ask(state, Query.method.params, {});
  return params?.conversionFactor?.convertedAmount?.denom || null;
}

/** What one message of this type costs, in the fee token; empty when it is free. */
export async function msgFee(state: StateAt, type: string): Promise<readonly Coin[]> {
  const { msgFee: fee } = await ask(state, Query.method.msgFee, { msgTypeUrl: type });
  return (fee?.cost ?? []).map(coinFromWire);
}

/** What a transaction would cost. */
export interface TxFees {
  readonly totalFees: readonly Coin[];
  readonly estimatedGas: bigint;
}

/** Simulates a transaction on the newest state of the node in use; never kept. What the chain says against it is ABCI_QUERY_FAILED. */
export function calculateTxFees(
  client: Client,
  txBytes: Uint8Array,
  gasAdjustment: number,
  signal: AbortSignal | undefined,
): Promise<TxFees> {
  const { input, output, parent, name } = Query.method.calculateTxFees;
  const data = toBinary(input, create(input, { txBytes, gasAdjustment }));
  const params = {
    path: `/${parent.typeName}/${name}`,
    data: Buffer.from(data).toString('hex'),
    height: '0',
    prove: false,
  };
  return client.call('abci_query', params, {
    ...(signal && { signal }),
    decode(result) {
      const response = objectAt(asObject(result, 'abci_query'), 'response');
      const code = intAt(response, 'code');
      if (code !== 0) throw abciError(code, textAt(response, 'codespace'), textAt(response, 'log'), 0n);
      const { totalFees, estimatedGas } = fromBinary(output, bytesAt(response, 'value') ?? new Uint8Array());
      return { totalFees: totalFees.map(coinFromWire), estimatedGas };
    },
  });
}
