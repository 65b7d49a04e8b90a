import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/cosmos/auth/v1beta1/query_pb.js';
import type { Awaitable } from '../../reads/loader.ts';
import { stateRead, stateReadOrNull } from '../../reads/query.ts';
import { accountFromWire, type StoredAccount } from './model.ts';

const storedAccount = stateReadOrNull({
  method: Query.method.account,
  request: (address: string) => ({ address }),
  value: ({ account }): StoredAccount | null => (account ? accountFromWire(account) : null),
  absences: [],
});

/** The account at an address; null if none exists. */
export function account(state: StateAt, address: string): Awaitable<StoredAccount | null> {
  // A scope has an address but no account, and the chain rejects the query.
  return address.startsWith('scope1') ? null : storedAccount(state, address);
}

/** The bech32 prefix of account addresses. */
export const bech32Prefix = stateRead({
  method: Query.method.bech32Prefix,
  request: () => ({}),
  value: (answer): string => answer.bech32Prefix,
});
