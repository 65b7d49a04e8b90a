import type { Money } from '../../components/Amount.tsx';
import type { Counts } from '../../format/tally.ts';
import type { GovProposalQuery, GovRecordQuery } from '../../gen/graphql.ts';
import { govTexts } from '../../language/gov/texts.ts';

/** A proposal of the governance module, as the chain has it. */
export type GovProposalData = NonNullable<GovProposalQuery['govProposal']>;

/** A proposal of the governance module, as the archive has recorded it. */
export type GovRecordData = NonNullable<GovRecordQuery['govProposalRecord']>;

/** What the page shows of a proposal: the state of the chain while it has it, and else the record. */
export interface GovView {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly metadata: string;
  /** As the chain names it, and CANCELLED or DROPPED of a proposal that the chain has deleted. */
  readonly status: string;
  readonly expedited: boolean;
  readonly failedReason: string;
  readonly submitTime: string;
  /** null if it is not known. */
  readonly depositEndTime: string | null;
  readonly votingStartTime: string | null;
  readonly votingEndTime: string | null;
  readonly proposer: { readonly address: string } | null;
  readonly messages: GovRecordData['messages'];
  readonly tally: Counts | null;
  readonly outcome: GovProposalData['outcome'];
  /** null if the chain has deleted the proposal. */
  readonly totalDeposit: readonly Money[] | null;
}

/** Joins the state of the chain and the record. undefined if there is neither. */
export function govViewOf(proposal: GovProposalData | null, record: GovRecordData | null): GovView | undefined {
  if (proposal !== null) return proposal;
  if (record === null) return undefined;
  return {
    ...record,
    status: `PROPOSAL_STATUS_${record.status}`,
    failedReason: record.status === 'FAILED' ? (record.log ?? '') : '',
    outcome: null,
    totalDeposit: null,
  };
}

/** What of a proposal lies outside of the blocks that the archive has recorded, in words. Empty if nothing does. */
export function missingParts({ complete, submitted, votingBegan, decided }: GovRecordData): readonly string[] {
  if (complete) return [];
  const parts = [
    ...(submitted === null ? [govTexts.value.itsSubmission] : []),
    ...(votingBegan !== null && votingBegan.height === null ? [govTexts.value.firstVotes] : []),
    ...(decided !== null && decided.height === null ? [govTexts.value.itsDecision] : []),
  ];
  return parts.length === 0 ? [govTexts.value.partOfLife] : parts;
}
