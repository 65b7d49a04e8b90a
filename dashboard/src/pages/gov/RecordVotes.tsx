import { Address, Height, TransactionHash } from '../../components/Address.tsx';
import { Tag } from '../../components/Badge.tsx';
import { VoteOptions } from '../../components/governance/VoteOptions.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { ValidatorLink } from '../../components/ValidatorLink.tsx';
import { count } from '../../format/numbers.ts';
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
        <p class="small">Validator {validator === null ? null : <ValidatorLink of={validator} />}</p>
      ) : overrides ? (
        <p class="small muted">Delegator</p>
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
  if (replaced) return <Tag>Replaced</Tag>;
  if (power === null) return <span class="muted">{uncounted}</span>;
  return (
    <>
      {powerIn(power)}
      {validatorPower === null || validatorPower === '0' ? null : (
        <span class="block small muted">{powerIn(validatorPower)} from delegators</span>
      )}
    </>
  );
}

/** Why a vote that was not replaced has no power. */
function uncountedWords({ status }: GovRecordData, isOpen: boolean): string {
  if (isOpen) return 'not counted yet';
  return status === 'CANCELLED' ? 'never counted' : 'not known';
}

/** Every vote that was cast, newest first, with its power at the close: also replaced ones, and those of an earlier voting period. */
export function RecordVotes({ of, powerIn, unit, isOpen }: RecordVotesProps) {
  const { votes, rounds } = of;
  return (
    <Card
      title="Votes cast"
      aside={
        <span class="muted num">
          {votes?.totalCount ? count(votes.totalCount) : ''}
          {unit === '' ? '' : ` · power in ${unit}`}
        </span>
      }
    >
      {votes === null ? <Unread /> : null}
      {votes?.nodes.length === 0 ? <Empty>Nobody voted.</Empty> : null}
      {votes === null || votes.nodes.length === 0 ? null : (
        <>
          <Table
            name="Votes cast, newest first"
            rows={votes.nodes}
            keyOf={({ voter, round, at }) => [voter.address, round, at.height, at.hash].join(' ')}
            columns={[
              { name: 'Voter', class: 'fill', cell: (vote) => <Voter of={vote} /> },
              { name: 'Vote', cell: ({ options }) => <VoteOptions of={options} /> },
              {
                name: 'Power',
                class: 'num',
                cell: (vote) => <Power of={vote} powerIn={powerIn} uncounted={uncountedWords(of, isOpen)} />,
              },
              ...(rounds.length > 1
                ? [{ name: 'Period', class: 'num' as const, cell: ({ round }: Vote) => String(round) }]
                : []),
              { name: 'Time', class: 'num wide', cell: ({ at }) => (at.time === null ? '–' : <Time of={at.time} />) },
              {
                name: 'Transaction',
                class: 'wide',
                cell: ({ at }) =>
                  at.hash !== null ? <TransactionHash of={at.hash} /> : at.height !== null ? <Height of={at.height} /> : '–',
              },
            ]}
          />
          <Pager info={votes.pageInfo} name="cast" />
          {of.status === 'CANCELLED' ? null : (
            <p class="note">
              The power is that of the stake when the votes were counted. A delegator that votes takes its stake from the votes
              of its validators.
            </p>
          )}
        </>
      )}
    </Card>
  );
}

/** The bonded validators that did not vote. Nothing while the proposal is open, or if they are not known. */
export function Missed({ of }: { readonly of: GovRecordData['missedBy'] }) {
  if (of === null) return null;
  return (
    <Card title="Validators that did not vote" aside={<span class="muted num">{of.length}</span>}>
      {of.length === 0 ? (
        <Empty>Every bonded validator voted.</Empty>
      ) : (
        <Table
          name="Validators that did not vote"
          rows={of}
          keyOf={({ operatorAddress }) => operatorAddress}
          columns={[
            {
              name: 'Validator',
              class: 'fill',
              cell: ({ validator, operatorAddress }) => <ValidatorLink of={validator} operatorAddress={operatorAddress} />,
            },
            { name: 'Operator', cell: ({ account }) => <Address of={account.address} /> },
          ]}
        />
      )}
    </Card>
  );
}
