import { equalBytes, toHex } from './bytes.ts';
import {
  type Commit,
  type CommitOptions,
  decodeCommit,
  type SignedPower,
  verifyCommit,
  verifyCommitTrusting,
} from './commit.ts';
import { ProofError } from './errors.ts';
import { decodeHeader, type Header, hashHeader } from './header.ts';
import { membersOf } from './json.ts';
import type { ValidatorSet } from './validators.ts';

/** A header with the commit that signs it, and the validators who sign. */
export interface LightBlock {
  readonly header: Header;
  /** The hash of the header, computed from its fields. */
  readonly hash: Uint8Array;
  readonly commit: Commit;
  readonly set: ValidatorSet;
}

/** What a light client believes. Times are nanoseconds. */
export interface TrustOptions extends CommitOptions {
  /** The age at which a header is no longer trusted. It must be shorter than the unbonding time of the chain. */
  readonly trustingPeriod: bigint;
  /** How far the clock of a validator may be ahead: 10 seconds. */
  readonly clockDrift?: bigint;
  /** The time now, since 1970. */
  readonly now: bigint;
}

/** Joins `signed_header` of a node's `commit` with the set of its height. Verifies no signature. Throws MALFORMED. */
export function decodeLightBlock(signedHeader: unknown, set: ValidatorSet): LightBlock {
  const { header: headerJson, commit } = membersOf(signedHeader, 'the signed header', ['header', 'commit']);
  const header = decodeHeader(headerJson);
  return { header, hash: hashHeader(header), commit: decodeCommit(commit), set };
}

function wrongHash(what: string, height: bigint): ProofError {
  return new ProofError('WRONG_HASH', `${what} of block ${height} differs.`);
}

/**
 * Verifies that more than two thirds of a block's own validators signed it: the chain id, the hash of the set, the hash of the header, and the
 * commit. It says nothing of whether these validators are those of the chain.
 */
export async function verifySigned({ header, hash, commit, set }: LightBlock, options: CommitOptions): Promise<SignedPower> {
  const { height } = header;
  if (header.chainId !== options.chainId)
    throw new ProofError('WRONG_CHAIN', `Block ${height} is one of chain ${JSON.stringify(header.chainId)}.`);
  if (!equalBytes(set.hash, header.validatorsHash)) throw wrongHash('The hash of the validators', height);
  if (commit.height !== height)
    throw new ProofError('WRONG_HEIGHT', `The commit of block ${height} is one of ${commit.height}.`);
  if (!equalBytes(commit.blockId.hash, hash)) throw wrongHash('The hash of the header', height);
  return verifyCommit(commit, set, options);
}

/** The drift of clocks that CometBFT allows. */
const defaultDrift = 10_000_000_000n;

/** Whether a trusted header is too old to verify others with. */
export function isExpired(
  { time }: Pick<Header, 'time'>,
  { trustingPeriod, now }: Pick<TrustOptions, 'trustingPeriod' | 'now'>,
): boolean {
  return time + trustingPeriod <= now;
}

/**
 * Verifies a block with a trusted one below it: as the next block, by `next_validators_hash`; otherwise because trusted validators with more than a
 * third of their power signed it. Then its own commit. Rejects with a {@link ProofError}; with NOT_TRUSTED if only a block in between
 * can connect both.
 */
export async function verifyStep(trusted: LightBlock, block: LightBlock, options: TrustOptions): Promise<SignedPower> {
  const { height, time } = block.header;
  const { clockDrift = defaultDrift, now } = options;
  if (isExpired(trusted.header, options))
    throw new ProofError('EXPIRED', `The trusted block ${trusted.header.height} is older than the trusting period.`);
  if (height <= trusted.header.height)
    throw new ProofError('WRONG_HEIGHT', `Block ${height} is not above the trusted block ${trusted.header.height}.`);
  if (time <= trusted.header.time)
    throw new ProofError('WRONG_TIME', `The time of block ${height} is not after that of block ${trusted.header.height}.`);
  if (time >= now + clockDrift) throw new ProofError('WRONG_TIME', `The time of block ${height} is in the future.`);
  if (height === trusted.header.height + 1n) {
    if (!equalBytes(block.header.validatorsHash, trusted.header.nextValidatorsHash))
      throw wrongHash('The hash of the validators', height);
    const power = await verifySigned(block, options);
    if (!equalBytes(block.header.lastBlockId.hash, trusted.hash))
      throw new ProofError(
        'CONFLICT',
        `Block ${height} was signed by the validators, but does not follow the trusted block before it.`,
      );
    return power;
  }
  // Its own set and header come first, so that the votes are those of this block.
  if (!equalBytes(block.commit.blockId.hash, block.hash)) throw wrongHash('The hash of the header', height);
  await verifyCommitTrusting(block.commit, trusted.set, options);
  return verifySigned(block, options);
}

/** The most blocks that are read between a trusted block and one above it. */
const maxSteps = 200;

/**
 * Verifies a block with a trusted one below it, over as few blocks in between as necessary: each is half of the way if a step is too long. `read` returns the block of a height.
 * Resolves with the verified blocks in ascending order; the last one is `block`. Rejects with a {@link ProofError}, and with the errors
 * of `read`.
 */
export async function verifyBetween(
  trusted: LightBlock,
  block: LightBlock,
  options: TrustOptions & { readonly read: (height: bigint) => Promise<LightBlock> },
): Promise<readonly LightBlock[]> {
  const verifiedBlocks: LightBlock[] = [];
  /** The blocks that are verified next, the lowest last. */
  const open = [block];
  let base = trusted;
  for (let steps = 0; ; ) {
    const next = open.at(-1);
    if (next === undefined) return verifiedBlocks;
    try {
      await verifyStep(base, next, options);
      open.pop();
      verifiedBlocks.push(next);
      base = next;
    } catch (error) {
      if (!(error instanceof ProofError) || error.code !== 'NOT_TRUSTED') throw error;
      steps += 1;
      if (steps > maxSteps) throw error;
      const height = (base.header.height + next.header.height) / 2n;
      const between = await options.read(height);
      if (between.header.height !== height)
        throw new ProofError('WRONG_HEIGHT', `Block ${between.header.height} was returned instead of ${height}.`);
      open.push(between);
    }
  }
}

/** Verifies the header before a trusted one, by its hash. Throws WRONG_HASH. */
export function verifyBefore(trusted: Header, { height, hash }: { readonly height: bigint; readonly hash: Uint8Array }): void {
  if (height !== trusted.height - 1n || !equalBytes(hash, trusted.lastBlockId.hash))
    throw new ProofError('WRONG_HASH', `${toHex(hash)} is not the block before ${trusted.height}.`);
}
