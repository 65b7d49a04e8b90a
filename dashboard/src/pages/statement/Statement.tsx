import { useState } from 'preact/hooks';
import { Height } from '../../components/Address.tsx';
import { Amount } from '../../components/Amount.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Failure } from '../../components/page/Failure.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { archive } from '../../data/nodes.ts';
import { usePage } from '../../data/usePage.ts';
import { useRead } from '../../data/useRead.ts';
import { shorten } from '../../format/addresses.ts';
import { count, countOf } from '../../format/numbers.ts';
import { AccountStatementDocument, HeadDocument, HeadLiveDocument } from '../../gen/graphql.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';
import { at, type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { DenomCard } from './DenomCard.tsx';
import { RangePicker } from './RangePicker.tsx';
import { Refusal } from './Refusal.tsx';
import { isAfter, isPreset, presetRange, readPlace, type StatementRange } from './ranges.ts';
import { SaveStatement } from './SaveStatement.tsx';
import type { StatementData } from './steps.ts';

/** Denoms with movements that are shown at first. */
const shownAtFirst = 10;

/** The block at which a statement is read. */
interface Head {
  readonly height: string;
  readonly time: string;
}

/** The statement of an account: what it held, every change, and what it holds. */
export function Statement({ address = '' }: PathParts) {
  const state = usePage({ past: HeadDocument, live: HeadLiveDocument }, {});
  return (
    <Page title={accountsTexts.value.statement.of(shorten(address))} state={state}>
      {({ head }) => (
        <>
          <PageHead
            kind={accountsTexts.value.account.statement}
            title={
              <a class="mono break" href={urlOf(`/accounts/${address}`)}>
                {address}
              </a>
            }
          />
          {head === null ? (
            <Empty>{accountsTexts.value.statement.noBlock}</Empty>
          ) : (
            <AtHead key={at.value?.toString()} address={address} newest={head} />
          )}
        </>
      )}
    </Page>
  );
}

/** The statement up to the block that was the newest when it was asked for. */
function AtHead({ address, newest }: { readonly address: string; readonly newest: Head }) {
  const [head, setHead] = useState(newest);
  const [preset, fromText, toText] = ['range', 'from', 'to'].map((name) => parameters.value.get(name)) as [
    string | null,
    string | null,
    string | null,
  ];
  const offered = isPreset(preset) ? preset : fromText === null ? 'month' : undefined;
  const now = Date.parse(head.time);
  const from = readPlace(fromText ?? '', 'from');
  const to = toText === null ? undefined : readPlace(toText, 'to');
  const isWrong = offered === undefined && (from === undefined || (toText !== null && to === undefined));
  const range: StatementRange =
    offered === undefined
      ? { from: from ?? '', ...(to !== undefined && !isAfter(to, now) && { to }) }
      : presetRange(offered, now);
  const isOpen = range.to === undefined;
  return (
    <>
      <RangePicker
        preset={offered}
        from={offered === undefined ? (fromText ?? '') : ''}
        to={offered === undefined ? (toText ?? '') : ''}
      />
      {isWrong ? (
        <section class="card refusal" role="alert">
          <h2>{accountsTexts.value.statement.noRange}</h2>
          <p>{accountsTexts.value.statement.enterRange}</p>
        </section>
      ) : (
        <Between
          key={[range.from, range.to, head.height].join()}
          address={address}
          range={range}
          height={head.height}
          mayBeginLater={offered !== undefined}
          onRead={isOpen && newest.height !== head.height ? () => setHead(newest) : undefined}
        />
      )}
    </>
  );
}

interface BetweenProps {
  readonly address: string;
  readonly range: StatementRange;
  /** The height at which it is read. */
  readonly height: string;
  /** Whether it begins with the oldest block that can be read, if the range begins before it. */
  readonly mayBeginLater?: boolean;
  /** The place that was asked for, if the statement begins later. */
  readonly asked?: string;
  /** Reads it up to the newest block. undefined if it is read up to it, or has another end. */
  readonly onRead: (() => void) | undefined;
}

/** The statement between two places, or why there is none. */
function Between({ address, range, height, mayBeginLater = false, asked, onRead }: BetweenProps) {
  const variables = { address, from: range.from, to: range.to ?? height };
  const { data, partial, failure } = useRead(AccountStatementDocument, variables, BigInt(height));
  const error = failure ?? partial[0];
  if (error !== undefined && data?.account?.statement == null) {
    const { earliestHeight } = error.facts;
    if (error.code === 'BAD_USER_INPUT' && error.facts.argument === 'address') return <Failure error={error} />;
    if (mayBeginLater && error.code === 'HEIGHT_PRUNED' && typeof earliestHeight === 'string')
      return (
        <Between
          key={earliestHeight}
          {...{ address, height, onRead }}
          range={{ ...range, from: earliestHeight }}
          asked={range.from}
        />
      );
    return <Refusal error={error} />;
  }
  const statement = data?.account?.statement;
  if (statement == null)
    return (
      <Card title={accountsTexts.value.account.statement}>
        <p class="muted" role="status">
          {accountsTexts.value.statement.reading}
        </p>
        <Skeleton lines={6} />
      </Card>
    );
  return <Content address={address} of={statement} asked={asked} onRead={onRead} />;
}

/** A block with its time. */
function Place({ height, time }: { readonly height: string; readonly time: string }) {
  return (
    <>
      {texts.value.words.inBlock} <Height of={height} />, <Time of={time} isExact />
    </>
  );
}

interface ContentProps {
  readonly address: string;
  readonly of: StatementData;
  readonly asked: string | undefined;
  readonly onRead: (() => void) | undefined;
}

function Content({ address, of, asked, onRead }: ContentProps) {
  const [isWhole, setWhole] = useState(false);
  const { from, fromTime, to, toTime, completeFrom, sources, denoms } = of;
  const moved = denoms.filter(({ lines }) => lines.length > 0);
  const rest = denoms.filter(({ lines }) => lines.length === 0);
  const changes = moved.reduce((sum, { lines }) => sum + lines.length, 0);
  const isComplete = BigInt(completeFrom) <= BigInt(from) + 1n;
  const ranges = (archive.value?.coverage ?? []).map((range) => texts.value.proposal.range(count(range.from), count(range.to)));
  return (
    <>
      <Card title={accountsTexts.value.statement.range} aside={<SaveStatement address={address} from={from} to={to} />}>
        <Facts
          of={[
            [accountsTexts.value.statement.after, <Place height={from} time={fromTime} />],
            [
              accountsTexts.value.statement.upTo,
              <>
                <Place height={to} time={toTime} />{' '}
                {onRead === undefined ? null : (
                  <button type="button" class="button small" onClick={onRead}>
                    {accountsTexts.value.statement.upToNow}
                  </button>
                )}
              </>,
            ],
            [
              accountsTexts.value.statement.changes,
              changes === 0
                ? texts.value.words.none
                : accountsTexts.value.statement.changesOf(count(changes), countOf(moved.length, texts.value.counts.tokens)),
            ],
            [
              accountsTexts.value.statement.coverage,
              isComplete
                ? accountsTexts.value.statement.everyMovement
                : accountsTexts.value.statement.everyFrom(count(completeFrom)),
            ],
            [
              accountsTexts.value.statement.readFrom,
              sources.length === 0 ? null : sources.map((source) => accountsTexts.value.sources[source]).join(', '),
            ],
            [
              accountsTexts.value.statement.archive,
              ranges.length === 0 ? null : accountsTexts.value.statement.hasRecorded(ranges.join(` ${texts.value.words.and} `)),
            ],
          ]}
        />
        {asked === undefined ? null : (
          <p class="partial" role="note">
            {accountsTexts.value.statement.beganEarlier(asked.replace('T', ' ').replace('Z', ' UTC'), count(from))}
          </p>
        )}
      </Card>
      {denoms.length === 0 ? (
        <Card title={texts.value.words.balances}>
          <Empty>{accountsTexts.value.statement.heldNothing}</Empty>
        </Card>
      ) : null}
      {denoms.length > 0 && moved.length === 0 ? <Empty>{accountsTexts.value.statement.nothingMoved}</Empty> : null}
      {(isWhole ? moved : moved.slice(0, shownAtFirst)).map((denom) => (
        <DenomCard key={denom.denom} of={denom} statement={of} />
      ))}
      {isWhole || moved.length <= shownAtFirst ? null : (
        <button type="button" class="button" onClick={() => setWhole(true)}>
          {texts.value.words.show} {countOf(moved.length - shownAtFirst, texts.value.counts.moreTokens)}
        </button>
      )}
      {rest.length === 0 ? null : (
        <Card title={accountsTexts.value.statement.unchanged} aside={<span class="muted num">{count(rest.length)}</span>}>
          <Table
            name={accountsTexts.value.statement.unchangedTable}
            rows={rest}
            keyOf={({ denom }) => denom}
            columns={[
              {
                name: accountsTexts.value.statement.atBothEnds,
                cell: ({ denom, closing, display }) => <Amount of={{ denom, amount: closing, display }} />,
              },
            ]}
          />
        </Card>
      )}
    </>
  );
}
