import { useState } from 'preact/hooks';
import { CodeWords } from '../../components/CodeWords.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { bytes, count } from '../../format/numbers.ts';
import { duration } from '../../format/times.ts';
import type { StatusQuery } from '../../gen/graphql.ts';

type Limit = StatusQuery['limits'][number];

function limitValue({ value, unit }: Limit): string {
  if (unit === 'BYTES') return bytes(value);
  if (unit === 'MILLISECONDS') return duration(`${Number(value) / 1_000}s`);
  return unit === 'PER_MINUTE' ? `${count(value)} a minute` : count(value);
}

/** Every limit in force, with a filter. */
export function Limits({ of }: { readonly of: readonly Limit[] }) {
  const [filter, setFilter] = useState('');
  const shownLimits = of.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(filter.toLowerCase()),
  );
  return (
    <Card
      title="Limits"
      aside={
        <input
          type="search"
          placeholder="Filter"
          aria-label="Filter the limits"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      }
    >
      <Table
        name="Limits"
        rows={shownLimits}
        keyOf={({ name }) => name}
        columns={[
          {
            name: 'Name',
            cell: ({ name, description }) => (
              <>
                <code>{name}</code>
                <span class="narrow small">
                  <CodeWords of={description} />
                </span>
              </>
            ),
          },
          { name: 'Value', class: 'num', cell: (limit) => <span class="nowrap">{limitValue(limit)}</span> },
          {
            name: 'What it limits',
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
