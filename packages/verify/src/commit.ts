import { concat, equalBytes, noBytes, toHex } from './bytes.ts';
import { malformed, ProofError } from './errors.ts';
import { addressLength, type BlockId, decodeBlockId, encodeBlockId } from './header.ts';
import { base64Of, hexOf, int64Of, listOf, membersOf, numberOf, timeOf } from './json.ts';
import { fixedField, messageField, textField, timestamp, varint, varintField } from './proto.ts';
import { type SignatureCheck, signatureLength } from './signatures.ts';
import { maxValidators, type ValidatorSet } from './validators.ts';

/** The vote of a validator: for the block, for none, or none at all. `address`, `time` and `signature` of an absent vote are empty. */
export interface CommitVote {
  readonly kind: 'ABSENT' | 'BLOCK' | 'NIL';
  readonly address: Uint8Array;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly signature: Uint8Array;
}

/** The votes that committed a block, in the order of its validator set. */
export interface Commit {
  readonly height: bigint;
  readonly round: number;
  readonly blockId: BlockId;
  readonly votes: readonly CommitVote[];
}

/** The voting power whose signatures were verified, and that of the whole set. */
export interface SignedPower {
  readonly signedPower: bigint;
  readonly totalPower: bigint;
}

/** What a commit is verified with. */
export interface CommitOptions {
  readonly chainId: string;
  readonly check: SignatureCheck;
  /**
   * Which signatures are verified. `ENOUGH`, the default: in the order of the set, until they have enough power. `ALL`: all of them, and those of votes for no block. Nothing in
   * the header of the same height binds the votes that are not verified.
   */
  readonly signatures?: 'ENOUGH' | 'ALL';
}

/** How Go prints the time of an absent vote. */
const noTime = '0001-01-01T00:00:00Z';

const absentVote: CommitVote = { kind: 'ABSENT', address: noBytes, time: 0n, signature: noBytes };

function decodeVote(value: unknown): CommitVote {
  const names = ['block_id_flag', 'validator_address', 'timestamp', 'signature'];
  const vote = membersOf(value, 'a vote', names);
  const flag = numberOf(vote.block_id_flag, 'block_id_flag', 3);
  if (flag === 0) throw malformed('a vote without a kind');
  if (flag === 1) {
    if (vote.validator_address !== '' || vote.timestamp !== noTime || vote.signature !== null)
      throw malformed('an absent vote with a content');
    return absentVote;
  }
  const signature = base64Of(vote.signature, 'signature', signatureLength);
  if (signature.length !== signatureLength) throw malformed(`a signature of ${signature.length} bytes`);
  return {
    kind: flag === 2 ? 'BLOCK' : 'NIL',
    address: hexOf(vote.validator_address, 'validator_address', addressLength),
    time: timeOf(vote.timestamp, 'timestamp'),
    signature,
  };
}

/** Decodes a commit as the RPC of a node prints it. Throws MALFORMED. */
export function decodeCommit(value: unknown): Commit {
  const commit = membersOf(value, 'the commit', ['height', 'round', 'block_id', 'signatures']);
  return {
    height: int64Of(commit.height, 'height', 1n),
    round: numberOf(commit.round, 'round', 2 ** 31 - 1),
    blockId: decodeBlockId(commit.block_id, 'block_id'),
    votes: listOf(commit.signatures, 'signatures', maxValidators).map(decodeVote),
  };
}

/**
 * Makes the bytes that validators sign: the canonical precommit, after its length. All votes of a commit differ only in their times, and
 * in whether they are for the block.
 */
export function createVoteBytes(
  { height, round, blockId }: Omit<Commit, 'votes'>,
  chainId: string,
): (vote: Pick<CommitVote, 'kind' | 'time'>) => Uint8Array {
  const start = concat(varintField(1, 2), fixedField(2, height), fixedField(3, BigInt(round)));
  const startOfBlock = concat(start, messageField(4, encodeBlockId(blockId)));
  const end = textField(6, chainId);
  return ({ kind, time }) => {
    const vote = concat(kind === 'BLOCK' ? startOfBlock : start, messageField(5, timestamp(time)), end);
    return concat(varint(vote.length), vote);
  };
}

function wrongSignature(commit: Commit, address: Uint8Array): ProofError {
  return new ProofError(
    'WRONG_SIGNATURE',
    `The signature of validator ${toHex(address)} for block ${commit.height} is not valid.`,
  );
}

/**
 * Verifies that validators with more than two thirds of the power of the set signed a commit. The set must be the one of the
 * commit's height: the caller compares its hash with the header. Rejects with WRONG_SIGNATURE for a signature or an address that is not that of the validator
 * at its place, with TOO_LITTLE_POWER, and with MALFORMED if the commit has another number of votes than the set has validators.
 */
export async function verifyCommit(commit: Commit, set: ValidatorSet, options: CommitOptions): Promise<SignedPower> {
  const { chainId, check, signatures = 'ENOUGH' } = options;
  const { validators, totalPower } = set;
  const { votes } = commit;
  if (votes.length !== validators.length)
    throw malformed(`a commit of ${votes.length} votes for ${validators.length} validators`);
  for (const [index, { address }] of validators.entries()) {
    const vote = votes[index];
    if (vote !== undefined && vote.kind !== 'ABSENT' && !equalBytes(vote.address, address))
      throw new ProofError(
        'WRONG_SIGNATURE',
        `Vote ${index} for block ${commit.height} is not that of validator ${toHex(address)}.`,
      );
  }
  const bytesOf = createVoteBytes(commit, chainId);
  let signedPower = 0n;
  // Sets are sorted by descending power, so the fewest signatures are verified.
  for (const [index, { address, key, power }] of validators.entries()) {
    const vote = votes[index];
    if (vote === undefined || vote.kind === 'ABSENT') continue;
    if (vote.kind === 'NIL' && signatures === 'ENOUGH') continue;
    if (!(await check(key, bytesOf(vote), vote.signature))) throw wrongSignature(commit, address);
    if (vote.kind === 'BLOCK') signedPower += power;
    if (signatures === 'ENOUGH' && signedPower * 3n > totalPower * 2n) break;
  }
  if (signedPower * 3n <= totalPower * 2n)
    throw new ProofError(
      'TOO_LITTLE_POWER',
      `Validators with a power of ${signedPower} of ${totalPower} signed block ${commit.height}.`,
    );
  return { signedPower, totalPower };
}

/**
 * Verifies that validators with more than a third of the power of a trusted set signed a commit of a later height. Rejects with NOT_TRUSTED if
 * they did not, and with WRONG_SIGNATURE.
 */
export async function verifyCommitTrusting(
  commit: Commit,
  trusted: ValidatorSet,
  { chainId, check }: CommitOptions,
): Promise<SignedPower> {
  const { totalPower } = trusted;
  const byAddress = new Map(trusted.validators.map((validator) => [toHex(validator.address), validator]));
  const bytesOf = createVoteBytes(commit, chainId);
  let signedPower = 0n;
  for (const vote of commit.votes) {
    if (vote.kind !== 'BLOCK') continue;
    const address = toHex(vote.address);
    const validator = byAddress.get(address);
    if (validator === undefined) continue;
    // Each validator counts once.
    byAddress.delete(address);
    if (!(await check(validator.key, bytesOf(vote), vote.signature))) throw wrongSignature(commit, vote.address);
    signedPower += validator.power;
    if (signedPower * 3n > totalPower) return { signedPower, totalPower };
  }
  throw new ProofError(
    'NOT_TRUSTED',
    `Of the trusted validators, those with a power of ${signedPower} of ${totalPower} signed block ${commit.height}.`,
  );
}
