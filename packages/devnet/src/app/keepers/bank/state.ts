import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Metadata, MetadataSchema } from '../../../../../../src/proto/cosmos/bank/v1beta1/bank_pb.js';
import { abciError } from '../../runtime/abciErrors.ts';
import { encodeAddress } from '../../runtime/address.ts';
import { type Amount, coinsText } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { plainEvent } from '../../runtime/events.ts';
import { keyOf, sizedKey } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { createAccount, readAccount } from '../base/auth.ts';
import { readLocked } from './locked.ts';

/** The store of the bank module. */
export const bankStore = 'bank';

/** Key prefixes of the Cosmos SDK. Inferred, except for those that page keys contain. */
export const bankKeys = {
  supply: '\x00',
  metadata: '\x01',
  balance: '\x02',
  owner: '\x03',
} as const;

const present = new Uint8Array();

/** The key prefix of an account's balances. */
export function balancePrefix(address: Uint8Array): string {
  return bankKeys.balance + sizedKey(keyOf(address));
}

/** The key prefix of a denomination's holders. Each address is prefixed with its length (recorded in page keys). */
export function ownerPrefix(denom: string): string {
  return `${bankKeys.owner}${denom}\x00`;
}

/** Decodes a stored amount. 0 if absent. */
export function amountOf(value: Uint8Array | undefined): bigint {
  return value === undefined ? 0n : BigInt(Buffer.from(value).toString());
}

/** Returns the balance of an account in one denomination. */
export function readBalance(state: StoreView, address: Uint8Array, denom: string): bigint {
  return amountOf(state.get(bankStore, balancePrefix(address) + denom));
}

/** Returns the balances of an account, ordered by denomination. */
export function readBalances(state: StoreView, address: Uint8Array): Amount[] {
  const prefix = balancePrefix(address);
  return [...state.entries(bankStore, prefix)].map(({ key, value }) => ({
    denom: key.slice(prefix.length),
    amount: amountOf(value),
  }));
}

/** Returns the supply of a denomination. */
export function readSupply(state: StoreView, denom: string): bigint {
  return amountOf(state.get(bankStore, bankKeys.supply + denom));
}

/** Returns the metadata of a denomination. undefined if it has none. */
export function readMetadata(state: StoreView, denom: string): Metadata | undefined {
  const stored = state.get(bankStore, bankKeys.metadata + denom);
  return stored === undefined ? undefined : fromBinary(MetadataSchema, stored);
}

/** Stores metadata under its base denomination. */
export function writeMetadata(context: Context, metadata: Metadata): void {
  context.set(bankStore, bankKeys.metadata + metadata.base, toBinary(MetadataSchema, metadata));
}

function writeSupply(context: Context, denom: string, amount: bigint): void {
  if (amount === 0n) context.delete(bankStore, bankKeys.supply + denom);
  else context.set(bankStore, bankKeys.supply + denom, Buffer.from(String(amount)));
}

function writeBalance(context: Context, address: Uint8Array, denom: string, before: bigint, after: bigint): void {
  const key = balancePrefix(address) + denom;
  const owner = ownerPrefix(denom) + sizedKey(keyOf(address));
  if (after === 0n) {
    context.delete(bankStore, key);
    context.delete(bankStore, owner);
    return;
  }
  context.set(bankStore, key, Buffer.from(String(after)));
  if (before === 0n) context.set(bankStore, owner, present);
}

/** Subtracts coins, with the event. Throws code 5 if too few are spendable. */
export function subtractCoins(context: Context, from: Uint8Array, coins: readonly Amount[]): void {
  for (const { denom, amount } of coins) {
    const balance = readBalance(context, from, denom);
    const locked = readLocked(context, from, denom, context.block.time);
    if (locked > balance) {
      const text = `locked amount exceeds account balance funds: ${locked}${denom} > ${balance}${denom}`;
      throw abciError('insufficientFunds', text);
    }
    if (balance - locked < amount) {
      const lack = `spendable balance ${balance - locked}${denom} is smaller than ${amount}${denom}`;
      throw abciError('insufficientFunds', lack);
    }
    writeBalance(context, from, denom, balance, balance - amount);
  }
  context.emit(
    plainEvent('coin_spent', [
      ['spender', encodeAddress(from)],
      ['amount', coinsText(coins)],
    ]),
  );
}

/** Adds coins to an account, with the event. Creates the account if it does not exist. */
export function addCoins(context: Context, to: Uint8Array, coins: readonly Amount[]): void {
  for (const { denom, amount } of coins) {
    const balance = readBalance(context, to, denom);
    writeBalance(context, to, denom, balance, balance + amount);
  }
  context.emit(
    plainEvent('coin_received', [
      ['receiver', encodeAddress(to)],
      ['amount', coinsText(coins)],
    ]),
  );
  if (readAccount(context, to) === undefined) createAccount(context, to);
}

/** Creates the `transfer` event. */
export function transferEvent(from: Uint8Array, to: Uint8Array, coins: readonly Amount[]) {
  return plainEvent('transfer', [
    ['recipient', encodeAddress(to)],
    ['sender', encodeAddress(from)],
    ['amount', coinsText(coins)],
  ]);
}

/** Creates the event that contains only the sender. */
export function senderEvent(from: Uint8Array) {
  return plainEvent('message', [['sender', encodeAddress(from)]]);
}

/** Mints coins in the account of a module (or of any account at genesis), with the two events. */
export function mintCoins(context: Context, to: Uint8Array, coins: readonly Amount[]): void {
  for (const { denom, amount } of coins) writeSupply(context, denom, readSupply(context, denom) + amount);
  addCoins(context, to, coins);
  context.emit(
    plainEvent('coinbase', [
      ['minter', encodeAddress(to)],
      ['amount', coinsText(coins)],
    ]),
  );
}

/** Burns coins of a module account. The events are those of the Cosmos SDK, not recorded. */
export function burnCoins(context: Context, from: Uint8Array, coins: readonly Amount[]): void {
  subtractCoins(context, from, coins);
  for (const { denom, amount } of coins) writeSupply(context, denom, readSupply(context, denom) - amount);
  context.emit(
    plainEvent('burn', [
      ['burner', encodeAddress(from)],
      ['amount', coinsText(coins)],
    ]),
  );
}

/**
 * Transfers coins, with the four events. Creates the account of the recipient if it does not exist. Throws code 5 if too few
 * are spendable.
 */
export function sendCoins(context: Context, from: Uint8Array, to: Uint8Array, coins: readonly Amount[]): void {
  subtractCoins(context, from, coins);
  addCoins(context, to, coins);
  context.emit(transferEvent(from, to, coins));
  context.emit(senderEvent(from));
}
