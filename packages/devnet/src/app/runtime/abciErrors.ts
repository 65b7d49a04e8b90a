/** The registered errors of the devnet: codespace, code, and the text at the end of their messages. */
const registered = {
  txDecode: ['sdk', 2, 'tx parse error'],
  unauthorized: ['sdk', 4, 'unauthorized'],
  insufficientFunds: ['sdk', 5, 'insufficient funds'],
  unknownRequest: ['sdk', 6, 'unknown request'],
  invalidAddress: ['sdk', 7, 'invalid address'],
  invalidPubKey: ['sdk', 8, 'invalid pubkey'],
  unknownAddress: ['sdk', 9, 'unknown address'],
  invalidCoins: ['sdk', 10, 'invalid coins'],
  outOfGas: ['sdk', 11, 'out of gas'],
  memoTooLarge: ['sdk', 12, 'memo too large'],
  insufficientFee: ['sdk', 13, 'insufficient fee'],
  tooManySignatures: ['sdk', 14, 'maximum number of signatures exceeded'],
  noSignatures: ['sdk', 15, 'no signatures supplied'],
  invalidRequest: ['sdk', 18, 'invalid request'],
  keyNotFound: ['sdk', 22, 'key not found'],
  invalidHeight: ['sdk', 26, 'invalid height'],
  timeoutHeight: ['sdk', 30, 'tx timeout height'],
  wrongSequence: ['sdk', 32, 'incorrect account sequence'],
  notFound: ['sdk', 38, 'not found'],
  invalidGasLimit: ['sdk', 41, 'invalid gas limit'],
  txTimeout: ['sdk', 42, 'tx timeout'],
  noDelegatorInfo: ['distribution', 3, 'no delegation distribution info'],
  noCommission: ['distribution', 5, 'no validator commission to withdraw'],
  poolTooSmall: ['distribution', 6, 'community pool does not have sufficient coins to distribute'],
  noDelegation: ['staking', 19, 'no delegation for (address, validator) tuple'],
  noRedelegationTarget: ['staking', 31, 'redelegation destination validator not found'],
  noValidator: ['staking', 3, 'validator does not exist'],
  selfRedelegation: ['staking', 29, 'cannot redelegate to the same validator'],
  tinyRedelegation: ['staking', 30, 'too few tokens to redelegate (truncates to zero tokens)'],
  tooManyRedelegations: ['staking', 33, 'too many redelegation entries for (delegator, src-validator, dst-validator) tuple'],
  tooManyUnbondings: ['staking', 27, 'too many unbonding delegation entries for (delegator, validator) tuple'],
  transitiveRedelegation: [
    'staking',
    32,
    'redelegation to this validator already in progress; first redelegation to this validator must complete before next redelegation',
  ],
  govInactive: ['gov', 3, 'inactive proposal'],
  govInvalidVote: ['gov', 7, 'invalid vote option'],
  govUnroutable: ['gov', 10, 'proposal message not recognized by router'],
  govNoMessages: ['gov', 11, 'no messages proposed'],
  govInvalidSigner: ['gov', 13, 'expected gov account as only signer for proposal message'],
  govLongMetadata: ['gov', 15, 'metadata too long'],
  govSmallDeposit: ['gov', 16, 'minimum deposit is too small'],
  govInvalidProposal: ['gov', 21, 'invalid proposal'],
  govInvalidProposer: ['gov', 18, 'invalid proposer'],
  govVotingEnded: ['gov', 20, 'voting period already ended'],
  govLongSummary: ['gov', 22, 'summary too long'],
  govDepositDenom: ['gov', 23, 'invalid deposit denom'],
  groupEmpty: ['group', 2, 'value is empty'],
  groupDuplicate: ['group', 3, 'duplicate value'],
  groupMaxLimit: ['group', 4, 'limit exceeded'],
  groupInvalid: ['group', 6, 'invalid value'],
  groupUnauthorized: ['group', 7, 'unauthorized'],
  groupExpired: ['group', 9, 'expired'],
  authorizationNotFound: ['authz', 2, 'authorization not found'],
  authorizationInThePast: ['authz', 3, 'expiration time of authorization should be more than current time'],
  unknownAuthorization: ['authz', 4, 'unknown authorization type'],
  authorizationExpired: ['authz', 6, 'authorization expired'],
  granteeIsGranter: ['authz', 7, 'grantee and granter should be different'],
  authorizationOfOneSigner: ['authz', 9, 'authorization can be given to msg with only one signer'],
  ormUnique: ['legacy_orm', 13, 'unique constraint violation'],
  nameNotBound: ['name', 3, 'no address bound to name'],
  nameBound: ['name', 4, 'name already bound'],
  markerNotFound: ['marker', 7, 'marker not found'],
  wasmInstantiateFailed: ['wasm', 4, 'instantiate wasm contract failed'],
  wasmExecuteFailed: ['wasm', 5, 'execute wasm contract failed'],
  wasmQueryFailed: ['wasm', 9, 'query wasm contract failed'],
  wasmEmpty: ['wasm', 12, 'empty'],
  wasmLimit: ['wasm', 13, 'exceeds limit'],
  wasmInvalid: ['wasm', 14, 'invalid'],
  wasmNoContract: ['wasm', 22, 'no such contract'],
  wasmNoCode: ['wasm', 28, 'no such code'],
  feegrantExceeded: ['feegrant', 2, 'fee limit exceeded'],
  feegrantExpired: ['feegrant', 3, 'fee allowance expired'],
  feegrantNotAllowed: ['feegrant', 7, 'message not allowed'],
  panic: ['undefined', 111222, 'panic'],
  storeTxDecode: ['store', 3, 'tx parse error'],
  storeUnknownRequest: ['store', 4, 'unknown request'],
  storeInvalidRequest: ['store', 7, 'invalid request'],
} as const satisfies Record<string, readonly [string, number, string]>;

