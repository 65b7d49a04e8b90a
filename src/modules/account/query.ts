import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/cosmos/auth/v1beta1/query_pb.js';
import { queryState, queryStateOrNull } from '../../reads/query.ts';
import { accountFromWire, type StoredAccount } from './model.ts';

/** The account at an address; null if none exists. */
export async function account(state: StateAt, address: string): Promise<StoredAccount | null> {
  // A scope has an address but no account, and the chain rejects the query.
  if (address.startsWith('scope1')) return null;
  const answer = await queryStateOrNull(state, Query.method.account, { address }, []);
  return answer?.account ? accountFromWire(answer.account) : null;
}

/** The bech32 prefix of account addresses. */
export async function bech32Prefix(state: StateAt): Promise<string> {
  return (await queryState(state, Query.method.bech32Prefix, {})).bech32Prefix;
}
