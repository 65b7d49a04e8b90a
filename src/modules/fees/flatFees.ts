import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Client } from '../../chain/client.ts';
import { Query } from '../../proto/provenance/flatfees/v1/query_pb.js';
import { lazyLoaders, ReadOnce } from '../../reads/pin.ts';
import { queryLatest, stateRead, valueOnce } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/query.ts';

/** Who simulates, and where. */
export interface SimulationSource {
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
  readonly maySimulate: boolean | null;
}

/** The denom in which fees are paid; null if the parameters of the module have none. */
const readFeeToken = stateRead({
  method: Query.method.params,
  request: () => ({}),
  value: ({ params }): string | null => params?.conversionFactor?.convertedAmount?.denom || null,
});

/** The cost of one message of a type, in the fee token. Empty if the message is free. */
const readMsgFee = stateRead({
  method: Query.method.msgFee,
  request: (msgTypeUrl: string) => ({ msgTypeUrl }),
  value: (answer): readonly Coin[] => (answer.msgFee?.cost ?? []).map(coinFromWire),
});

/** Fees and gas by the flat fees of the chain. The errors are those of a simulation. */
export async function readFlatFees(
  source: SimulationSource,
  txBytes: Uint8Array,
  gasAdjustment: number,
): Promise<{ readonly totalFees: readonly Coin[]; readonly estimatedGas: bigint }> {
  const { input, output, parent, name } = Query.method.calculateTxFees;
  const request = toBinary(input, create(input, { txBytes, gasAdjustment }));
  const answer = await queryLatest(source, `/${parent.typeName}/${name}`, request);
  const { totalFees, estimatedGas } = fromBinary(output, answer);
  return { totalFees: totalFees.map(coinFromWire), estimatedGas };
}

export const createFlatfeesLoaders = lazyLoaders({
  feeToken: ({ state }) => new ReadOnce((_: '') => readFeeToken(state)),
  msgFee: valueOnce(readMsgFee),
});
