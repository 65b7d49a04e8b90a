import type { HeightInput } from './documents.ts';
import { errorOf, type ResultError, SteleError } from './errors.ts';
import { membersOf } from './members.ts';

/** How far a field can be believed: see docs/proofs.md of Stele. */
export type Level = 'PROVEN' | 'RECOMPUTED' | 'QUORUM' | 'ASSERTED';

/** The level of a field, and why. */
export interface FieldLevel {
  readonly level: Level;
  /** The query methods that its value was read from, and how many keys of which store. */
  readonly basis: readonly { readonly method: string; readonly keys: Readonly<Record<string, number>> }[];
  /** The rule that computes it, or why it is only ASSERTED. */
  readonly reason: string | undefined;
}

/** What is believed: a block of a verification before, the height and hash of a block, or the hash of a validator set. Hashes are in hex. */
export type Trust =
  | { readonly height: HeightInput; readonly hash: string }
  | { readonly validatorsHash: string }
  | TrustedBlock;

/** A block that was verified. It comes from a verification, and is the trust of later ones. */
export interface TrustedBlock {
  readonly header: { readonly height: bigint };
  readonly set: { readonly hash: Uint8Array };
}

/** What a verification found. */
export interface Verified {
  readonly chainId: string;
  readonly height: bigint;
  /** The time of the block, in nanoseconds since 1970. */
  readonly time: bigint;
  /** The block whose header proves the state. */
  readonly block: TrustedBlock;
  /**
   * Why the validators are believed. `FIRST_USE`: no trust was named, and the first answer was believed to be of the chain. Whoever sent it could have
   * invented all of it.
   */
  readonly trust: 'BLOCK' | 'CHECKPOINT' | 'VALIDATORS' | 'FIRST_USE';
  readonly signedPower: bigint;
  readonly totalPower: bigint;
  /** By path: names in the answer, without the indexes of lists, such as `proposals.nodes.title`. */
  readonly fields: ReadonlyMap<string, FieldLevel>;
}

/** The part of `@stele/verify` that is used. */
export interface Verifier {
  verify(
    answer: { readonly data?: unknown; readonly errors?: unknown; readonly extensions?: unknown },
    options: {
      readonly document: string;
      readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
      readonly trust?: Trust | undefined;
      readonly chainId?: string | undefined;
      readonly height?: HeightInput | undefined;
      readonly read?: ((height: bigint) => Promise<TrustedBlock>) | undefined;
    },
  ): Promise<Verified>;
}

/** How an answer is verified. */
export interface VerifyInput {
  /** What is believed at first. Later answers are verified with the newest block that this client has verified. */
  readonly trust?: Trust | undefined;
  /** Reads the blocks that lead from what is believed to the proof, if they are far apart: `blocksOf(url)` of `@stele/verify/blocks`. */
  readonly read?: ((height: bigint) => Promise<TrustedBlock>) | undefined;
  /** The chain that the answer must be of. */
  readonly chainId?: string | undefined;
}

/** An answer does not follow from its proof, or the proof proves nothing. Its code is ANSWER_NOT_PROVEN. */
export class UnprovenAnswerError extends SteleError {
  /** The code of the verifier, such as `WRONG_VALUE` or `INCOMPLETE`. */
  readonly reason: string;

  constructor(cause: unknown) {
    const { code, field, message } = membersOf(cause);
    const path = typeof field === 'string' ? field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)) : [];
    super('ANSWER_NOT_PROVEN', String(message), { path, facts: { reason: code }, cause });
    this.reason = String(code);
  }
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Verifies the answers of one client. */
export interface Verification {
  /** What the request says about the proof. */
  extensions(input: VerifyInput): { readonly proof: true; readonly trusted?: string };
  /** Verifies an answer. Rejects with an {@link UnprovenAnswerError}, or with the server's error if there is no proof. */
  check(
    result: { readonly data?: unknown; readonly errors?: readonly ResultError[] | undefined; readonly extensions?: unknown },
    document: string,
    variables: Readonly<Record<string, unknown>>,
    input: VerifyInput & { readonly height?: HeightInput | undefined },
  ): Promise<Verified>;
}

/** Whether an answer replaces the one that the next are verified with. */
function isBetter(one: Kept, other: Kept | undefined): boolean {
  if (other === undefined || (other.trust === 'FIRST_USE' && one.trust !== 'FIRST_USE')) return true;
  return one.block.header.height > other.block.header.height;
}

type Kept = Pick<Verified, 'block' | 'trust'>;

/** Creates the verification of a client. It keeps the newest verified block, which the next answers are verified with. */
export function createVerification(load: (() => Promise<Verifier>) | undefined): Verification {
  let newest: Kept | undefined;

  /** The kept block, unless a trust is named and the block was believed without one. */
  const basisOf = ({ trust }: VerifyInput): Kept | undefined =>
    trust !== undefined && newest?.trust === 'FIRST_USE' ? undefined : newest;

  return {
    extensions(input) {
      const trust = basisOf(input)?.block ?? input.trust;
      return { proof: true, ...(trust !== undefined && 'set' in trust && { trusted: hexOf(trust.set.hash) }) };
    },
    async check(result, document, variables, input) {
      if (load === undefined)
        throw new TypeError('Verification needs the option `verifier` of createClient: () => import("@stele/verify").');
      const unavailable = result.errors?.find(({ extensions }) => extensions?.code === 'PROOF_UNAVAILABLE');
      if (unavailable !== undefined) throw errorOf(unavailable);
      const { verify } = await load();
      const basis = basisOf(input);
      const trust = basis?.block ?? input.trust;
      try {
        const verified = await verify(result, { document, variables, ...input, trust });
        // A kept block is no better believed than the first one.
        const ownResult = { ...verified, trust: basis?.trust ?? verified.trust };
        if (isBetter(ownResult, newest)) newest = ownResult;
        return ownResult;
      } catch (error) {
        throw error instanceof Error && error.name === 'ProofError' ? new UnprovenAnswerError(error) : error;
      }
    },
  };
}
