import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { sha256 } from '../../../../../src/chain/wire/merkle.ts';
import { voteSignBytes } from './hashes.ts';
import type { BlockId, Commit, CommitSignature, Validator } from './types.ts';

/** What a validator votes for. */
interface Vote {
  readonly chainId: string;
  readonly height: bigint;
  readonly blockId: BlockId;
  readonly timestamp: bigint;
}

/** A validator with its private key. */
export interface Signer {
  readonly validator: Validator;
  /** Signs a vote for a block, or for none. `type` 1 is the prevote, 2 the precommit. */
  vote(type: 1 | 2, vote: Omit<Vote, 'blockId'> & { readonly blockId: BlockId | undefined }): Uint8Array;
}

/** A validator of a height, and how it votes on the block: for it, for none, or not at all. */
export interface Voter {
  readonly signer: Signer;
  readonly vote: 'BLOCK' | 'NIL' | 'ABSENT';
}

/** A validator besides the first one, whose key is derived from `seed`. Its power and its vote hold at one height. */
export interface CosignerOptions {
  readonly seed: string;
  readonly power: bigint;
  /** Default `BLOCK`. */
  readonly vote?: Voter['vote'];
}

/** The prefix of a PKCS #8 document with an ed25519 private key (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The zero time of Go, in nanoseconds since 1970. */
const goZero = -62_135_596_800_000_000_000n;

/** The vote of a validator that did not vote. */
const absentVote: CommitSignature = { flag: 1, validatorAddress: new Uint8Array(), timestamp: goZero, signature: null };

/** Returns the 32 bytes of a public key: the last ones of its SPKI document. */
function rawPublicKey(key: KeyObject): Uint8Array {
  return new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));
}

/** Creates a validator whose ed25519 key is derived from `seed`. For a devnet only. */
export function createSigner(seed: string, power = 1_000_000_000n): Signer {
  const secret = sha256(new TextEncoder().encode(`devnet validator ${seed}`));
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, secret]), format: 'der', type: 'pkcs8' });
  const publicKey = rawPublicKey(key);
  const address = sha256(publicKey).subarray(0, 20);

  const vote: Signer['vote'] = (type, body) => new Uint8Array(sign(null, voteSignBytes({ type, round: 0, ...body }), key));
  return {
    validator: { address, publicKey, power },
    vote,
  };
}

/** Sorts validators as CometBFT does: by descending power, then by address. */
export function sortVoters(voters: readonly Voter[]): readonly Voter[] {
  return voters.toSorted(({ signer: { validator: one } }, { signer: { validator: other } }) =>
    one.power === other.power ? Buffer.compare(one.address, other.address) : one.power < other.power ? 1 : -1,
  );
}

/** Creates the commit of a block: one vote of each validator, in their order. All votes have the same time. */
export function createCommit(voters: readonly Voter[], body: Vote): Commit {
  return {
    height: body.height,
    round: 0,
    blockId: body.blockId,
    signatures: voters.map(({ signer, vote }): CommitSignature => {
      if (vote === 'ABSENT') return absentVote;
      const blockId = vote === 'BLOCK' ? body.blockId : undefined;
      return {
        flag: vote === 'BLOCK' ? 2 : 3,
        validatorAddress: signer.validator.address,
        timestamp: body.timestamp,
        signature: signer.vote(2, { ...body, blockId }),
      };
    }),
  };
}
