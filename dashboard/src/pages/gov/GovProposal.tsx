import { Address } from '../../components/Address.tsx';
import { Amounts, unitOf } from '../../components/Amount.tsx';
import { Badge, Tag } from '../../components/Badge.tsx';
import { Code } from '../../components/Code.tsx';
import { Countdown } from '../../components/governance/Countdown.tsx';
import { FromArchive } from '../../components/governance/FromArchive.tsx';
import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { Messages } from '../../components/Messages.tsx';
import { Card, Unread } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { PageSkeleton } from '../../components/page/Skeleton.tsx';
import { Time } from '../../components/Time.tsx';
import { archive } from '../../data/nodes.ts';
import { usePage } from '../../data/usePage.ts';
import { useRead } from '../../data/useRead.ts';
import { count, countOf, rounded } from '../../format/numbers.ts';
import { displayUnits } from '../../format/units.ts';
import { GovProposalDocument, GovProposalLiveDocument, type GovProposalQuery, GovRecordDocument } from '../../gen/graphql.ts';
import { govTexts } from '../../language/gov/texts.ts';
import { texts } from '../../language/language.ts';
import { type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { Decision, Rounds } from './Decision.tsx';
import { Deposits, RecordDeposits } from './Deposits.tsx';
import { GovTally } from './GovTally.tsx';
import { GovVotes } from './GovVotes.tsx';
import { Missed, RecordVotes } from './RecordVotes.tsx';
import { type GovProposalData, type GovRecordData, type GovView, govViewOf, missingParts } from './shape.ts';

/** What the end of the voting period would do with the votes so far, besides the execution. */
function endWords(isExpedited: boolean, { passes, burnsDeposits }: NonNullable<GovProposalData['outcome']>): string {
  if (isExpedited && !passes) return govTexts.value.becomesRegular;
  return burnsDeposits ? govTexts.value.wouldBeBurnt : govTexts.value.wouldBeReturned;
}

/** What happens when, and what the deposit is. */
function Terms({ of, params }: { readonly of: GovView; readonly params: GovProposalQuery['govParams'] }) {
  const { status, votingStartTime, votingEndTime, outcome, depositEndTime, totalDeposit } = of;
  const isCollecting = status === 'PROPOSAL_STATUS_DEPOSIT_PERIOD';
  const isDropped = status === 'PROPOSAL_STATUS_DROPPED';
  const needed = of.expedited ? params?.expeditedMinDeposit : params?.minDeposit;
  return (
    <Card title={govTexts.value.terms}>
      <Facts
        of={[
          [govTexts.value.submitted, <Time key="submitted" of={of.submitTime} isExact />],
          [
            govTexts.value.depositsUntil,
            (isCollecting || isDropped) && depositEndTime ? <Time of={depositEndTime} isExact /> : null,
          ],
          [govTexts.value.votingBegan, votingStartTime && <Time of={votingStartTime} isExact />],
          [endName(of), votingEndTime && <Time of={votingEndTime} isExact />],
          [govTexts.value.deposit, totalDeposit && <Amounts of={totalDeposit} />],
          [govTexts.value.depositNeeded, isCollecting && needed ? <Amounts of={needed} /> : null],
          [govTexts.value.ifNow, outcome && endWords(of.expedited, outcome)],
          [govTexts.value.metadata, of.metadata === '' ? null : <span class="break">{of.metadata}</span>],
        ]}
      />
    </Card>
  );
}

/** What the end of the voting period is called: a cancelled proposal did not reach it. */
function endName({ outcome, status }: GovView): string {
  if (outcome !== null) return govTexts.value.votingEnds;
  return status === 'PROPOSAL_STATUS_CANCELLED' ? govTexts.value.wouldHaveEnded : govTexts.value.votingEnded;
}

/** What a proposal is, and where it stands. */
function Head({ of, isDeleted }: { readonly of: GovView; readonly isDeleted: boolean }) {
  const { id, status, proposer, votingEndTime } = of;
  return (
    <PageHead
      kind={
        <>
          {texts.value.words.proposal} {id} · <a href={urlOf('/proposals')}>{texts.value.words.chainGovernance}</a>
        </>
      }
      title={titleOf(of)}
    >
      <Badge of={status} />
      {of.expedited ? <Tag tone="warn">{texts.value.proposal.expedited}</Tag> : null}
      {status === openStatus && votingEndTime !== null ? <Countdown until={votingEndTime} /> : null}
      <span class="muted">
        {texts.value.proposal.submitted} <Time of={of.submitTime} />
        {proposer === null ? null : (
          <>
            {` ${texts.value.words.by} `}
            <Address of={proposer.address} />
          </>
        )}
      </span>
      {isDeleted ? <span class="muted">{govTexts.value.deleted}</span> : null}
    </PageHead>
  );
}

/** Who voted how, and who has not: of the chain while voting goes on, and of the record. */
function AllVotes({ proposal, record, isOpen, powerIn, unit }: AllVotesProps) {
  const recorded = record === null ? null : <RecordVotes of={record} powerIn={powerIn} unit={unit} isOpen={isOpen} />;
  if (proposal !== null && (isOpen || record === null))
    return (
      <>
        <GovVotes of={proposal} />
        {record?.votes?.nodes.length ? recorded : null}
      </>
    );
  // Without a voting period there are no votes.
  if (record === null || record.rounds.length === 0) return null;
  return (
    <div class={record.missedBy === null ? 'grid' : 'grid main-side'}>
      {recorded}
      <Missed of={record.missedBy} />
    </div>
  );
}

interface AllVotesProps {
  readonly proposal: GovProposalData | null;
  readonly record: GovRecordData | null;
  readonly isOpen: boolean;
  readonly powerIn: (power: string) => string;
  readonly unit: string;
}

/** What the page shows from the record, at the start of a sentence. */
function recordedParts({ decided, rounds }: GovRecordData): string {
  if (rounds.length === 0) return decided === null ? govTexts.value.depositsAre : govTexts.value.depositsAndEndAre;
  return decided === null ? govTexts.value.votesAndDepositsAre : govTexts.value.allAre;
}

/** The ends after which the chain deletes a proposal. */
const endsWithoutVote = ['PROPOSAL_STATUS_CANCELLED', 'PROPOSAL_STATUS_DROPPED'];

const openStatus = 'PROPOSAL_STATUS_VOTING_PERIOD';

/**
 * A proposal of the governance module: its tally against the rules, what it does, its votes and deposits, who of the validators has not voted, and how it ended. The
 * chain deletes votes and deposits when it decides, and some proposals: these are shown from the record.
 */
export function GovProposal({ id = '' }: PathParts) {
  const query = parameters.value;
  const state = usePage(
    { past: GovProposalDocument, live: GovProposalLiveDocument },
    { id, votes: query.get('votes'), deposits: query.get('deposits') },
  );
  const recorded = useRead(GovRecordDocument, { id, cast: query.get('cast') }, state.changed);
  const record = recorded.data?.govProposalRecord ?? null;
  const isWaiting = recorded.data === undefined && recorded.failure === undefined;
  return (
    <Page title={govTexts.value.named(id)} state={state} hasRecords={isWaiting || record !== null}>
      {({ govProposal: proposal, govParams, stakingPool }) => {
        const view = govViewOf(proposal, record);
        if (view === undefined && isWaiting) return <PageSkeleton />;
        if (view === undefined && state.partial.some(({ path }) => path?.[0] === 'govProposal')) return <Unread />;
        if (view === undefined)
          return (
            <Notice title={govTexts.value.unknown(id)}>
              <p>
                {govTexts.value.unknownWhy}
                {archive.value ? texts.value.proposal.archiveUnknown : ''}
              </p>
              <NoArchive />
              <Partial errors={recorded.partial} />
            </Notice>
          );
        const bonded = stakingPool?.bonded ?? null;
        const powerIn = (power: string): string => (bonded === null ? count(power) : rounded(displayUnits(power, bonded)));
        const unit = bonded === null ? '' : unitOf({ ...bonded, display: bonded.display && { ...bonded.display, amount: '' } });
        return (
          <>
            <Head of={view} isDeleted={proposal === null && endsWithoutVote.includes(view.status)} />
            {view.summary === '' ? null : <p class="lead text">{view.summary}</p>}
            {view.failedReason === '' ? null : (
              <Card title={govTexts.value.whyFailed}>
                <Code of={view.failedReason} />
              </Card>
            )}
            <div class="grid main-side">
              <GovTally of={view} powerIn={powerIn} unit={unit} />
              <Terms of={view} params={govParams} />
            </div>
            {record === null ? null : <Decision of={record} />}
            {record === null ? null : <Rounds of={record} />}
            <Card
              title={
                view.messages.length === 0
                  ? govTexts.value.messages
                  : countOf(view.messages.length, texts.value.counts.messages)
              }
            >
              {view.messages.length === 0 ? <p class="empty">{govTexts.value.isText}</p> : <Messages of={view.messages} />}
            </Card>
            <AllVotes proposal={proposal} record={record} isOpen={view.status === openStatus} powerIn={powerIn} unit={unit} />
            {record === null ? proposal === null ? null : <Deposits of={proposal} /> : <RecordDeposits of={record} />}
            {record === null ? <NoArchive /> : <FromArchive what={recordedParts(record)} missing={missingParts(record)} />}
            <Partial errors={recorded.partial} />
          </>
        );
      }}
    </Page>
  );
}
