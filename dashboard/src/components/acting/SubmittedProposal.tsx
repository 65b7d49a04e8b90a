import { useEffect, useState } from 'preact/hooks';
import type { Progress } from '../../actions/useSend.ts';
import { stele } from '../../data/stele.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';
import { verdictOf } from '../governance/verdict.ts';
import { useLive } from '../rehearsal/watch.ts';
import { FollowedProposalDocument, SubmittedDocument } from './gen/graphql.ts';
import { ProgressLine } from './ProgressLine.tsx';

interface FollowedProps {
  readonly id: string;
  readonly of: Progress;
}

/** The progress of a proposal that is on the chain, until it is decided. */
function Followed({ id, of }: FollowedProps) {
  const live = useLive(FollowedProposalDocument, { id }, true);
  // The chain deletes a proposal whose messages have run.
  const isGone = live !== undefined && live.proposal === null;
  const proposal = live?.proposal;
  const record = live?.proposalRecord;
  const isOpen = proposal?.status === 'PROPOSAL_STATUS_SUBMITTED';
  const closed = isOpen ? undefined : (proposal ?? record);
  const words = isOpen ? verdictOf(proposal) : closed ? verdictOf({ ...closed, outcome: null }) : undefined;
  const decision = {
    isDecided: live !== undefined && !isOpen,
    words: words === undefined ? (isGone ? texts.value.steps.gone : '') : `${words}.`,
  };
  return (
    <>
      <ProgressLine of={of} decision={decision} />
      <p>
        <a href={urlOf(`/proposals/${id}`)}>
          {actingTexts.value.propose.open} {id}
        </a>
      </p>
    </>
  );
}

/** How far a transaction that submits a proposal is, and then the proposal: until it is decided, with a link to it. */
export function SubmittedProposal({ of }: { readonly of: Progress }) {
  const [id, setId] = useState<string | undefined>(undefined);
  const hash = of.kind === 'done' ? of.hash : undefined;
  useEffect(() => {
    setId(undefined);
    if (hash === undefined) return;
    stele.query(SubmittedDocument, { hash }).then(
      // The chain writes the id as JSON text.
      ({ data }) => setId(/\d+/.exec(JSON.stringify(data.transaction?.events?.[0]?.json ?? ''))?.[0]),
      () => undefined,
    );
  }, [hash]);
  return id === undefined || hash === undefined ? (
    <ProgressLine of={of} decision={{ isDecided: false, words: '' }} />
  ) : (
    <Followed key={id} id={id} of={of} />
  );
}
