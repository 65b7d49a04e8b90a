import { Tag, type Tone } from '../components/Badge.tsx';
import { Facts } from '../components/page/Facts.tsx';
import { Table } from '../components/Table.tsx';
import { count } from '../format/numbers.ts';
import type { FieldLink, levelCounts } from './report.ts';

/** The levels in words, with their colours. */
const levels: Readonly<Record<FieldLink['level'], readonly [words: string, tone: Tone]>> = {
  PROVEN: ['Proven', 'good'],
  RECOMPUTED: ['Recomputed', 'good'],
  QUORUM: ['Several nodes', 'info'],
  ASSERTED: ['Believed', 'warn'],
};

/** The fields of an answer with their levels: those that are only believed first. */
export function Levels({ of, counts }: { readonly of: readonly FieldLink[]; readonly counts: ReturnType<typeof levelCounts> }) {
  const believed = of.filter(({ level }) => level === 'ASSERTED');
  return (
    <>
      <Facts
        of={[
          ['Proven', count(counts.PROVEN)],
          ['Recomputed', count(counts.RECOMPUTED)],
          [
            'Believed',
            believed.length === 0
              ? 'none'
              : believed.map(({ path }) => (
                  <code key={path} class="block break">
                    {path}
                  </code>
                )),
          ],
        ]}
      />
      <details>
        <summary>All {count(of.length)} fields</summary>
        <Table
          name="Fields of the answer"
          rows={of}
          keyOf={({ path }) => path}
          columns={[
            { name: 'Field', class: 'fill', cell: ({ path }) => <code class="break">{path}</code> },
            { name: 'Level', cell: ({ level }) => <Tag tone={levels[level][1]}>{levels[level][0]}</Tag> },
            {
              name: 'From',
              class: 'wide',
              cell: ({ methods, reason }) => (
                <span class="small">
                  {methods.map((method) => (
                    <code key={method} class="block">
                      {method.split('/').slice(-1)}
                    </code>
                  ))}
                  {reason === undefined ? null : <span class="muted">{reason}</span>}
                </span>
              ),
            },
          ]}
        />
      </details>
    </>
  );
}
