/** Why a proposal cannot be rehearsed, with the sentence of each. */
export const causes = {
  NO_NODE: 'This server has no node for simulations. The operator can set --simulation-node.',
  NO_TOKEN: 'This server rehearses proposals for callers with a token only.',
  GOVERNANCE_MODULE:
    'The messages run in the name of the governance module, whose account cannot sign, so no node simulates them.',
  PAST: 'A rehearsal runs on the newest block only.',
  CONTRACT: 'A message executes a contract, or may do so. This server rehearses no contracts (--rehearse-contracts).',
  TOO_LARGE: 'The messages are too large to be rehearsed here.',
  TOO_MANY_MESSAGES: 'A proposal is rehearsed with at most 99 messages.',
  UNKNOWN_TYPE: 'A message has a type or a field that this server cannot read.',
  UNKNOWN_POLICY: 'The decision policy has a type that this server does not know.',
  NOBODY_CAN_SIGN: 'Too few accounts can sign the votes that would accept it.',
  EXECUTION_PERIOD:
    'The minimum execution period is not over, and nobody can shorten it, because the admin of the policy cannot sign.',
  NOT_ACCEPTED: 'The votes of the rehearsal were not enough.',
  REFUSED: 'The node refused the transaction of the rehearsal.',
  DID_NOT_END: 'The rehearsal did not end in time. It is not tried again.',
  BUSY: 'The node for simulations is busy, does not answer, or is left alone after a simulation that did not end. Retry later.',
  BUDGET: 'You have used up your rehearsals for now. Retry later.',
} as const;

/** Why a proposal cannot be rehearsed. */
export type Cause = keyof typeof causes;

/** Thrown where it turns out that something cannot be rehearsed. */
export class CannotRehearse extends Error {
  override readonly name = 'CannotRehearse';
  readonly why: Cause;

  /** `detail` is added to the sentence of the cause. */
  constructor(why: Cause, detail = '') {
    super(detail === '' ? causes[why] : `${causes[why]} ${detail}`);
    this.why = why;
  }
}
