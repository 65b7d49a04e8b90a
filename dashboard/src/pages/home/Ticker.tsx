import { Scroll } from '../../components/Scroll.tsx';
import { Time } from '../../components/Time.tsx';
import { bytes, count, countOf } from '../../format/numbers.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';

interface TickerBlock {
  readonly height: string;
  readonly time: string;
  readonly numTxs: string;
  readonly blockSize: string | null;
  readonly proposer: { readonly address: string; readonly moniker: string | null } | null;
}

/** The newest blocks, each with its proposer and the time since the block before. */
export function Ticker({ of }: { readonly of: readonly TickerBlock[] }) {
  return (
    <Scroll class="ticker" name={governanceTexts.value.home.newestFirst}>
      <ol>
        {of.map((block, index) => {
          const before = of[index + 1];
          const interval = before === undefined ? undefined : (Date.parse(block.time) - Date.parse(before.time)) / 1_000;
          return (
            <li key={block.height}>
              <a href={urlOf(`/blocks/${block.height}`)}>{count(block.height)}</a>
              <span class="small">{countOf(block.numTxs, texts.value.counts.transactions)}</span>
              <span class="small muted">{block.proposer?.moniker ?? block.proposer?.address.slice(0, 8) ?? ''}</span>
              <span class="small muted num">
                {[
                  ...(interval === undefined ? [] : [`${count(interval.toFixed(1))} s`]),
                  ...(block.blockSize === null ? [] : [bytes(block.blockSize)]),
                ].join(' · ')}
              </span>
              <span class="small muted">
                <Time of={block.time} />
              </span>
            </li>
          );
        })}
      </ol>
    </Scroll>
  );
}
