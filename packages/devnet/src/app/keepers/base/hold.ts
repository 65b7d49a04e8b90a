import { Query } from '../../../../../../src/proto/provenance/hold/v1/query_pb.js';
import { StatusError } from '../../runtime/abciErrors.ts';
import { decodeAddress, encodeAddress } from '../../runtime/address.ts';
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

function addressIn(key: string): Uint8Array {
  return bytesOf(key.slice(prefix.length + 1, prefix.length + 1 + key.charCodeAt(prefix.length)));
}

/** The hold module: holds are created at genesis and never change. */
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
