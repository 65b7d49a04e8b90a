import { useState } from 'preact/hooks';
import { CodeWords } from '../../components/CodeWords.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Table } from '../../components/Table.tsx';
import { useFixedPage } from '../../data/useFixedPage.ts';
import { bytes, count, countOf } from '../../format/numbers.ts';
import { duration } from '../../format/times.ts';
import { LimitsDocument, type LimitsQuery } from '../../gen/graphql.ts';
import { texts } from '../../language/language.ts';
import { serverTexts } from '../../language/server/texts.ts';

type Limit = LimitsQuery['limits'][number];

function limitValue({ value, unit }: Limit): string {
  if (unit === 'BYTES') return bytes(value);
  if (unit === 'MILLISECONDS') return duration(`${Number(value) / 1_000}s`);
  return unit === 'PER_MINUTE' ? serverTexts.value.limits.aMinute(count(value)) : count(value);
}

/** The limits of the server. */
export function Limits() {
  const state = useFixedPage(LimitsDocument, {});
  return (
    <Page title={serverTexts.value.limits.title} state={state}>
      {({ limits }) => (
        <>
          <PageHead kind={texts.value.shell.status} title={serverTexts.value.limits.title} />
          <LimitTable of={limits} />
        </>
      )}
    </Page>
  );
}

/** Every limit in force, with a filter. */
function LimitTable({ of }: { readonly of: readonly Limit[] }) {
  const [filter, setFilter] = useState('');
  const shownLimits = of.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(filter.toLowerCase()),
  );
  return (
    <Card
      title={countOf(shownLimits.length, texts.value.counts.limits)}
      aside={
        <input
          type="search"
          placeholder={serverTexts.value.limits.filter}
          aria-label={serverTexts.value.limits.filterLimits}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      }
    >
      <Table
        name={serverTexts.value.limits.title}
        rows={shownLimits}
        keyOf={({ name }) => name}
        columns={[
          {
            name: texts.value.words.name,
            sort: ({ name }) => name,
            cell: ({ name, description }) => (
              <>
                <code class="break">{name}</code>
                <span class="narrow small">
                  <CodeWords of={description} />
                </span>
              </>
            ),
          },
          { name: texts.value.words.value, class: 'num', cell: (limit) => <span class="nowrap">{limitValue(limit)}</span> },
          {
            name: serverTexts.value.limits.what,
            class: 'wide',
            cell: ({ description }) => (
              <span class="small">
                <CodeWords of={description} />
              </span>
            ),
          },
        ]}
      />
    </Card>
  );
}
