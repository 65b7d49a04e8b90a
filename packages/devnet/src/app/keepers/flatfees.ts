import { fromBinary } from '@bufbuild/protobuf';
import { TxMsgDataSchema } from '../../../../../src/proto/cosmos/base/abci/v1beta1/abci_pb.js';
import { Query } from '../../../../../src/proto/provenance/flatfees/v1/query_pb.js';
import type { TxResult } from '../../abci/abci.ts';
import { abciError } from '../runtime/abciErrors.ts';
import { feeDenom } from '../runtime/coins.ts';
import { type Keeper, onQuery } from '../runtime/keeper.ts';

/** The fee of a message, in nhash and in the denomination of the fee parameters. Recorded: both are the same. */
const cost = 1n;
const definedDenom = 'musd';

/** Simulates a transaction on the newest state, without checking signatures and without changing the state. */
export type Simulate = (tx: Uint8Array) => TxResult;

function costIn(asDefined: boolean) {
  return { denom: asDefined ? definedDenom : feeDenom, amount: String(cost) };
}

/** The flat fee module. Every message has the default fee (docs/chain.md, "Fees"). */
export function createFlatFeesKeeper(simulate: Simulate): Keeper {
  return {
    messages: [],
    queries: [
      onQuery(Query.method.params, () => ({
        params: {
          defaultCost: costIn(true),
          conversionFactor: { definitionAmount: costIn(true), convertedAmount: costIn(false) },
        },
      })),
      // Recorded for one message only.
      onQuery(Query.method.allMsgFees, (_, { doNotConvert }) => ({ defaultCost: costIn(doNotConvert), pagination: {} })),
      onQuery(Query.method.msgFee, (_, { msgTypeUrl, doNotConvert }) => ({
        msgFee: { msgTypeUrl, cost: [costIn(doNotConvert)] },
      })),
      // Not recorded: the fees of the messages, and the gas used in a simulation times the adjustment (1 if it is 0).
      onQuery(Query.method.calculateTxFees, (_, { txBytes, gasAdjustment }) => {
        const result = simulate(txBytes);
        if (result.code !== 0) throw abciError('unknownRequest', result.log);
        const messages = fromBinary(TxMsgDataSchema, result.data ?? new Uint8Array()).msgResponses.length;
        const factor = gasAdjustment > 0 ? gasAdjustment : 1;
        const estimatedGas = BigInt(Math.ceil(Number(result.gasUsed) * factor));
        return { totalFees: [{ denom: feeDenom, amount: String(cost * BigInt(messages)) }], estimatedGas };
      }),
    ],
  };
}
