/** The registered errors that the devnet knows: codespace, code and the text that ends their message. */
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
  noSignatures: ['sdk', 15, 'no signatures supplied'],
  invalidRequest: ['sdk', 18, 'invalid request'],
  keyNotFound: ['sdk', 22, 'key not found'],
  invalidHeight: ['sdk', 26, 'invalid height'],
  timeoutHeight: ['sdk', 30, 'tx timeout height'],
  wrongSequence: ['sdk', 32, 'incorrect account sequence'],
  notFound: ['sdk', 38, 'not found'],
  groupEmpty: ['group', 2, 'value is empty'],
  groupDuplicate: ['group', 3, 'duplicate value'],
  groupMaxLimit: ['group', 4, 'limit exceeded'],
  groupInvalid: ['group', 6, 'invalid value'],
  groupUnauthorized: ['group', 7, 'unauthorized'],
  groupExpired: ['group', 9, 'expired'],
  ormUnique: ['legacy_orm', 13, 'unique constraint violation'],
  nameNotBound: ['name', 3, 'no address bound to name'],
  nameBound: ['name', 4, 'name already bound'],
  markerNotFound: ['marker', 7, 'marker not found'],
  feegrantExceeded: ['feegrant', 2, 'fee limit exceeded'],
  feegrantExpired: ['feegrant', 3, 'fee allowance expired'],
  feegrantNotAllowed: ['feegrant', 7, 'message not allowed'],
  panic: ['undefined', 111222, 'panic'],
  storeTxDecode: ['store', 3, 'tx parse error'],
  storeUnknownRequest: ['store', 4, 'unknown request'],
  storeInvalidRequest: ['store', 7, 'invalid request'],
} as const satisfies Record<string, readonly [string, number, string]>;

/** A refusal with a registered code: what a transaction's result carries. `message` is its log. */
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
 * A refusal with no code of its own. In a transaction it is code 1 of codespace `undefined`; in a query invalid request
 * (chain.md 6.4: errors that are no gRPC status).
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

/** A gRPC status that a query handler answers with. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(status: Status, description: string) {
    super(description);
    this.status = status;
  }
}

/** The registered error of that name; `description` goes before its own text, as wrapping does on the node. */
export function abciError(name: keyof typeof registered, description = ''): AbciError {
  const [codespace, code, text] = registered[name];
  return new AbciError(codespace, code, description === '' ? text : `${description}: ${text}`);
}

/** The same refusal with `description` in front of its message. Anything that is not a refusal is thrown on as it is. */
export function wrapError(error: unknown, description: string): Error {
  if (error instanceof AbciError) return new AbciError(error.codespace, error.code, `${description}: ${error.message}`);
  if (error instanceof PlainError) return new PlainError(`${description}: ${error.message}`);
  throw error;
}

/** Runs `work`; a refusal that it throws gets `description` in front. */
export function wrapping<T>(description: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw wrapError(error, description);
  }
}

/**
 * Runs `work`; a plain error that it throws becomes an invalid request (code 18) with the same words, as the message servers of
 * Provenance's modules wrap theirs. None of these refusals was recorded: the code is inferred, and so are the words wherever this is used.
 */
export function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PlainError) throw abciError('invalidRequest', error.message);
    throw error;
  }
}

/** What a failed transaction's result says. An error that is no refusal is a fault of the devnet and is thrown on. */
export function refusalOf(error: unknown): { readonly codespace: string; readonly code: number; readonly log: string } {
  if (error instanceof AbciError) return { codespace: error.codespace, code: error.code, log: error.message };
  if (error instanceof PlainError) return { codespace: 'undefined', code: 1, log: error.message };
  throw error;
}

/** What a failed module query answers (chain.md 6.4): gRPC codes and plain errors get the sdk's codes, and its text at the end. */
export function queryRefusalOf(error: unknown): { readonly codespace: string; readonly code: number; readonly log: string } {
  if (error instanceof StatusError) {
    const name = codeOfStatus[error.status];
    return refusalOf(abciError(name, `rpc error: code = ${error.status} desc = ${error.message}`));
  }
  if (error instanceof PlainError) return refusalOf(abciError('invalidRequest', error.message));
  if (error instanceof AbciError) return refusalOf(abciError('unknownRequest', error.message));
  throw error;
}
