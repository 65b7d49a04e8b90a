import type { MessageReader } from './message.ts';
import { quote, quoteBytes, timeText } from './phrases.ts';
import type { Summarizers } from './summarizer.ts';

const named = (message: MessageReader): string => `the attribute ${message.word('name')} of ${message.word('account')}`;

/** Summaries of the messages of `provenance.attribute.v1`. */
export const attributeSummaries: Summarizers = {
  MsgAddAttributeRequest(message) {
    const expiry = message.optionalWord('expirationDate');
    const expiring = expiry === undefined ? '' : `, expiring at ${timeText(expiry)}`;
    const value = quoteBytes(message.bytes('value'));
    return `${message.word('owner')} adds the attribute ${message.word('name')} with value ${value} to ${message.word('account')}${expiring}`;
  },
  MsgUpdateAttributeRequest: (message) =>
    `${message.word('owner')} changes ${named(message)} from ${quoteBytes(message.bytes('originalValue'))} to ${quoteBytes(message.bytes('updateValue'))}`,
  MsgUpdateAttributeExpirationRequest(message) {
    const expiry = message.optionalWord('expirationDate');
    const value = quoteBytes(message.bytes('value'));
    return `${message.word('owner')} sets ${named(message)} with value ${value} to ${expiry === undefined ? 'never expire' : `expire at ${timeText(expiry)}`}`;
  },
  MsgDeleteAttributeRequest: (message) => `${message.word('owner')} deletes ${named(message)}`,
  MsgDeleteDistinctAttributeRequest: (message) =>
    `${message.word('owner')} deletes ${named(message)} with value ${quoteBytes(message.bytes('value'))}`,
  MsgSetAccountDataRequest(message) {
    const value = message.freeText('value');
    return `${message.word('account')} ${value === '' ? 'clears its account data' : `sets its account data to ${quote(value)}`}`;
  },
  MsgUpdateParamsRequest: (message) => `${message.word('authority')} changes the parameters of the attribute module`,
};
