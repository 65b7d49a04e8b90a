import {
  type MsgMultiSend,
  MsgMultiSendResponseSchema,
  MsgMultiSendSchema,
  type MsgSend,
  MsgSendResponseSchema,
  MsgSendSchema,
} from '../../../../proto/cosmos/bank/v1beta1/tx_pb.js';
import { abciError, PlainError } from '../../abciErrors.ts';
import { decodeAddress } from '../../address.ts';
import { parseCoins } from '../../coins.ts';
import type { Context } from '../../context.ts';
import { type MessageHandler, onMessage } from '../../keeper.ts';
import { requireSendable } from '../marker/restrictions.ts';
import { addCoins, sendCoins, senderEvent, subtractCoins, transferEvent } from './state.ts';

function messageAddress(address: string, role: string): Uint8Array {
  try {
    return decodeAddress(address);
  } catch (error) {
    if (error instanceof PlainError) throw abciError('invalidAddress', `invalid ${role} address: ${error.message}`);
    throw error;
  }
}

function send(context: Context, message: MsgSend): Record<string, never> {
  const from = messageAddress(message.fromAddress, 'from');
  const to = messageAddress(message.toAddress, 'to');
  const coins = parseCoins(message.amount);
  requireSendable(context, from, to, coins);
  sendCoins(context, from, to, coins);
  return {};
}

/** One sender, several recipients: the sender is named before the recipients, the transfers after all of them (recorded). */
function multiSend(context: Context, message: MsgMultiSend): Record<string, never> {
  const [input] = message.inputs;
  if (input === undefined) throw new PlainError('no inputs to send transaction');
  if (message.inputs.length > 1) throw new PlainError('multiple senders not allowed');
  if (message.outputs.length === 0) throw new PlainError('no outputs to send transaction');
  const from = messageAddress(input.address, 'input');
  const spent = parseCoins(input.coins);
  const outputs = message.outputs.map((output) => ({
    to: messageAddress(output.address, 'output'),
    coins: parseCoins(output.coins),
  }));
  const received = new Map<string, bigint>();
  for (const coin of outputs.flatMap((output) => output.coins)) {
    received.set(coin.denom, (received.get(coin.denom) ?? 0n) + coin.amount);
  }
  if (received.size !== spent.length || spent.some((coin) => received.get(coin.denom) !== coin.amount)) {
    throw new PlainError('sum inputs != sum outputs');
  }
  for (const { to, coins } of outputs) requireSendable(context, from, to, coins);
  subtractCoins(context, from, spent);
  context.emit(senderEvent(from));
  for (const { to, coins } of outputs) addCoins(context, to, coins);
  for (const { to, coins } of outputs) context.emit(transferEvent(from, to, coins));
  return {};
}

/** MsgSend and MsgMultiSend. */
export const bankMessages: readonly MessageHandler[] = [
  onMessage(MsgSendSchema, MsgSendResponseSchema, (message) => [message.fromAddress], send),
  onMessage(
    MsgMultiSendSchema,
    MsgMultiSendResponseSchema,
    (message) => message.inputs.map((input) => input.address),
    multiSend,
  ),
];
