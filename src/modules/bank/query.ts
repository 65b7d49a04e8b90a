import { malformed } from '../../chain/decode.ts';
import type { StateAt } from '../../chain/state.ts';
import { Query } from '../../proto/cosmos/bank/v1beta1/query_pb.js';
import { ask } from '../ask.ts';
import { type Coin, coinFromWire } from './model.ts';

/** What an account holds of one denom, at the state's height; amount 0 when nothing, also of a denom that the chain does not know. */
export async function balance(state: StateAt, address: string, denom: string): Promise<Coin> {
  const answer = await ask(state, Query.method.balance, { address, denom });
  if (answer.balance === undefined) throw malformed('a balance without a coin');
  return coinFromWire(answer.balance);
}
