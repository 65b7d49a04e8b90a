import { Card } from '../../components/page/Card.tsx';
import { count, countOf } from '../../format/numbers.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';

interface ChartBlock {
  readonly height: string;
  readonly time: string;
  readonly numTxs: string;
}

const [width, height] = [600, 96];

/** The number of bars that the chart has place for. */
const places = 60;

/** The time between the oldest and the newest of some blocks, in seconds. 0 for fewer than two. */
function timeOf(blocks: readonly ChartBlock[]): number {
  const [newest, oldest] = [blocks[0], blocks.at(-1)];
  return newest === undefined || oldest === undefined ? 0 : (Date.parse(newest.time) - Date.parse(oldest.time)) / 1_000;
}

/** Transactions of the last blocks, newest first, as bars, with the mean block time and the transactions a second. */
export function BlockChart({ of }: { readonly of: readonly ChartBlock[] }) {
  const seconds = timeOf(of);
  // The oldest block begins the time, so its transactions are before it.
  const transactions = of.slice(0, -1).reduce((sum, { numTxs }) => sum + Number(numTxs), 0);
  const most = Math.max(1, ...of.map(({ numTxs }) => Number(numTxs)));
  const step = width / places;
  const begin = width - step * of.length;
  return (
    <Card
      title={governanceTexts.value.home.activity}
      aside={<span class="muted">{governanceTexts.value.home.lastBlocks(String(of.length))}</span>}
    >
      <dl class="figures">
        <div>
          <dt>{governanceTexts.value.home.blockTime}</dt>
          <dd class="num">{of.length > 1 ? `${count((seconds / (of.length - 1)).toFixed(2))} s` : '–'}</dd>
        </div>
        <div>
          <dt>{governanceTexts.value.home.perSecond}</dt>
          <dd class="num">{seconds > 0 ? count((transactions / seconds).toFixed(2)) : '–'}</dd>
        </div>
        <div>
          <dt>{texts.value.words.transactions}</dt>
          <dd class="num">{count(transactions)}</dd>
        </div>
      </dl>
      <svg
        class="bars"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={governanceTexts.value.home.blockChart(count(transactions), count(of.length), count(most))}
      >
        {of.toReversed().map((block, index) => {
          const size = Math.max(1.5, (Number(block.numTxs) / most) * (height - 4));
          return (
            <rect
              key={block.height}
              x={begin + index * step + 1}
              y={height - size}
              width={Math.max(step - 2, 1)}
              height={size}
              data-empty={block.numTxs === '0'}
            >
              <title>{`${texts.value.words.block} ${count(block.height)}: ${countOf(block.numTxs, texts.value.counts.transactions)}`}</title>
            </rect>
          );
        })}
      </svg>
    </Card>
  );
}
