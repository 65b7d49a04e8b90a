import { fromBinary } from '@bufbuild/protobuf';
import { TxMsgDataSchema } from '../../../../../src/proto/cosmos/base/abci/v1beta1/abci_pb.js';
import { Service } from '../../../../../src/proto/cosmos/tx/v1beta1/service_pb.js';
import { StatusError } from '../runtime/abciErrors.ts';
import { type Keeper, onQuery } from '../runtime/keeper.ts';
import { serviceText } from '../transactions/simulated.ts';
import { requiredFee, type Simulate } from './flatfees.ts';

/** The gas limit that a meter without one reports. */
const noLimit = 2n ** 64n - 1n;

/**
 * The simulation method of the transaction service. It simulates a transaction on the newest state, whatever the height of the
 * query, without checking signatures. On a chain with flat fees, the gas that is wanted is the gas, and the gas that is used is the fee (recorded: A28).
 */
export function createSimulationKeeper(simulate: Simulate, isFlat: boolean): Keeper {
  return {
    messages: [],
    queries: [
      onQuery(Service.method.simulate, (_, { txBytes }) => {
        const result = simulate(txBytes);
        if (result.code !== 0) throw new StatusError('Unknown', serviceText(result.log, result.gasUsed));
        const data = result.data ?? new Uint8Array();
        return {
          gasInfo: isFlat
            ? { gasWanted: result.gasUsed, gasUsed: requiredFee(result.events) }
            : { gasWanted: noLimit, gasUsed: result.gasUsed },
          result: {
            data,
            log: result.log,
            events: result.events.map(({ type, attributes }) => ({
              type,
              attributes: attributes.map((each) => ({ ...each, index: false })),
            })),
            msgResponses: fromBinary(TxMsgDataSchema, data).msgResponses,
          },
        };
      }),
    ],
  };
}
