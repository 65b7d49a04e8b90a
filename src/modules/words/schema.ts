import type { Builder } from '../../graphql/builder.ts';
import { AnyMessageRef } from '../any/schema.ts';
import { pinOf } from '../pin.ts';
import { inWords } from './words.ts';

/** Adds `AnyMessage.inWords`. */
export function addWords(builder: Builder): void {
  builder.objectField(AnyMessageRef, 'inWords', (t) =>
    t.string({
      description: 'derived: one English sentence, amounts in display units. null for types this server has no words for.',
      resolve: (message) => inWords(pinOf(message), message),
    }),
  );
}
