import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/cosmos/auth/v1beta1/query_pb.js';
import { ask, askOrNull } from '../../reads/query.ts';
import { accountFromWire, type StoredAccount } from './model.ts';

/** What the chain has at an address, at the state's height; null when it has no account there. */
export async function account(state: StateAt, address: string): Promise<StoredAccount | null> {
  // A scope has attributes as accounts have, and is none: the chain refuses to look for it.
  if (address.startsWith('scope1')) return null;
  const answer = await askOrNull(state, Query.method.account, { address }, []);
  return answer?.account ? accountFromWire(answer.account) : null;
}

/** The chain's own prefix of account addresses. */
export async function bech32Prefix(state: StateAt): Promise<string> {
  return (await ask(state, Query.method.bech32Prefix, {})).bech32Prefix;
}
