import { governanceTexts } from '../../language/governance/texts.ts';
import { Card } from '../page/Card.tsx';
import { ProposalRehearsalDocument } from './gen/graphql.ts';
import { Outcome } from './Outcome.tsx';
import { useLive } from './watch.ts';

/** What would happen if a proposal ran now. It follows the chain. */
export function ProposalRehearsal({ id }: { readonly id: string }) {
  const data = useLive(ProposalRehearsalDocument, { id });
  const rehearsal = data?.proposal?.rehearsal;
  if (data !== undefined && !rehearsal) return null;
  return (
    <Card title={governanceTexts.value.rehearsal.ifNow}>
      {rehearsal ? <Outcome of={rehearsal} /> : <p class="muted">{governanceTexts.value.rehearsal.running}</p>}
    </Card>
  );
}
