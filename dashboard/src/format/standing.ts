/** How an open proposal stands with the votes that it has, or that it is decided. */
export type Standing = 'passing' | 'failing' | 'lost' | 'decided';

interface OfGroup {
  readonly status: string;
  readonly outcome: { readonly decision: string } | null;
}

/** The standing of a proposal of a group policy. undefined if its outcome is not known. */
export function standingOf({ status, outcome }: OfGroup): Standing | undefined {
  if (status !== 'PROPOSAL_STATUS_SUBMITTED') return 'decided';
  if (outcome === null) return undefined;
  if (outcome.decision === 'ACCEPTED') return 'passing';
  return outcome.decision === 'REJECTED' ? 'lost' : 'failing';
}

/** The standing of a proposal of the governance module, whose votes can change until the end. undefined if its outcome is not known. */
export function govStandingOf(of: {
  readonly status: string;
  readonly outcome: { readonly passes: boolean } | null;
}): Standing | undefined {
  if (of.status !== 'PROPOSAL_STATUS_VOTING_PERIOD') return 'decided';
  if (of.outcome === null) return undefined;
  return of.outcome.passes ? 'passing' : 'failing';
}
