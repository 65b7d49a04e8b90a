import { Address, Height, TransactionHash } from '../../components/Address.tsx';
import { Tag } from '../../components/Badge.tsx';
import { VoteOptions } from '../../components/governance/VoteOptions.tsx';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { ValidatorLink } from '../../components/ValidatorLink.tsx';
import { count } from '../../format/numbers.ts';
import { govTexts } from '../../language/gov/texts.ts';
import { texts } from '../../language/language.ts';
import type { GovRecordData } from './shape.ts';

type Vote = NonNullable<GovRecordData['votes']>['nodes'][number];

interface RecordVotesProps {
  readonly of: GovRecordData;
  /** A voting power in the unit of the chain's stake. */
  readonly powerIn: (power: string) => string;
  readonly unit: string;
  readonly isOpen: boolean;
}

/** Who cast a vote: an account, and the validator that it operated. */
function Voter({ of: { voter, validator, isValidator, delegatedPower } }: { readonly of: Vote }) {
  const overrides = !isValidator && delegatedPower !== null && delegatedPower !== '0';
  return (
    <>
      <Address of={voter.address} hasCopy={false} />
      {isValidator ? (
        <p class="small">
          {texts.value.words.validator} {validator === null ? null : <ValidatorLink of={validator} />}
        </p>
      ) : overrides ? (
        <p class="small muted">{govTexts.value.delegator}</p>
      ) : null}
    </>
  );
}

interface PowerProps {
  readonly of: Vote;
  readonly powerIn: RecordVotesProps['powerIn'];
  /** What is shown of a vote without a power. */
  readonly uncounted: string;
}

/** The power of a vote when the votes were counted; of a validator, with what it had from others. */
function Power({ of, powerIn, uncounted }: PowerProps) {
  const { power, validatorPower, replaced } = of;
  if (replaced) return <Tag>{texts.value.words.replaced}</Tag>;
  if (power === null) return <span class="muted">{uncounted}</span>;
  return (
    <>
      {powerIn(power)}
      {validatorPower === null || validatorPower === '0' ? null : (
        <span class="block small muted">
          {powerIn(validatorPower)} {govTexts.value.fromDelegators}
        </span>
      )}
    </>
  );
}

/** Why a vote that was not replaced has no power. */
function uncountedWords({ status }: GovRecordData, isOpen: boolean): string {
  if (isOpen) return govTexts.value.notCounted;
  return status === 'CANCELLED' ? govTexts.value.neverCounted : texts.value.format.notKnown;
}

/** Every vote that was cast, newest first, with its power at the close: also replaced ones, and those of an earlier voting period. */
export function RecordVotes({ of, powerIn, unit, isOpen }: RecordVotesProps) {
  const { id, votes, rounds } = of;
  return (
    <Card
      title={govTexts.value.votesCast}
      aside={
        <>
          {votes?.nodes.length ? <SaveList name={govTexts.value.votesCast} list="recordedGovVotes" of={id} /> : null}
          <span class="muted num">
            {votes?.totalCount ? count(votes.totalCount) : ''}
            {unit === '' ? '' : govTexts.value.powerUnit(unit)}
          </span>
        </>
      }
    >
      {votes === null ? <Unread /> : null}
      {votes?.nodes.length === 0 ? <Empty>{texts.value.proposal.nobodyVoted}</Empty> : null}
      {votes === null || votes.nodes.length === 0 ? null : (
        <>
          <Table
            name={govTexts.value.votesNewest}
            rows={votes.nodes}
            keyOf={({ voter, round, at }) => [voter.address, round, at.height, at.hash].join(' ')}
            columns={[
              { name: govTexts.value.voter, class: 'fill', cell: (vote) => <Voter of={vote} /> },
              { name: texts.value.words.vote, cell: ({ options }) => <VoteOptions of={options} /> },
              {
                name: govTexts.value.power,
                class: 'num',
                cell: (vote) => <Power of={vote} powerIn={powerIn} uncounted={uncountedWords(of, isOpen)} />,
              },
              ...(rounds.length > 1
                ? [{ name: govTexts.value.period, class: 'num' as const, cell: ({ round }: Vote) => String(round) }]
                : []),
              {
                name: texts.value.words.time,
                class: 'num wide',
                cell: ({ at }) => (at.time === null ? '–' : <Time of={at.time} />),
              },
              {
                name: texts.value.words.transaction,
                class: 'wide',
                cell: ({ at }) =>
                  at.hash !== null ? <TransactionHash of={at.hash} /> : at.height !== null ? <Height of={at.height} /> : '–',
              },
            ]}
          />
          <Pager info={votes.pageInfo} name="cast" />
          {of.status === 'CANCELLED' ? null : <p class="note">{govTexts.value.powerNote}</p>}
        </>
      )}
    </Card>
  );
}

/** The bonded validators that did not vote. Nothing while the proposal is open, or if they are not known. */
export function Missed({ of }: { readonly of: GovRecordData['missedBy'] }) {
  if (of === null) return null;
  return (
    <Card title={govTexts.value.didNotVote} aside={<span class="muted num">{of.length}</span>}>
      {of.length === 0 ? (
        <Empty>{govTexts.value.everyVoted}</Empty>
      ) : (
        <Table
          name={govTexts.value.didNotVote}
          rows={of}
          keyOf={({ operatorAddress }) => operatorAddress}
          columns={[
            {
              name: texts.value.words.validator,
              class: 'fill',
              cell: ({ validator, operatorAddress }) => <ValidatorLink of={validator} operatorAddress={operatorAddress} />,
            },
            { name: govTexts.value.operator, cell: ({ account }) => <Address of={account.address} /> },
          ]}
        />
      )}
    </Card>
  );
}
