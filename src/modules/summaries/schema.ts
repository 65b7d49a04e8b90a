import { pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { AnyMessageRef } from '../any/schema.ts';
import { summaryOf } from './summary.ts';

/** Adds `AnyMessage.inWords`. */
export function addSummaries(builder: Builder): void {
  builder.objectField(AnyMessageRef, 'inWords', (t) =>
    t.string({
      description:
        'derived: a one-sentence English summary of the message, without a final period. Amounts are in display units, with their\nsymbols, where the chain has denom metadata. null if this server has no summary for the message type, or if the message cannot be decoded or is incomplete.',
      resolve: (message) => summaryOf(pinOf(message), message),
    }),
  );
}
