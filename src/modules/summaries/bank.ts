import { andThen } from '../../reads/loader.ts';
import { coinFrom, count, join } from './phrases.ts';
import type { Summarizers } from './summarizer.ts';

/** Outputs of a multi-send that are listed one by one. */
const outputsMax = 3;

/** Summaries of the messages of `cosmos.bank.v1beta1`. */
export const bankSummaries: Summarizers = {
  MsgSend(message, { coins }) {
    const [from, to] = [message.word('fromAddress'), message.word('toAddress')];
    return andThen(coins(message.parts('amount').map(coinFrom)), (amount) => `${from} sends ${amount} to ${to}`);
  },
  async MsgMultiSend(message, { coins }) {
    const inputs = message.parts('inputs');
    const outputs = message.parts('outputs');
    const senders = inputs.map((input) => input.word('address'));
    const subject = `${join(senders)} ${senders.length === 1 ? 'sends' : 'send'}`;
    if (outputs.length > outputsMax) {
      const total = await coins(inputs.flatMap((input) => input.parts('coins').map(coinFrom)));
      return `${subject} ${total} to ${count(outputs.length, 'account')}`;
    }
    const sent = outputs.map(
      async (output) => `${await coins(output.parts('coins').map(coinFrom))} to ${output.word('address')}`,
    );
    return `${subject} ${join(await Promise.all(sent))}`;
  },
  MsgSetSendEnabled(message) {
    const rules = message
      .parts('sendEnabled')
      .map((rule) => `${rule.flag('enabled') ? 'enables' : 'disables'} sending of ${rule.word('denom')}`);
    const reset = message.wordList('useDefaultFor').map((denom) => `resets sending of ${denom} to the default`);
    return `${message.word('authority')} ${join([...rules, ...reset])}`;
  },
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the bank module`,
};
