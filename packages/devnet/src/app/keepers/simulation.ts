import { fromBinary } from '@bufbuild/protobuf';
import { TxMsgDataSchema } from '../../../../../src/proto/cosmos/base/abci/v1beta1/abci_pb.js';
import { Service } from '../../../../../src/proto/cosmos/tx/v1beta1/service_pb.js';
import { StatusError } from '../runtime/abciErrors.ts';
import { type Keeper, onQuery } from '../runtime/keeper.ts';
import type { Simulate } from './flatfees.ts';

/**
 * The simulation method of the transaction service. It simulates a transaction on the newest state, whatever the height of the
 * query, without checking signatures. Not recorded: the response has the format of the Cosmos SDK, and the error is a guess
 * from its source.
 */
export function createSimulationKeeper(simulate: Simulate): Keeper {
  return {
    messages: [],
    queries: [
      onQuery(Service.method.simulate, (_, { txBytes }) => {
        const result = simulate(txBytes);
        if (result.code !== 0) throw new StatusError('Unknown', `${result.log} with gas used: '${result.gasUsed}'`);
        const data = result.data ?? new Uint8Array();
        return {
          gasInfo: { gasWanted: result.gasWanted, gasUsed: result.gasUsed },
          result: {
            data,
            log: result.log,
            events: result.events.map(({ type, attributes }) => ({ type, attributes: [...attributes] })),
            msgResponses: fromBinary(TxMsgDataSchema, data).msgResponses,
          },
        };
      }),
    ],
  };
}
