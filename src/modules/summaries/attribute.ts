import type { Message } from './message.ts';
import { quote, quoteBytes, timeWords } from './phrases.ts';
import type { Sentences } from './sentence.ts';

const named = (message: Message): string => `the attribute ${message.text('name')} of ${message.text('account')}`;

/** `provenance.attribute.v1`. */
export const attributeSentences: Sentences = {
  MsgAddAttributeRequest(message) {
    const expiry = message.maybe('expirationDate');
    const until = expiry === undefined ? '' : ` until ${timeWords(expiry)}`;
    return `${message.text('owner')} gives ${message.text('account')} the attribute ${message.text('name')} of value ${quoteBytes(message.bytes('value'))}${until}`;
  },
  MsgUpdateAttributeRequest: (message) =>
    `${message.text('owner')} changes ${named(message)} from ${quoteBytes(message.bytes('originalValue'))} to ${quoteBytes(message.bytes('updateValue'))}`,
  MsgUpdateAttributeExpirationRequest(message) {
    const expiry = message.maybe('expirationDate');
    const value = quoteBytes(message.bytes('value'));
    return `${message.text('owner')} lets ${named(message)} of value ${value} ${expiry === undefined ? 'last for ever' : `expire at ${timeWords(expiry)}`}`;
  },
  MsgDeleteAttributeRequest: (message) => `${message.text('owner')} deletes ${named(message)}`,
  MsgDeleteDistinctAttributeRequest: (message) =>
    `${message.text('owner')} deletes ${named(message)} of value ${quoteBytes(message.bytes('value'))}`,
  MsgSetAccountDataRequest(message) {
    const value = message.free('value');
    return `${message.text('account')} ${value === '' ? 'clears its account data' : `sets its account data to ${quote(value)}`}`;
  },
  MsgUpdateParamsRequest: (message) => `${message.text('authority')} changes the parameters of the attribute module`,
};
