import { useEffect } from 'preact/hooks';
import { Badge } from '../../components/Badge.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { nodes, readNodes } from '../../data/nodes.ts';
import { count, countOf } from '../../format/numbers.ts';
import { duration } from '../../format/times.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';

/** The states of the nodes. They are of now, also when the page shows the past. */
export function NodeStates() {
  useEffect(() => {
    void readNodes();
  }, []);
  return (
    <Card title={governanceTexts.value.home.nodes} aside={<a href={urlOf('/status')}>{texts.value.shell.status}</a>}>
      {nodes.value === undefined ? (
        <Skeleton lines={3} />
      ) : (
        <ul class="nodes">
          {nodes.value.map((node) => (
            <li key={node.alias}>
              <span class="strong">{node.alias}</span>
              <Badge of={node.health} />
              <span class="muted small num">
                {node.height === null ? governanceTexts.value.home.noBlock : `${texts.value.words.block} ${count(node.height)}`}
                {node.lag !== null && node.lag !== '0'
                  ? `, ${governanceTexts.value.home.behind(countOf(node.lag, texts.value.counts.blocks))}`
                  : ''}
                {node.latency === null ? '' : `, ${duration(node.latency)}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
