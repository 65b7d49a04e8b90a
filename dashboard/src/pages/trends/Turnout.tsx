import { useState } from 'preact/hooks';
import { ChartLegend } from '../../components/charts/ChartLegend.tsx';
import type { Series } from '../../components/charts/chartProps.ts';
import { LazyChart } from '../../components/charts/LazyChart.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { errorWords } from '../../data/failures.ts';
import { type ReadState, useRead } from '../../data/useRead.ts';
import { shorten } from '../../format/addresses.ts';
import { personName } from '../../format/names.ts';
import { count, countOf } from '../../format/numbers.ts';
import { exact } from '../../format/times.ts';
import { texts } from '../../language/language.ts';
import { trendTexts } from '../../language/trends/texts.ts';
import { GroupTurnoutDocument, MemberTurnoutDocument } from './gen/graphql.ts';
import type { TurnoutProps } from './trendProps.ts';
import { ascending, chancesOf, gapsOf, type Turnout as Point, turnoutsOf } from './turnout.ts';

/** How many closed proposals a visitor can choose to read. Each of the last choice costs the server about 40 points. */
const sizes = [20, 50, 100];

const headOf = ({ id, title, time }: Pick<Point, 'id' | 'title' | 'time'>): string =>
  `#${id} ${title} · ${exact(new Date(time).toISOString())}`;

const proposals = (number: number): string => countOf(number, texts.value.counts.proposals);

/** In place of a chart: what is read, why it cannot be read, or that there is no archive. */
function Waiting({ of: { data, partial, failure }, hasNone }: { readonly of: ReadState<unknown>; readonly hasNone: boolean }) {
  const error = failure ?? partial[0];
  if (error !== undefined) return <Empty>{trendTexts.value.failed(errorWords(error))}</Empty>;
  if (data !== undefined && hasNone) return <Empty>{trendTexts.value.noArchive}</Empty>;
  return (
    <div role="status" aria-label={trendTexts.value.reading}>
      <Skeleton lines={4} />
    </div>
  );
}

interface GroupProps {
  readonly id: string;
  readonly size: number;
  readonly height: bigint;
}

/** The turnout of the newest closed proposals of a group. */
function OfGroup({ id, size, height }: GroupProps) {
  const read = useRead(GroupTurnoutDocument, { id, first: size }, height);
  const records = read.data?.proposalRecords;
  if (!records) return <Waiting of={read} hasNone />;
  const { points, noTally } = turnoutsOf(records.nodes);
  const { turnout } = trendTexts.value;
  const times = ascending(points.map(({ time }) => time));
  const unknown = points.filter(({ weight }) => weight === null).length;
  const gaps = gapsOf(
    times,
    points.map(({ weight }) => weight),
  );
  const lines: readonly Series[] = [
    { name: turnout.turnoutLine, tone: 'accent', values: points.map(({ weight }) => weight), hasPoints: true },
    {
      name: turnout.membersLine,
      tone: 'abstain',
      values: points.map(({ members }) => members),
      hasPoints: true,
      isDashed: true,
    },
  ];
  return (
    <>
      {unknown === points.length ? (
        <Empty>{turnout.none}</Empty>
      ) : (
        <>
          <ChartLegend of={lines} />
          <LazyChart
            name={turnout.chart(proposals(points.length))}
            times={times}
            heads={points.map(headOf)}
            headName={texts.value.words.proposal}
            top={100}
            gaps={gaps}
            series={lines}
          />
        </>
      )}
      <p class="note">
        {[
          turnout.note(proposals(points.length)),
          ...(unknown === 0 ? [] : [turnout.unknown(proposals(unknown))]),
          ...(noTally === 0 ? [] : [turnout.noTally(proposals(noTally))]),
          ...(records.pageInfo.hasNextPage ? [turnout.older] : []),
        ].join(' ')}
      </p>
      <Partial errors={read.partial} />
    </>
  );
}

/** On which of the newest closed proposals of a group a member voted. */
function OfMember({ id, size, height, member, name }: GroupProps & { readonly member: string; readonly name: string }) {
  const read = useRead(MemberTurnoutDocument, { id, member, first: size }, height);
  if (!read.data?.voted || !read.data.missed) return <Waiting of={read} hasNone />;
  const chances = chancesOf(read.data, size);
  const { turnout } = trendTexts.value;
  if (chances.length === 0) return <Empty>{turnout.memberNone}</Empty>;
  const voted = chances.filter(({ hasVoted }) => hasVoted).length;
  return (
    <>
      <LazyChart
        name={turnout.memberChart(name, proposals(chances.length))}
        times={ascending(chances.map(({ time }) => time))}
        heads={chances.map((chance) => `${headOf(chance)} · ${chance.hasVoted ? turnout.voted : turnout.missed}`)}
        headName={texts.value.words.proposal}
        top={100}
        series={[
          {
            name: turnout.memberLine,
            tone: 'accent',
            values: chances.map(({ share }) => share),
            hasPoints: true,
            isStepped: true,
          },
        ]}
      />
      <p class="note">{turnout.memberNote(count(voted), proposals(chances.length))}</p>
    </>
  );
}

/**
 * How many of a group voted on its closed proposals, and on how many of them a member did, from the archive. Nothing is read before a visitor chooses how many
 * proposals.
 */
export function Turnout({ id, members, height }: TurnoutProps) {
  const [chosen, setChosen] = useState<{ readonly size: number; readonly height: bigint }>();
  const [member, setMember] = useState('');
  const { turnout } = trendTexts.value;
  const people = members.map(({ account: { address }, metadata }) => ({
    address,
    name: personName(metadata) ?? shorten(address),
  }));
  return (
    <Card title={turnout.title}>
      <div class="row wrap">
        <fieldset class="chips" aria-label={turnout.span}>
          {sizes.map((size) => (
            <button
              key={size}
              type="button"
              class="chip"
              aria-pressed={size === chosen?.size}
              onClick={() => height !== undefined && setChosen({ size, height })}
            >
              {turnout.last(String(size))}
            </button>
          ))}
        </fieldset>
        {chosen === undefined ? (
          <span class="muted small">{turnout.ask}</span>
        ) : (
          <label class="row">
            <span class="muted">{texts.value.words.member}</span>
            <select value={member} onChange={({ currentTarget }) => setMember(currentTarget.value)}>
              <option value="">{turnout.wholeGroup}</option>
              {people.map(({ address, name }) => (
                <option key={address} value={address}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {chosen === undefined ? null : member === '' ? (
        <OfGroup id={id} {...chosen} />
      ) : (
        <OfMember
          key={member}
          id={id}
          {...chosen}
          member={member}
          name={people.find(({ address }) => address === member)?.name ?? shorten(member)}
        />
      )}
    </Card>
  );
}
