import { pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { AnyMessageRef } from '../any/schema.ts';
import { inWords } from './summary.ts';

/** Adds `AnyMessage.inWords`. */
export function addSummaries(builder: Builder): void {
  builder.objectField(AnyMessageRef, 'inWords', (t) =>
    t.string({
      description: 'derived: one English sentence, amounts in display units. null for types this server has no words for.',
      resolve: (message) => inWords(pinOf(message), message),
    }),
  );
}
