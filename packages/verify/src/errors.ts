/**
 * Why something was refused.
 * - `MALFORMED`: it does not have the form that the chain gives it, or it exceeds a bound.
 * - `UNKNOWN_KEY_TYPE`: a validator has a key of a type other than ed25519 and secp256k1. The message has the type.
 * - `WRONG_CHAIN`: it has another chain id.
 * - `WRONG_HEIGHT`: it belongs to another height, or it is not above the trusted one.
 * - `WRONG_HASH`: a hash differs from the one that it must have.
 * - `WRONG_TIME`: the time of a header is not after that of the trusted one, or it is in the future.
 * - `WRONG_SIGNATURE`: a signature is not valid, or it is not that of the validator at its place.
 * - `TOO_LITTLE_POWER`: validators with at most two thirds of the voting power signed.
 * - `NOT_TRUSTED`: validators with at most a third of the trusted voting power signed. A header in between may connect both.
 * - `CONFLICT`: the validators signed two blocks that exclude one another. The chain was attacked.
 * - `EXPIRED`: the trusted header is older than the trusting period.
 * - `NOT_PROVEN`: the proof does not prove the value, or its absence.
 * - `INCOMPLETE`: a range lacks a key, or has one too many; a list of an answer lacks an entry, or has one too many.
 * - `WRONG_VALUE`: a value of an answer does not follow from the proven bytes.
 */
export type ProofErrorCode =
  | 'MALFORMED'
  | 'UNKNOWN_KEY_TYPE'
  | 'WRONG_CHAIN'
  | 'WRONG_HEIGHT'
  | 'WRONG_HASH'
  | 'WRONG_TIME'
  | 'WRONG_SIGNATURE'
  | 'TOO_LITTLE_POWER'
  | 'NOT_TRUSTED'
  | 'CONFLICT'
  | 'EXPIRED'
  | 'NOT_PROVEN'
  | 'INCOMPLETE'
  | 'WRONG_VALUE';

/** Something does not prove what it should. Its code is the contract; the message is for people. */
export class ProofError extends Error {
  override readonly name = 'ProofError';
  readonly code: ProofErrorCode;
  /** The path of the field of an answer that is wrong, with the indexes of lists. undefined if it is the proof as a whole. */
  readonly field: string | undefined;

  constructor(code: ProofErrorCode, message: string, field?: string) {
    super(field === undefined ? message : `${field}: ${message}`);
    this.code = code;
    this.field = field;
  }
}

/** The error for input without the documented form. `what` describes the fault. */
export function malformed(what: string): ProofError {
  return new ProofError('MALFORMED', `Malformed: ${what}.`);
}
