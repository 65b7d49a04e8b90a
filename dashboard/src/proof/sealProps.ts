/** What a seal is about, and what the page shows of it. */
export interface SealProps {
  readonly kind: 'proposal' | 'account';
  /** The id of the proposal, or the address of the account. */
  readonly id: string;
  /** The data of the page, whose fields are compared with the proven ones. */
  readonly page: unknown;
  /** The height at which that data last changed. */
  readonly changed: bigint | undefined;
}
