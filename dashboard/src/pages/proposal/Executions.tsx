import { Address, TransactionHash } from '../../components/Address.tsx';
import { Badge } from '../../components/Badge.tsx';
import { Code } from '../../components/Code.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Time } from '../../components/Time.tsx';
import { texts } from '../../language/language.ts';
import type { RecordData } from './shape.ts';

/** The attempts to execute a proposal, newest first, with the logs of the chain. Nothing if there was none. */
export function Executions({ of }: { readonly of: RecordData['executions'] }) {
  if (of.length === 0) return null;
  return (
    <Card title={texts.value.proposal.executions}>
      <ol class="plain-list">
        {of.toReversed().map(({ result, logs, executor, at }, index) => (
          <li key={index}>
            <span>
              <Badge of={result} />{' '}
              {executor === null ? null : (
                <>
                  {texts.value.words.by} {<Address of={executor.address} hasCopy={false} />}
                </>
              )}
            </span>
            <span class="muted small">
              <Time of={at.time} />
              {at.hash === null ? null : (
                <>
                  {' · '}
                  <TransactionHash of={at.hash} />
                </>
              )}
            </span>
            {logs === '' ? null : (
              <div class="whole-line">
                <Code of={logs} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
