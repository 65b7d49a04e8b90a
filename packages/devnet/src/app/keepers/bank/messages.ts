import {
  type MsgMultiSend,
  MsgMultiSendResponseSchema,
  MsgMultiSendSchema,
  type MsgSend,
  MsgSendResponseSchema,
  MsgSendSchema,
} from '../../../../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { abciError, PlainError } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import { type Amount, parseCoins } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { addCoins, sendCoins, senderEvent, subtractCoins, transferEvent } from './state.ts';

/** Throws if coins must not be sent from one address to another. */
export type SendRestriction = (context: Context, from: Uint8Array, to: Uint8Array, coins: readonly Amount[]) => void;

function messageAddress(address: string, role: string): Uint8Array {
  try {
    return decodeAddress(address);
  } catch (error) {
    if (error instanceof PlainError) throw abciError('invalidAddress', `invalid ${role} address: ${error.message}`);
    throw error;
  }
}

function send(restrict: SendRestriction, context: Context, message: MsgSend): Record<string, never> {
  const from = messageAddress(message.fromAddress, 'from');
  const to = messageAddress(message.toAddress, 'to');
  const coins = parseCoins(message.amount);
  restrict(context, from, to, coins);
  sendCoins(context, from, to, coins);
  return {};
}

/**
 * Sends from one account to several. The event of the sender precedes those of the recipients, and the transfer events are last
 * (recorded).
 */
function multiSend(restrict: SendRestriction, context: Context, message: MsgMultiSend): Record<string, never> {
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
  for (const { to, coins } of outputs) restrict(context, from, to, coins);
  subtractCoins(context, from, spent);
  context.emit(senderEvent(from));
  for (const { to, coins } of outputs) addCoins(context, to, coins);
  for (const { to, coins } of outputs) context.emit(transferEvent(from, to, coins));
  return {};
}

/** MsgSend and MsgMultiSend. `restrict` is the rule of the marker module, which the bank module does not import. */
export const createBankMessages = (restrict: SendRestriction): readonly MessageHandler[] => [
  onMessage(
    MsgSendSchema,
    MsgSendResponseSchema,
    (message) => [message.fromAddress],
    (context, message) => send(restrict, context, message),
  ),
  onMessage(
    MsgMultiSendSchema,
    MsgMultiSendResponseSchema,
    (message) => message.inputs.map((input) => input.address),
    (context, message) => multiSend(restrict, context, message),
  ),
];
