/** What the participation of is shown. */
export interface TurnoutProps {
  /** The id of the group. */
  readonly id: string;
  /** The members of the page. */
  readonly members: readonly { readonly metadata: string; readonly account: { readonly address: string } }[];
  /** The height at which the page last changed. undefined until it is known. */
  readonly height: bigint | undefined;
}

/** The account whose balances are shown over time. */
export interface TreasuryProps {
  readonly address: string;
  readonly height: bigint | undefined;
}

/** The token whose holders are shown. */
export interface DistributionProps {
  readonly denom: string;
  readonly height: bigint | undefined;
}
