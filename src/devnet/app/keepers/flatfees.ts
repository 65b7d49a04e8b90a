import { fromBinary } from '@bufbuild/protobuf';
import { TxMsgDataSchema } from '../../../proto/cosmos/base/abci/v1beta1/abci_pb.js';
import { Query } from '../../../proto/provenance/flatfees/v1/query_pb.js';
import type { TxResult } from '../../abci/abci.ts';
import { abciError } from '../runtime/abciErrors.ts';
import { feeDenom } from '../runtime/coins.ts';
import { type Keeper, onQuery } from '../runtime/keeper.ts';

/** What one message costs, in nhash and in the denomination that fees are set in: recorded, one is the other. */
const cost = 1n;
const definedDenom = 'musd';

/** Runs a transaction on the newest state, without its signatures and without keeping what it did. */
export type Simulate = (tx: Uint8Array) => TxResult;

function costIn(asDefined: boolean) {
  return { denom: asDefined ? definedDenom : feeDenom, amount: String(cost) };
}

/** Flat fees: every message costs the default (chain.md finding 19). No message has a price of its own. */
export function createFlatFeesKeeper(simulate: Simulate): Keeper {
  return {
    store: 'flatfees',
    messages: [],
    queries: [
      onQuery(Query.method.params, () => ({
        params: {
          defaultCost: costIn(true),
          conversionFactor: { definitionAmount: costIn(true), convertedAmount: costIn(false) },
        },
      })),
      // Not recorded, but for what it would say of one message.
      onQuery(Query.method.allMsgFees, (_, { doNotConvert }) => ({ defaultCost: costIn(doNotConvert), pagination: {} })),
      onQuery(Query.method.msgFee, (_, { msgTypeUrl, doNotConvert }) => ({
        msgFee: { msgTypeUrl, cost: [costIn(doNotConvert)] },
      })),
      // Not recorded: the fees of the messages, and the gas that a simulation used, times the adjustment (1 when it is 0).
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
