import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { sha256 } from '../../../../../src/chain/wire/merkle.ts';
import { voteSignBytes } from './hashes.ts';
import type { BlockId, Commit, Validator } from './types.ts';

/** A validator with its private key. */
export interface Signer {
  readonly validator: Validator;
  /** Signs a vote for a block. `type` 1 is the prevote, 2 the precommit. */
  vote(type: 1 | 2, vote: { chainId: string; height: bigint; blockId: BlockId; timestamp: bigint }): Uint8Array;
  /** Creates the commit with the validator's precommit. */
  commit(vote: { chainId: string; height: bigint; blockId: BlockId; timestamp: bigint }): Commit;
}

/** The prefix of a PKCS #8 document with an ed25519 private key (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns the 32 bytes of a public key: the last ones of its SPKI document. */
function rawPublicKey(key: KeyObject): Uint8Array {
  return new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));
}

/** Creates a validator whose ed25519 key is derived from `seed`. For a devnet only. */
export function createSigner(seed: string): Signer {
  const secret = sha256(new TextEncoder().encode(`devnet validator ${seed}`));
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, secret]), format: 'der', type: 'pkcs8' });
  const publicKey = rawPublicKey(key);
  const address = sha256(publicKey).subarray(0, 20);

  const vote: Signer['vote'] = (type, body) => new Uint8Array(sign(null, voteSignBytes({ type, round: 0, ...body }), key));
  return {
    validator: { address, publicKey, power: 1_000_000_000n },
    vote,
    commit: (body) => ({
      height: body.height,
      round: 0,
      blockId: body.blockId,
      signatures: [{ flag: 2, validatorAddress: address, timestamp: body.timestamp, signature: vote(2, body) }],
    }),
  };
}
