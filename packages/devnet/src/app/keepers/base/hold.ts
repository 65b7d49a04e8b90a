import { EventHoldAddedSchema, EventHoldReleasedSchema } from '../../../../../../src/proto/provenance/hold/v1/events_pb.js';
import { Query } from '../../../../../../src/proto/provenance/hold/v1/query_pb.js';
import { PlainError, StatusError } from '../../runtime/abciErrors.ts';
import { decodeAddress, encodeAddress } from '../../runtime/address.ts';
import { type Amount, coinsText } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type Keeper, onQuery } from '../../runtime/keeper.ts';
import { bytesOf, keyOf, sizedKey } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { pageUnder } from './page.ts';

const store = 'hold';
const prefix = '\x00';

function holdKey(address: Uint8Array): string {
  return prefix + sizedKey(keyOf(address));
}

function amountText(value: Uint8Array): string {
  return Buffer.from(value).toString();
}

/** Returns the amount of a denomination on hold in an account. */
export function readHold(state: StoreView, address: Uint8Array, denom: string): bigint {
  const stored = state.get(store, holdKey(address) + denom);
  return stored === undefined ? 0n : BigInt(amountText(stored));
}

/** Returns all holds of an account, ordered by denomination. */
function readHolds(state: StoreView, address: Uint8Array): { readonly denom: string; readonly amount: string }[] {
  const ownKey = holdKey(address);
  return [...state.entries(store, ownKey)].map(({ key, value }) => ({
    denom: key.slice(ownKey.length),
    amount: amountText(value),
  }));
}

/** Puts coins of an account on hold, with the event. Throws if they are not spendable; the text is not recorded. */
export function addHold(
  context: Context,
  address: Uint8Array,
  coins: readonly Amount[],
  spendable: (denom: string) => bigint,
  reason: string,
): void {
  for (const { denom, amount } of coins) {
    const free = spendable(denom);
    if (free < amount)
      throw new PlainError(
        `account ${encodeAddress(address)} spendable balance ${free}${denom} is less than hold amount ${amount}${denom}`,
      );
    context.set(store, holdKey(address) + denom, Buffer.from(String(readHold(context, address, denom) + amount)));
  }
  context.emit(typedEvent(EventHoldAddedSchema, { address: encodeAddress(address), amount: coinsText(coins), reason }));
}

/** Releases coins of an account that are on hold, with the event. */
export function releaseHold(context: Context, address: Uint8Array, coins: readonly Amount[]): void {
  for (const { denom, amount } of coins) {
    const rest = readHold(context, address, denom) - amount;
    if (rest <= 0n) context.delete(store, holdKey(address) + denom);
    else context.set(store, holdKey(address) + denom, Buffer.from(String(rest)));
  }
  context.emit(typedEvent(EventHoldReleasedSchema, { address: encodeAddress(address), amount: coinsText(coins) }));
}

function addressIn(key: string): Uint8Array {
  return bytesOf(key.slice(prefix.length + 1, prefix.length + 1 + key.charCodeAt(prefix.length)));
}

/** The hold module: holds are created at genesis and by the exchange. */
export const holdKeeper: Keeper = {
  messages: [],
  queries: [
    onQuery(Query.method.getHolds, (state, { address }) => {
      // Not recorded.
      if (address === '') throw new StatusError('InvalidArgument', 'address cannot be empty');
      return { amount: readHolds(state, decodeAddress(address)) };
    }),
    // Pages count denominations and not accounts, like the rows of the module (inferred), so an account can be split between
    // pages.
    onQuery(Query.method.getAllHolds, (state, request) => {
      const { entries, pagination } = pageUnder(state, store, prefix, request.pagination);
      const heldCoins = new Map<string, { denom: string; amount: string }[]>();
      for (const { key, value } of entries) {
        const bytes = addressIn(key);
        const address = encodeAddress(bytes);
        const coin = { denom: key.slice(holdKey(bytes).length), amount: amountText(value) };
        heldCoins.set(address, [...(heldCoins.get(address) ?? []), coin]);
      }
      return { holds: [...heldCoins].map(([address, amount]) => ({ address, amount })), pagination };
    }),
  ],
  initGenesis(context, { holds = [] }) {
    for (const { address, coins } of holds) {
      for (const { denom, amount } of coins) {
        context.set(store, holdKey(decodeAddress(address)) + denom, Buffer.from(String(amount)));
      }
    }
  },
};
