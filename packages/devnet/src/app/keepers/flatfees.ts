import { Query } from '../../../../../src/proto/provenance/flatfees/v1/query_pb.js';
import type { AbciEvent, TxResult } from '../../abci/abci.ts';
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

/** The fee that a transaction needs, by its events: that of its messages, and that of the messages which they execute. */
export function requiredFee(events: readonly AbciEvent[]): bigint {
  const attributes = events.filter(({ type }) => type === 'tx').flatMap((event) => event.attributes);
  const parts = attributes.filter(({ key }) => key === 'basefee' || key === 'additionalfee');
  return parts.reduce((sum, { value }) => sum + BigInt(value.replace(feeDenom, '')), 0n);
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
        const factor = gasAdjustment > 0 ? gasAdjustment : 1;
        const estimatedGas = BigInt(Math.ceil(Number(result.gasUsed) * factor));
        return { totalFees: [{ denom: feeDenom, amount: String(requiredFee(result.events)) }], estimatedGas };
      }),
    ],
  };
}
