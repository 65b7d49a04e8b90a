/** What the history of is shown. */
export interface ChangesProps {
  readonly kind: 'proposal' | 'group' | 'account' | 'validator';
  /** The id of the proposal or the group, or the address of the account or the validator. */
  readonly id: string;
  /** The account of the operator of a validator, if the page has the address of the operator. */
  readonly operator?: string | undefined;
}
