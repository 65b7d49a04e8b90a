import { useEffect, useState } from 'preact/hooks';
import { Card } from '../../components/page/Card.tsx';
import { useRead } from '../../data/useRead.ts';
import { type HomeBlockFragment, HomeBlocksDocument } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { urlOf } from '../../routing/router.ts';
import { BlockChart } from './BlockChart.tsx';
import { NewestTransactions } from './NewestTransactions.tsx';
import { NodeStates } from './NodeStates.tsx';
import { Ticker } from './Ticker.tsx';

/** The most blocks of the chart, and of the ticker. */
const [mostBars, mostBlocks] = [60, 12];

/** The blocks that have arrived, newest first, after the one at which the page read those before. */
interface Arrived {
  readonly base: bigint;
  readonly blocks: readonly HomeBlockFragment[];
}

/** The blocks with a newer one. A block that does not follow the last one begins anew, as after a lost connection and in the past. */
function withBlock(before: Arrived | undefined, block: HomeBlockFragment): Arrived {
  const height = BigInt(block.height);
  const last = before === undefined ? undefined : BigInt(before.blocks[0]?.height ?? before.base);
  if (before === undefined || last === undefined || (height !== last && height !== last + 1n))
    return { base: height, blocks: [] };
  return height === last ? before : { base: before.base, blocks: [block, ...before.blocks].slice(0, mostBars) };
}

/** What happens on the chain: its last blocks, its newest transactions and its nodes. Only new blocks are sent while the page is open. */
export function Activity({ latest }: { readonly latest: HomeBlockFragment | undefined }) {
  const [arrived, setArrived] = useState<Arrived | undefined>(undefined);
  useEffect(() => {
    if (latest !== undefined) setArrived((before) => withBlock(before, latest));
  }, [latest?.height]);
  const { data } = useRead(HomeBlocksDocument, {}, arrived?.base);
  const fresh = arrived?.blocks ?? [];
  const bars = [...fresh, ...(data?.blocks?.nodes ?? [])].slice(0, mostBars);
  const newest = [...fresh, ...(data?.newest?.nodes ?? [])].slice(0, mostBlocks);
  return (
    <>
      <h2 class="section">{governanceTexts.value.home.chain}</h2>
      <div class="grid home-top">
        <BlockChart of={bars} />
        <NodeStates />
      </div>
      <Card
        title={governanceTexts.value.home.newestBlocks}
        aside={<a href={urlOf('/blocks')}>{governanceTexts.value.home.allBlocks}</a>}
      >
        <Ticker of={newest} />
      </Card>
      <NewestTransactions of={newest} />
    </>
  );
}