/** An error with a registered code, as in the result of a transaction. `message` is its log. */
export class AbciError extends Error {
  override readonly name = 'AbciError';
  readonly codespace: string;
  readonly code: number;

  constructor(codespace: string, code: number, log: string) {
    super(log);
    this.codespace = codespace;
    this.code = code;
  }
}

/**
 * An error without a registered code. In a transaction, it has code 1 of codespace `undefined`. In a query, it is an invalid
 * request (docs/chain.md, "Error codes of the application").
 */
export class PlainError extends Error {
  override readonly name = 'PlainError';
}

type Status = 'InvalidArgument' | 'NotFound' | 'Internal' | 'Unknown';

const codeOfStatus = {
  InvalidArgument: 'invalidRequest',
  NotFound: 'keyNotFound',
  Internal: 'unknownRequest',
  Unknown: 'unknownRequest',
} as const;

/** A gRPC status error of a query handler. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(status: Status, description: string) {
    super(description);
    this.status = status;
  }
}

/** Creates a registered error. `description` precedes its text, as for wrapped errors on a node. */
export function abciError(name: keyof typeof registered, description = ''): AbciError {
  const [codespace, code, text] = registered[name];
  return new AbciError(codespace, code, description === '' ? text : `${description}: ${text}`);
}

/** Prefixes the message of an error with `description`. Rethrows unexpected errors. */
export function wrapError(error: unknown, description: string): Error {
  if (error instanceof AbciError) return new AbciError(error.codespace, error.code, `${description}: ${error.message}`);
  if (error instanceof PlainError) return new PlainError(`${description}: ${error.message}`);
  throw error;
}

/** Runs `work`, and prefixes the message of an error that it throws with `description`. */
export function wrapping<T>(description: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw wrapError(error, description);
  }
}

/**
 * Runs `work`, and converts a plain error that it throws to an invalid request (code 18) with the same text, as the message
 * servers of Provenance's modules do. Not recorded: code and texts are inferred.
 */
export function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PlainError) throw abciError('invalidRequest', error.message);
    throw error;
  }
}

/**
 * Converts an error to codespace, code and log of a transaction result. Rethrows unexpected errors, which are bugs of the
 * devnet.
 */
export function refusalOf(error: unknown): { readonly codespace: string; readonly code: number; readonly log: string } {
  if (error instanceof AbciError) return { codespace: error.codespace, code: error.code, log: error.message };
  if (error instanceof PlainError) return { codespace: 'undefined', code: 1, log: error.message };
  throw error;
}

/**
 * Converts an error of a module query (docs/chain.md, "Error codes of the application"): gRPC statuses and plain errors get
 * codes of the sdk, with their text at the end.
 */
export function queryRefusalOf(error: unknown): { readonly codespace: string; readonly code: number; readonly log: string } {
  if (error instanceof StatusError) {
    const name = codeOfStatus[error.status];
    return refusalOf(abciError(name, `rpc error: code = ${error.status} desc = ${error.message}`));
  }
  if (error instanceof PlainError) return refusalOf(abciError('invalidRequest', error.message));
  if (error instanceof AbciError) return refusalOf(abciError('unknownRequest', error.message));
  throw error;
}
