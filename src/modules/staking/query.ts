import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { sha256 } from '@noble/hashes/sha2.js';
import type { StateAt } from '../../chain/state/state.ts';
import { PubKeySchema } from '../../proto/cosmos/crypto/ed25519/keys_pb.js';
import { Query } from '../../proto/cosmos/staking/v1beta1/query_pb.js';
import { readOf, toPagination } from '../../reads/chainList.ts';
import type { Read, ReadRequest } from '../../reads/page.ts';
import { ask } from '../../reads/query.ts';

/** What the staking module knows of a validator. */
export interface StakingValidator {
  /** Consensus address, upper case hex; null when its key is not of ed25519. */
  readonly address: string | null;
  readonly moniker: string;
  readonly operatorAddress: string;
}

/**
 * All validators, bonded or not. No recording has this query: its messages are by the chain's own description, its order and paging as
 * the lists of other modules.
 */
export async function validators(state: StateAt, page: ReadRequest): Promise<Read<StakingValidator>> {
  const answer = await ask(state, Query.method.validators, { pagination: toPagination(page) });
  const items = answer.validators.map(({ consensusPubkey, description, operatorAddress }) => {
    const key = consensusPubkey && anyUnpack(consensusPubkey, PubKeySchema);
    // A consensus address is the first 20 bytes of the key's hash (CometBFT).
    const address = key ? Buffer.from(sha256(key.key).subarray(0, 20)).toString('hex').toUpperCase() : null;
    return { address, moniker: description?.moniker ?? '', operatorAddress };
  });
  return readOf(items, answer.pagination, page);
}
