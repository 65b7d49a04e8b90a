import { Address } from '../../components/Address.tsx';
import { Badge } from '../../components/Badge.tsx';
import { govTexts } from '../../language/gov/texts.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { type Happening, Happenings } from './Happenings.tsx';
import type { ProposalView, RecordData } from './shape.ts';

type RecordEvent = RecordData['timeline'][number];

/** What an event is, in words. `account` is the one that caused it. */
function wordsOf({ kind, detail, vote }: RecordEvent, account: preact.ComponentChild): preact.ComponentChildren {
  const by =
    account === null ? null : (
      <>
        {' '}
        {texts.value.words.by} {account}
      </>
    );
  switch (kind) {
    case 'SUBMITTED':
      return (
        <>
          {govTexts.value.submitted}
          {by}
        </>
      );
    case 'VOTED':
      return (
        <>
          {account} {governanceTexts.value.proposal.voted} {vote === null ? null : <Badge of={vote.option} />}
        </>
      );
    case 'VOTING_ENDED':
      return (
        <>
          {govTexts.value.votingEnded} {detail === null ? null : <Badge of={detail} />}
        </>
      );
    case 'DECIDED':
      return (
        <>
          {govTexts.value.decided}
          {by} {detail === null ? null : <Badge of={detail} />}
        </>
      );
    case 'EXECUTED':
      return (
        <>
          {governanceTexts.value.proposal.executed}
          {by}
        </>
      );
    case 'EXECUTION_FAILED':
      return (
        <>
          {governanceTexts.value.changes.execution}
          {by} {governanceTexts.value.proposal.failed}
        </>
      );
    case 'CLOSED':
      return (
        <>
          {govTexts.value.votingEnded} {detail === null ? null : <Badge of={detail} />}
        </>
      );
    case 'WITHDRAWN':
      return (
        <>
          {governanceTexts.value.proposal.withdrawn}
          {by}
        </>
      );
    case 'ABORTED':
      return (
        <>
          {governanceTexts.value.proposal.aborted}
          {by}
        </>
      );
    case 'GROUP_UPDATED':
      return (
        <>
          {governanceTexts.value.proposal.groupChanged}
          {by}: {detail}
        </>
      );
    case 'POLICY_UPDATED':
      return (
        <>
          {governanceTexts.value.proposal.policyChanged}
          {by}: {detail}
        </>
      );
    case 'PRUNED':
      return <>{govTexts.value.deletedByChain}</>;
  }
}

/** What happened to a proposal as the archive has recorded it, oldest first; and the end of the voting period if it is open. */
export function RecordTimeline({ of, record }: { readonly of: ProposalView; readonly record: RecordData }) {
  const happened = record.timeline.map((event): Happening => {
    const { account, at } = event;
    const who = account && <Address of={account.address} hasCopy={false} />;
    return { time: at.time, hash: at.hash, height: at.height, text: wordsOf(event, who) };
  });
  const end = of.isOpen ? [{ time: of.votingPeriodEnd, text: texts.value.proposal.periodEnds }] : [];
  return (
    <Happenings of={[...happened, ...end]}>
      {record.complete ? null : <p class="note">{texts.value.proposal.partlyRecorded}</p>}
    </Happenings>
  );
}
