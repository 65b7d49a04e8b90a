import { Tag, type Tone } from '../components/Badge.tsx';
import { Facts } from '../components/page/Facts.tsx';
import { Table } from '../components/Table.tsx';
import { count } from '../format/numbers.ts';
import { texts } from '../language/language.ts';
import { proofsTexts } from '../language/proofs/texts.ts';
import type { FieldLink, levelCounts } from './report.ts';

/** The colours of the levels. */
const tones: Readonly<Record<FieldLink['level'], Tone>> = {
  PROVEN: 'good',
  RECOMPUTED: 'good',
  QUORUM: 'info',
  ASSERTED: 'warn',
};

/** The fields of an answer with their levels: those that are only believed first. */
export function Levels({ of, counts }: { readonly of: readonly FieldLink[]; readonly counts: ReturnType<typeof levelCounts> }) {
  const believed = of.filter(({ level }) => level === 'ASSERTED');
  return (
    <>
      <Facts
        of={[
          [proofsTexts.value.levels.PROVEN, count(counts.PROVEN)],
          [proofsTexts.value.levels.RECOMPUTED, count(counts.RECOMPUTED)],
          [
            proofsTexts.value.levels.ASSERTED,
            believed.length === 0
              ? proofsTexts.value.levels.none
              : believed.map(({ path }) => (
                  <code key={path} class="block break">
                    {path}
                  </code>
                )),
          ],
        ]}
      />
      <details>
        <summary>
          {texts.value.words.all} {count(of.length)} {proofsTexts.value.levels.allFields}
        </summary>
        <Table
          name={proofsTexts.value.levels.fieldsOfAnswer}
          rows={of}
          keyOf={({ path }) => path}
          columns={[
            { name: proofsTexts.value.levels.field, class: 'fill', cell: ({ path }) => <code class="break">{path}</code> },
            {
              name: proofsTexts.value.levels.level,
              cell: ({ level }) => <Tag tone={tones[level]}>{proofsTexts.value.levels[level]}</Tag>,
            },
            {
              name: proofsTexts.value.levels.from,
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
