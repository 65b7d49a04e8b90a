import { Address } from '../../components/Address.tsx';
import { Badge } from '../../components/Badge.tsx';
import { texts } from '../../language/language.ts';
import { type Happening, Happenings } from './Happenings.tsx';
import type { ProposalView, RecordData } from './shape.ts';

type RecordEvent = RecordData['timeline'][number];

/** What an event is, in words. `account` is the one that caused it. */
function wordsOf({ kind, detail, vote }: RecordEvent, account: preact.ComponentChild): preact.ComponentChildren {
  const by = account === null ? null : <> by {account}</>;
  switch (kind) {
    case 'SUBMITTED':
      return <>Submitted{by}</>;
    case 'VOTED':
      return (
        <>
          {account} voted {vote === null ? null : <Badge of={vote.option} />}
        </>
      );
    case 'VOTING_ENDED':
      return <>Voting ended {detail === null ? null : <Badge of={detail} />}</>;
    case 'DECIDED':
      return (
        <>
          Decided{by} {detail === null ? null : <Badge of={detail} />}
        </>
      );
    case 'EXECUTED':
      return <>Executed{by}</>;
    case 'EXECUTION_FAILED':
      return <>Execution{by} failed</>;
    case 'CLOSED':
      return <>Voting ended {detail === null ? null : <Badge of={detail} />}</>;
    case 'WITHDRAWN':
      return <>Withdrawn{by}</>;
    case 'ABORTED':
      return <>Aborted by a change of the policy{by}</>;
    case 'GROUP_UPDATED':
      return (
        <>
          Group changed{by}: {detail}
        </>
      );
    case 'POLICY_UPDATED':
      return (
        <>
          Policy changed{by}: {detail}
        </>
      );
    case 'PRUNED':
      return <>Deleted by the chain</>;
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
