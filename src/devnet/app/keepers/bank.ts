import { Query } from '../../../proto/cosmos/bank/v1beta1/query_pb.js';
import {
  MsgMultiSendResponseSchema,
  MsgMultiSendSchema,
  MsgSendResponseSchema,
  MsgSendSchema,
} from '../../../proto/cosmos/bank/v1beta1/tx_pb.js';
import type { PageRequest } from '../../../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { abciError, PlainError, StatusError } from '../abciErrors.ts';
import { decodeAddress, encodeAddress } from '../address.ts';
import { keyOf, sizedKey } from '../bytes.ts';
import { type Amount, coinsText, parseCoins } from '../coins.ts';
import type { Context } from '../context.ts';
import { plainEvent } from '../events.ts';
import { type Keeper, onMessage, onQuery } from '../keeper.ts';
import type { StoreEntry, StoreView } from '../store.ts';
import { createAccount, readAccount } from './auth.ts';
import { keyAndOffset, paginate } from './page.ts';

const store = 'bank';

function balancePrefix(address: Uint8Array): string {
  return `\x02${sizedKey(keyOf(address))}`;
}

function supplyKey(denom: string): string {
  return `\x00${denom}`;
}

function amountOf(value: Uint8Array | undefined): bigint {
  return value === undefined ? 0n : BigInt(Buffer.from(value).toString());
}

/** What an account holds of one denomination. */
export function readBalance(state: StoreView, address: Uint8Array, denom: string): bigint {
  return amountOf(state.get(store, balancePrefix(address) + denom));
}

function writeAmount(context: Context, key: string, amount: bigint): void {
  if (amount === 0n) context.delete(store, key);
  else context.set(store, key, Buffer.from(String(amount)));
}

function subtractCoins(context: Context, from: Uint8Array, coins: readonly Amount[]): void {
  for (const { denom, amount } of coins) {
    const balance = readBalance(context, from, denom);
    if (balance < amount) {
      const lack = `spendable balance ${balance}${denom} is smaller than ${amount}${denom}`;
      throw abciError('insufficientFunds', lack);
    }
    writeAmount(context, balancePrefix(from) + denom, balance - amount);
  }
  context.emit(
    plainEvent('coin_spent', [
      ['spender', encodeAddress(from)],
      ['amount', coinsText(coins)],
    ]),
  );
}

function addCoins(context: Context, to: Uint8Array, coins: readonly Amount[]): void {
  for (const { denom, amount } of coins) {
    writeAmount(context, balancePrefix(to) + denom, readBalance(context, to, denom) + amount);
  }
  context.emit(
    plainEvent('coin_received', [
      ['receiver', encodeAddress(to)],
      ['amount', coinsText(coins)],
    ]),
  );
}

function transferEvent(from: Uint8Array, to: Uint8Array, coins: readonly Amount[]) {
  return plainEvent('transfer', [
    ['recipient', encodeAddress(to)],
    ['sender', encodeAddress(from)],
    ['amount', coinsText(coins)],
  ]);
}

function senderEvent(from: Uint8Array) {
  return plainEvent('message', [['sender', encodeAddress(from)]]);
}

/** Creates coins from nothing, for genesis. */
export function mintCoins(context: Context, to: Uint8Array, coins: readonly Amount[]): void {
  for (const { denom, amount } of coins) {
    writeAmount(context, supplyKey(denom), amountOf(context.get(store, supplyKey(denom))) + amount);
  }
  addCoins(context, to, coins);
  if (readAccount(context, to) === undefined) createAccount(context, to);
}

/** Moves coins, with the four events of a transfer; the recipient gets an account when it has none. Code 5 when there are too few. */
export function sendCoins(context: Context, from: Uint8Array, to: Uint8Array, coins: readonly Amount[]): void {
  subtractCoins(context, from, coins);
  addCoins(context, to, coins);
  context.emit(transferEvent(from, to, coins));
  context.emit(senderEvent(from));
  if (readAccount(context, to) === undefined) createAccount(context, to);
}

function messageAddress(address: string, role: string): Uint8Array {
  try {
    return decodeAddress(address);
  } catch (error) {
    if (error instanceof PlainError) throw abciError('invalidAddress', `invalid ${role} address: ${error.message}`);
    throw error;
  }
}

function queryAddress(address: string): Uint8Array {
  try {
    return decodeAddress(address);
  } catch (error) {
    if (error instanceof PlainError) throw new StatusError('InvalidArgument', `invalid address: ${error.message}`);
    throw error;
  }
}

function balancePage(state: StoreView, address: string, request: PageRequest | undefined) {
  const prefix = balancePrefix(queryAddress(address));
  const denomOf = (entry: StoreEntry): string => entry.key.slice(prefix.length);
  const forward = (from?: string): Iterable<StoreEntry> => state.entries(store, prefix, from);
  // A reversed page starts at the key and goes down.
  const backward = (from?: string): Iterable<StoreEntry> =>
    [...state.entries(store, prefix)].reverse().filter((entry) => from === undefined || denomOf(entry) <= from);
  try {
    const page = paginate(request, request?.reverse ? backward : forward, denomOf);
    const balances = page.entries.map((entry) => ({ denom: denomOf(entry), amount: String(amountOf(entry.value)) }));
    return { balances, pagination: page.pagination };
  } catch (error) {
    if (error instanceof PlainError) throw new StatusError('InvalidArgument', `paginate: ${keyAndOffset}`);
    throw error;
  }
}

/** Balances and transfers. No vesting, holds or send restrictions: everything is spendable. */
export const bankKeeper: Keeper = {
  store,
  messages: [
    onMessage(
      MsgSendSchema,
      MsgSendResponseSchema,
      (message) => [message.fromAddress],
      (context, message) => {
        const from = messageAddress(message.fromAddress, 'from');
        const to = messageAddress(message.toAddress, 'to');
        sendCoins(context, from, to, parseCoins(message.amount));
        return {};
      },
    ),
    onMessage(
      MsgMultiSendSchema,
      MsgMultiSendResponseSchema,
      (message) => message.inputs.map((input) => input.address),
      (context, message) => {
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
        subtractCoins(context, from, spent);
        context.emit(senderEvent(from));
        for (const { to, coins } of outputs) {
          addCoins(context, to, coins);
          if (readAccount(context, to) === undefined) createAccount(context, to);
        }
        for (const { to, coins } of outputs) context.emit(transferEvent(from, to, coins));
        return {};
      },
    ),
  ],
  queries: [
    onQuery(Query.method.balance, (state, { address, denom }) => ({
      balance: { denom, amount: String(readBalance(state, queryAddress(address), denom)) },
    })),
    onQuery(Query.method.allBalances, (state, { address, pagination }) => balancePage(state, address, pagination)),
    onQuery(Query.method.spendableBalances, (state, { address, pagination }) => balancePage(state, address, pagination)),
    onQuery(Query.method.supplyOf, (state, { denom }) => ({
      amount: { denom, amount: String(amountOf(state.get(store, supplyKey(denom)))) },
    })),
  ],
};
