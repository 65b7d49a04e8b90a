import { coinIn, count, join } from './phrases.ts';
import type { Sentences } from './sentence.ts';

/** Outputs of a multi-send that are told one by one. */
const outputsMax = 3;

/** `cosmos.bank.v1beta1`. */
export const bankSentences: Sentences = {
  MsgSend: async (message, { coins }) =>
    `${message.text('fromAddress')} sends ${await coins(message.parts('amount').map(coinIn))} to ${message.text('toAddress')}`,
  async MsgMultiSend(message, { coins }) {
    const inputs = message.parts('inputs');
    const outputs = message.parts('outputs');
    const senders = inputs.map((input) => input.text('address'));
    const who = `${join(senders)} ${senders.length === 1 ? 'sends' : 'send'}`;
    if (outputs.length > outputsMax) {
      const total = await coins(inputs.flatMap((input) => input.parts('coins').map(coinIn)));
      return `${who} ${total} to ${count(outputs.length, 'account')}`;
    }
    const gifts = outputs.map(
      async (output) => `${await coins(output.parts('coins').map(coinIn))} to ${output.text('address')}`,
    );
    return `${who} ${join(await Promise.all(gifts))}`;
  },
  MsgSetSendEnabled(message) {
    const rules = message
      .parts('sendEnabled')
      .map((rule) => `${rule.text('denom')} ${rule.flag('enabled') ? 'can' : 'cannot'} be sent`);
    const unruled = message.texts('useDefaultFor').map((denom) => `${denom} follows the default`);
    return `${message.text('authority')} sets that ${join([...rules, ...unruled])}`;
  },
  MsgUpdateParams: (message) => `${message.text('authority')} changes the parameters of the bank module`,
};
